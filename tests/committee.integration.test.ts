import { expect, test } from 'bun:test'
import { createDevnet, startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { startCommitteeServer } from '../src/agent/committee/http/committeeServer.ts'
import type { FixedTerms } from '../src/agent/committee/http/messages.ts'
import { agreedTerms } from './agent/committee/http/exchange.ts'
import { wattfeed } from './support/binary.ts'
import { freePort } from './support/ports.ts'
import { runToEnd } from './support/program.ts'

const LIFETIME_MS = 300_000
const names = ['north', 'east', 'south', 'west', 'middle', 'vault']

/** Serves the terms of a member's agent. */
function startAgent(terms: FixedTerms) {
  const server = startCommitteeServer({
    listen: { host: '127.0.0.1', port: 0 },
    member: { receive: async () => null, announced: async () => {} },
    noteRoot: () => {},
    openSide: async () => null,
    senders: [],
    terms,
    newestBlock: () => ({ height: 1, time: Date.now() }),
    now: Date.now,
    log: { warn() {} },
  })
  return {
    address: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** A chain on loopback with six accounts; the keys of the others join that of the first. */
async function withChain(
  use: (chain: {
    run: (
      command: 'committee' | 'transaction',
      args: readonly string[],
      key?: number | null,
    ) => ReturnType<typeof runToEnd>
    /** Writes a members file of these members. */
    writeMembers: (threshold: number, members: readonly object[]) => string
    memberOf: (index: number, changed?: object) => object
    account: string
    chainName: string
    /** Account hashes of the keys. */
    keyHashes: readonly string[]
    wait: (ms: number) => void
    folder: string
  }) => Promise<void>,
): Promise<void> {
  using folder = createFolder()
  let aheadMs = 0
  const devnet = createDevnet({ accounts: names.length, now: () => Date.now() + aheadMs })
  await using endpoint = await startDevnet({ call: devnet.call })
  const keys = devnet.accounts.map(({ secretKeyPem }, index) => folder.write(`key${index}.pem`, secretKeyPem))
  const account = devnet.accounts[0]?.accountHash ?? ''
  await use({
    account,
    chainName: devnet.chainName,
    keyHashes: devnet.accounts.map(({ accountHash }) => accountHash),
    folder: folder.path,
    run(command, args, key = 0) {
      const settings = {
        CASPER_RPC_URL: endpoint.url,
        CASPER_CHAIN_NAME: devnet.chainName,
        AGENT_STATE_DIR: `${folder.path}/state`,
        ...(key === null ? {} : { ATTESTER_KEY_PATH: keys[key] ?? '' }),
        ...(command === 'committee' ? { ATTESTER_ACCOUNT: account } : {}),
      }
      return runToEnd([...wattfeed(command), ...args], settings, folder.path)
    },
    writeMembers: (threshold, members) =>
      folder.write(
        'members.json',
        JSON.stringify({ thresholds: { deployment: threshold, keyManagement: threshold }, members }),
      ),
    memberOf: (index, changed = {}) => ({
      publicKey: devnet.accounts[index]?.publicKey,
      weight: 1,
      name: names[index],
      ...changed,
    }),
    wait(ms) {
      aheadMs += ms
      devnet.produceBlock()
    },
  })
}

test('default: from one key to 4 of 5, in two steps', () =>
  withChain(async ({ run, writeMembers, memberOf, account, wait }) => {
    const file = writeMembers(
      4,
      [0, 1, 2, 3, 4].map((index) => memberOf(index)),
    )
    const alone = await run('committee', ['status', file], null)
    expect([alone.exitCode, alone.stderr]).toEqual([2, ''])
    expect(alone.stdout).toContain('1 of 1 tolerates none down, no liar and no double signer')
    expect(alone.stdout).toContain('north can sign alone')

    const plan = await run('committee', ['plan', file], null)
    expect([plan.exitCode, plan.stderr]).toEqual([0, ''])
    expect(plan.stdout).toContain('2 steps, at least 300 s apart; run "apply --step" for each:')
    expect(plan.stdout).toContain('afterwards: 4 of 5 tolerates 1 down, 3 liars and 2 double signers')
    const dryRun = await run('committee', ['apply', file, '--dry-run', '--json'])
    expect(JSON.parse(dryRun.stdout)).toMatchObject({
      command: 'apply',
      account,
      after: { least_signers: 4, tolerates: { down: 1, liars: 3, double_signers: 2 } },
      steps: [{ after: { deployment: 2 } }, { after: { deployment: 4 } }],
      pause_ms: LIFETIME_MS,
      not_before: null,
      payment_motes: expect.stringMatching(/^\d+$/),
    })

    const refused = await run('committee', ['apply', file, '--json'])
    expect(refused.exitCode).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'committee' } })
    const first = await run('committee', ['apply', file, '--step', '--json'])
    expect(first.exitCode).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({ command: 'apply', state: 'executed', account })

    const early = await run('committee', ['apply', file, '--out', 'change.json'])
    expect(early.exitCode).toBe(1)
    expect(early.stderr).toContain('the keys changed less than one lifetime of a transaction ago')
    wait(LIFETIME_MS)
    expect((await run('committee', ['apply', file, '--out', 'change.json'])).exitCode).toBe(0)
    const { steps } = JSON.parse(dryRun.stdout)
    const second = steps[0].after.keys.find(({ name }: { name: string }) => name !== 'north')
    await run('transaction', ['sign', 'change.json', '--yes'], names.indexOf(second.name))
    expect((await run('transaction', ['send', 'change.json'], null)).exitCode).toBe(0)

    const status = await run('committee', ['status', file, '--json'], null)
    expect(status.exitCode).toBe(0)
    expect(JSON.parse(status.stdout)).toMatchObject({
      account,
      deployment: 4,
      key_management: 4,
      least_signers: 4,
      differences: [],
    })
    expect((await run('committee', ['apply', file])).stdout).toEndWith(
      'nothing changes: the account is as the members file says\n',
    )
  }))

