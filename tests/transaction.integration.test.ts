import { expect, test } from 'bun:test'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createSharedAccount } from './operator/transaction/sharedAccount.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

/** Runs the program against a chain on loopback, as the holders of the keys of one account. */
async function withSharedAccount<T>(
  use: (
    run: (
      program: 'contracts' | 'transaction',
      args: readonly string[],
      key: number | null,
    ) => ReturnType<typeof runToEnd>,
    shared: Awaited<ReturnType<typeof createSharedAccount>>,
  ) => Promise<T>,
): Promise<T> {
  using shared = await createSharedAccount()
  await using endpoint = await startDevnet({ call: shared.devnet.call })
  const keys = shared.secretKeys.map((pem, index) => shared.folder.write(`key${index}.pem`, pem))
  return await use((program, args, key) => {
    const settings = {
      CASPER_RPC_URL: endpoint.url,
      CASPER_CHAIN_NAME: 'casper-net-1',
      ELIGIBILITY_GATE_PACKAGE_HASH: shared.gatePackageHash,
      AGENT_STATE_DIR: `${shared.folder.path}/state`,
      ...(key === null ? {} : { ATTESTER_KEY_PATH: keys[key] ?? '' }),
      ...(program === 'transaction' ? {} : { ATTESTER_ACCOUNT: shared.keys[0].accountHash }),
    }
    return runToEnd([...wattfeed(program), ...args], settings, shared.folder.path)
  }, shared)
}

test('default: one key holder writes it, another one signs, and a third person sends it', () =>
  withSharedAccount(async (run, { folder, keys: [first, second, third] }) => {
    const path = `${folder.path}/install.json`
    const install = (file: string) => run('contracts', ['install', '--out', file, '--json'], 1)
    const written = await install(path)
    const steps = (stdout: string) =>
      JSON.parse(stdout).steps.map(({ step, state }: { step: string; state: string }) => `${step}: ${state}`)
    expect(written.stderr).toMatch(
      /^contracts: wrote transaction [0-9a-f]{64} to .*install\.json, signed by this key; nothing was sent\. It can be executed until 20\S*Z: /,
    )
    expect(steps(written.stdout)).toEqual([
      'install EligibilityGate: done',
      'install FeedRegistry: written',
      'install AttestationRegistry: planned',
      'FeedRegistry.set_eligibility_gate: planned',
      'AttestationRegistry.set_feed_registry: planned',
    ])

    const shown = await run('transaction', ['show', path, '--json'], null)
    expect([shown.exitCode, shown.stderr]).toEqual([0, ''])
    const transaction = JSON.parse(shown.stdout)
    expect(transaction).toMatchObject({
      command: 'show',
      does: 'installs FeedRegistry',
      account: first.accountHash,
      approvals: [{ signer: second.publicKey, is_valid: true }],
      weight: { signed: 1, needed: 2, missing: 1, foreign: [] },
    })

    const early = await run('transaction', ['send', path, '--json'], null)
    expect(early.exitCode).toBe(1)
    expect(JSON.parse(early.stdout)).toMatchObject({ command: 'send', error: { code: 'weight' } })

    const unasked = await run('transaction', ['sign', path, '--json'], 2)
    expect(JSON.parse(unasked.stdout)).toMatchObject({ error: { code: 'prompt_closed' } })
    const signed = await run('transaction', ['sign', path, '--yes', '--json'], 2)
    expect(signed.exitCode).toBe(0)
    expect(JSON.parse(signed.stdout)).toMatchObject({
      command: 'sign',
      approvals: [{ signer: second.publicKey }, { signer: third.publicKey }],
      weight: { signed: 2, missing: 0 },
    })
    expect((await run('transaction', ['sign', path, '--yes'], 3)).exitCode).toBe(1)

    const sent = await run('transaction', ['send', path, '--json'], null)
    expect([sent.exitCode, sent.stderr]).toEqual([0, ''])
    expect(JSON.parse(sent.stdout)).toMatchObject({
      command: 'send',
      state: 'executed',
      transaction_hash: transaction.transaction_hash,
    })
    expect(steps((await install(`${folder.path}/next.json`)).stdout).slice(0, 3)).toEqual([
      'install EligibilityGate: done',
      'install FeedRegistry: executed',
      'install AttestationRegistry: written',
    ])
  }))
