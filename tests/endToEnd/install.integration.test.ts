import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createDevnet, type Devnet } from '@wattfeed/casper-devnet'
import { balanceOf, listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { createFolder } from '@wattfeed/testing/folder'
import { type StopPoint, startWatchedNode } from '../support/devnetNode.ts'
import { runDevnetProgram, startDevnetProgram } from '../support/devnetPrograms.ts'
import type { Ended } from '../support/program.ts'
import { pendingHashes } from '../support/state.ts'

const steps = [
  'install FeedRegistry',
  'install AttestationRegistry',
  'install EligibilityGate',
  'FeedRegistry.set_eligibility_gate',
  'AttestationRegistry.set_feed_registry',
]

interface Operator {
  devnet: Devnet
  publicKey: string
  deploymentPath: string
  run(...args: string[]): Promise<Ended & { json: ReturnType<typeof JSON.parse> }>
  /** Runs `install` up to a call to the node, and kills it there. */
  killInstallAt(point: StopPoint): Promise<void>
}

/** An operator with a key, and a chain without contracts. */
async function withOperator(use: (operator: Operator) => Promise<void>): Promise<void> {
  await using devnet = createDevnet({ accounts: 1 })
  await using node = await startWatchedNode(devnet)
  using folder = createFolder()
  const [{ publicKey, secretKeyPem } = { publicKey: '', secretKeyPem: '' }] = devnet.accounts
  const settings = {
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: devnet.chainName,
    ATTESTER_KEY_PATH: folder.write('secret_key.pem', secretKeyPem),
    AGENT_STATE_DIR: `${folder.path}/state`,
  }
  await use({
    devnet,
    publicKey,
    deploymentPath: `${folder.path}/state/deployment-${devnet.chainName}.json`,
    async run(...args) {
      const ended = await runDevnetProgram('contracts', [...args, '--json'], settings, folder.path)
      return { ...ended, json: JSON.parse(ended.stdout) }
    },
    async killInstallAt(point) {
      const reached = node.stopAt(point)
      await using program = startDevnetProgram('contracts', ['install'], settings, folder.path)
      await program.until(reached)
    },
  })
}

const statesOf = ({ json }: Awaited<ReturnType<Operator['run']>>) =>
  json.steps.map(({ step, state }: { step: string; state: string }) => [step, state])

test.concurrent('default: what install plans, it does; then nothing is left to install or wire, and status sees it all', () =>
  withOperator(async ({ devnet, publicKey, run }) => {
    const planned = await run('install', '--dry-run')
    expect([planned.exitCode, statesOf(planned)]).toEqual([0, steps.map((step) => [step, 'planned'])])
    expect(await tipHeight(devnet)).toBe(0)
    const installed = await run('install')
    expect([installed.exitCode, installed.stderr]).toEqual([0, ''])
    expect(statesOf(installed)).toEqual(steps.map((step) => [step, 'executed']))
    const executed = await listExecuted(devnet, 0)
    expect(installed.json.steps).toMatchObject(
      executed.map(({ transactionHash, consumedMotes, chargedMotes, errorMessage }) => ({
        transaction_hash: errorMessage ?? transactionHash,
        consumed_motes: `${consumedMotes}`,
        charged_motes: `${chargedMotes}`,
      })),
    )
    expect(installed.json.payment_motes).toBe(planned.json.payment_motes)
    expect(await balanceOf(devnet, publicKey)).toBe(
      devnet.accountMotes - BigInt(installed.json.charged_motes),
    )
    for (const [command, all] of [
      ['install', steps],
      ['wire', steps.slice(3)],
    ] as const) {
      const again = await run(command)
      expect([again.exitCode, statesOf(again)]).toEqual([0, all.map((step) => [step, 'done'])])
    }
    const status = await run('status')
    expect([status.exitCode, status.json]).toMatchObject([
      0,
      {
        is_complete: true,
        missing_wires: [],
        unknown: [],
        contracts: Object.entries(installed.json.package_hashes).map(([contract, package_hash]) => ({
          contract,
          package_hash,
          versions: [{ version: '2.1', is_enabled: true }],
        })),
      },
    ])
    expect(await listExecuted(devnet, 0)).toEqual(executed)
  }))

test.concurrent('behavior: killed three times on the way, install and wire continue, and do nothing twice', () =>
  withOperator(async ({ devnet, deploymentPath, run, killInstallAt }) => {
    // The first transaction is on chain, but its sender was killed before the answer.
    await killInstallAt({ method: 'account_put_transaction', when: 'after' })
    // Each run continues from the files of the one before. It sends the first transaction again, which the chain knows,
    // and only signs the second.
    await killInstallAt({ method: 'account_put_transaction', nth: 2, when: 'before' })
    const dry = await run('install', '--dry-run')
    expect(statesOf(dry).slice(0, 3)).toEqual([
      [steps[0], 'done'],
      [steps[1], 'pending'],
      [steps[2], 'planned'],
    ])
    // The second, the third and the first wiring transaction are on chain, but their senders never got an answer.
    await killInstallAt({ method: 'account_put_transaction', nth: 3, when: 'after' })
    const wired = await run('wire')
    expect([wired.exitCode, statesOf(wired)]).toEqual([0, steps.slice(3).map((step) => [step, 'executed'])])
    const last = await run('install')
    expect([last.exitCode, statesOf(last)]).toEqual([0, steps.map((step) => [step, 'done'])])
    const executed = await listExecuted(devnet, 0)
    expect(executed.map(({ errorMessage }) => errorMessage)).toEqual([null, null, null, null, null])
    const { transactions } = JSON.parse(readFileSync(deploymentPath, 'utf8'))
    const pending = pendingHashes(dirname(deploymentPath))
    expect([pending, transactions.map((each: Record<string, unknown>) => each.transaction_hash)]).toEqual([
      [],
      executed.map(({ transactionHash }) => transactionHash),
    ])
    expect((await run('status')).json.is_complete).toBeTrue()
  }))