test('behavior: a recovery key is named, and can act alone', () =>
  withChain(async ({ run, writeMembers, memberOf }) => {
    const vault = memberOf(0, { weight: 3, name: 'vault', recovery: true })
    const file = writeMembers(3, [vault, ...[1, 2, 3, 4].map((index) => memberOf(index))])
    const plan = await run('committee', ['plan', file], null)
    expect(plan.stdout).toContain('3 of 4 tolerates 1 down, 2 liars and 1 double signer')
    expect(plan.stdout).toContain('vault can sign alone (recovery key)')
    expect((await run('committee', ['apply', file])).exitCode).toBe(0)
    const replaced = writeMembers(3, [
      vault,
      ...[1, 2, 3, 5].map((index) => memberOf(index, { name: `n${index}` })),
    ])
    expect((await run('committee', ['apply', replaced])).exitCode).toBe(0)
    expect((await run('committee', ['status', replaced], null)).exitCode).toBe(0)
  }))

test('behavior: the agents of the members are compared', () =>
  withChain(async ({ run, writeMembers, memberOf, account, chainName, keyHashes }) => {
    const termsOf = (index: number, changed: object = {}) => ({
      ...agreedTerms,
      member: keyHashes[index] ?? '',
      account,
      chain_name: chainName,
      ...changed,
    })
    await using north = startAgent(termsOf(0))
    await using east = startAgent(termsOf(1, { look_back: 3 }))
    await using other = startAgent(termsOf(3))
    const file = writeMembers(3, [
      memberOf(0, { address: north.address }),
      memberOf(1, { address: east.address }),
      memberOf(2, { address: other.address }),
      memberOf(3, { address: `http://127.0.0.1:${await freePort()}` }),
    ])
    const status = await run('committee', ['status', file, '--json'], null)
    expect(status.exitCode).toBe(2)
    const report = JSON.parse(status.stdout)
    expect(report.agents).toMatchObject([
      { name: 'north', address: north.address, terms: { look_back: 0 }, error: null },
      { name: 'east', terms: { look_back: 3 } },
      { name: 'south', terms: null },
      { name: 'west', terms: null, round_trip_ms: null, clock_ahead_ms: null },
    ])
    expect(report.different_terms).toEqual([
      {
        term: 'LOOK_BACK',
        values: [
          { value: '0', names: ['north'] },
          { value: '3', names: ['east'] },
        ],
      },
    ])
    expect(report.faults).toEqual([
      `member south answers as another member, ${keyHashes[3]}`,
      'member west refuses or closes the connection',
    ])
    const { stdout } = await run('committee', ['status', file], null)
    expect(stdout).toContain('the agents differ in LOOK_BACK: 0 of north; 3 of east\n')
    const same = writeMembers(1, [memberOf(0, { address: north.address })])
    const agreed = await run('committee', ['status', same], null)
    expect([agreed.exitCode, agreed.stderr]).toEqual([0, ''])
  }))

test('error: a faulty members file, an unknown account and a missing account', () =>
  withChain(async ({ run, writeMembers, memberOf }) => {
    const faulty = await run('committee', ['plan', writeMembers(2, [memberOf(0, { weight: 0 })])], null)
    expect([faulty.exitCode, faulty.stderr]).toEqual([1, expect.stringContaining('members.0.weight is 0')])
    const missing = await run('committee', ['status', '--json', 'none.json'], null)
    expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'members_file' } })
  }))
