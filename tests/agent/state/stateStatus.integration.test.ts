import { describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import type { StateFile } from '@wattfeed/base/disk'
import type { Settled } from '@wattfeed/casper/transaction'
import { createFolder } from '@wattfeed/testing/folder'
import { createGivenApprovals } from '../../../src/agent/committee/givenApprovals.ts'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'
import { recordSettledBlock } from '../../../src/agent/state/settledBlocks.ts'
import { formatStateStatus, readStateStatus } from '../../../src/agent/state/stateStatus.ts'
import { wattfeed } from '../../support/binary.ts'
import { attestationOf } from '../run/fakes.ts'

const destination = { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }
const place = { chain_name: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }
const UNTIL = 1_800_000_000_000

/** A transaction that attests to a feed. */
const pendingOf = (digit: string, feedId: string) => ({
  chain_name: destination.chainName,
  purpose: createAttestPurpose([{ ...attestationOf(), feed_id: feedId }]),
  transaction_hash: digit.repeat(64),
  expires_at: UNTIL,
  payment_motes: '2500000000',
  transaction: { Version1: { hash: digit.repeat(64) } },
})

/** A folder whose agent sends one transaction, has approved another one and works on a third feed. */
function createBusyFolder() {
  const folder = createFolder()
  const file = openState(folder.path, { purpose: 'agent' })
  const state = stateOf(file, destination)
  const store = createAttestationStore(state)
  const claim = store.claim(['EIA.A'])
  store.reserve(claim, 2_500_000_000n, { motes: 9_000_000_000n, height: 1, time: 1 })
  store.write(claim, pendingOf('a', 'EIA.A'))
  void createGivenApprovals(state).claim(pendingOf('b', 'EIA.B'), { height: 1, time: 1 })
  const held = store.hold('EIA.C')
  file.write(() => recordSettledBlock(state, ['EIA.D'], { height: 7, expiresAt: 9 }))
  return {
    path: folder.path,
    [Symbol.dispose]() {
      held[Symbol.dispose]()
      file[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

const modules = ['stateStatus', 'openState', 'attestationStore'].map(
  (name) => new URL(`../../../src/agent/state/${name}.ts`, import.meta.url).pathname,
)

/** Holds a feed until it is killed. */
const holdingProgram = (folder: string): string => `
  const [, { openState, stateOf }, { createAttestationStore }] =
    await Promise.all(${JSON.stringify(modules)}.map((module) => import(module)))
  const file = openState(${JSON.stringify(folder)}, { purpose: 'backfill' })
  createAttestationStore(stateOf(file, ${JSON.stringify(destination)})).hold('A')
  Bun.gc(true)
  console.log('held')
  await Bun.stdin.text()`

/** Prints the status or what else the work returns, or the error, as a user who is not root and not the agent's. */
async function asAnother(
  folder: string,
  work = `formatStateStatus(readStateStatus(${JSON.stringify(folder)}))`,
): Promise<string> {
  const program = `
    const [{ formatStateStatus, readStateStatus }, { openState }] =
      await Promise.all(${JSON.stringify(modules)}.map((module) => import(module)))
    if (process.getuid() === 0) process.setuid(65534)
    try { console.log(${work}) }
    catch (error) { console.log(error.message) }`
  const child = Bun.spawn([process.execPath, '--eval', program], { stdout: 'pipe' })
  return new Response(child.stdout).text()
}

const agent = { id: process.pid, host: hostname(), purpose: 'agent' }

describe('agent status', () => {
  test('default: --json, in another process while the agent runs', async () => {
    using folder = createBusyFolder()
    const child = Bun.spawn([...wattfeed('agent'), 'status', '--json'], {
      env: { PATH: process.env.PATH ?? '', AGENT_STATE_DIR: folder.path },
      stdout: 'pipe',
    })
    expect(await new Response(child.stdout).json()).toEqual({
      path: `${folder.path}/wattfeed.db`,
      pending: [
        {
          transaction_hash: 'a'.repeat(64),
          role: 'send',
          kind: 'attest',
          ...place,
          feed_ids: ['EIA.A'],
          payment_motes: '2500000000',
          expires_at: new Date(UNTIL).toISOString(),
          followed_by: agent,
        },
        expect.objectContaining({ transaction_hash: 'b'.repeat(64), role: 'approval', feed_ids: ['EIA.B'] }),
      ],
      held: [
        { ...place, feed_id: 'EIA.A', held_by: agent },
        { ...place, feed_id: 'EIA.C', held_by: agent },
      ],
      reserved: [
        {
          chain_name: 'casper-net-1',
          account: 'account-hash-01',
          payment_motes: '2500000000',
          transactions: 1,
        },
      ],
      settled: [{ ...place, feed_id: 'EIA.D', block_height: 7 }],
      announced: [],
      differences: [],
    })
    expect(await child.exited).toBe(0)
  })

  test('default: for people, tables; after the agent has ended, the next run resumes its transaction', () => {
    const folder = createBusyFolder()
    using _ = folder
    const text = formatStateStatus(readStateStatus(folder.path))
    expect(text).toContain(`${'a'.repeat(64)}  attest                    EIA.A  2027-01-15T08:00:00.000Z`)
    expect(text).toContain('approved for a committee')
    expect(text).toContain('Feeds that a process works on:\nfeed   process\nEIA.A  ')
  })

  test('behavior: without anything, each part says so, and a process that has ended holds nothing', () => {
    using folder = createFolder()
    {
      using file = openState(folder.path, { purpose: 'agent' })
      const store = createAttestationStore(stateOf(file, destination))
      const claim = store.claim(['EIA.A'])
      store.write(claim, pendingOf('a', 'EIA.A'))
    }
    const status = readStateStatus(folder.path)
    expect([status.held, status.pending[0]?.followed_by]).toEqual([[], null])
    expect(formatStateStatus(status)).toContain('nobody; the next run resumes it')
    expect(formatStateStatus(status)).toContain('Feeds that a process works on: none')
  })

  test('behavior: what a process reserved that ended before it signed is void, and the next payment removes it', () => {
    using folder = createFolder()
    const reserve = (file: StateFile): void => {
      const store = createAttestationStore(stateOf(file, destination))
      store.reserve(store.claim(['EIA.A']), 5n, { motes: 9n, height: 1, time: 1 })
    }
    {
      using killed = openState(folder.path, { purpose: 'attest' })
      reserve(killed)
    }
    using file = openState(folder.path, { purpose: 'agent' })
    expect(readStateStatus(folder.path).reserved).toEqual([])
    reserve(file)
    expect(readStateStatus(folder.path).reserved).toMatchObject([{ payment_motes: '5', transactions: 1 }])
    expect(file.database.query('SELECT count(*) AS n FROM reservation').get()).toEqual({ n: 1 })
  })

  test('default: the text has each part, with sums of an account', () => {
    using folder = createBusyFolder()
    const text = formatStateStatus(readStateStatus(folder.path))
    expect(text).toContain(
      'account          chain         motes       transactions\naccount-hash-01  casper-net-1  2500000000  1',
    )
    expect(text).toContain('feed   chain         block\nEIA.D  casper-net-1  7')
    using file = openState(folder.path, { purpose: 'attest' })
    const store = createAttestationStore(stateOf(file, destination))
    const [one, two] = [store.claim(['EIA.E']), store.claim(['EIA.F'])]
    for (const claim of [one, two]) store.reserve(claim, 5n, { motes: 9_000_000_000n, height: 1, time: 1 })
    expect(readStateStatus(folder.path).reserved).toMatchObject([
      { payment_motes: '2500000010', transactions: 3 },
    ])
    // What is settled is reserved only until the next balance is read.
    store.write(one, pendingOf('e', 'EIA.E'))
    store.settle(one, pendingOf('e', 'EIA.E'), {
      outcome: 'executed',
      executed: { blockHeight: 8 },
    } as Settled)
    expect(readStateStatus(folder.path).reserved).toMatchObject([
      { payment_motes: '2500000005', transactions: 2 },
    ])
  })

  test.each([
    ['running', 0o700],
    ['running, and the user may look into its folder', 0o755],
  ])(
    'behavior: another user, who may read the file: the agent is %s, and is not called gone',
    async (_, mode) => {
      using folder = createBusyFolder()
      for (const name of ['', '/wattfeed.db', '/wattfeed.db-wal', '/wattfeed.db-shm'])
        chmodSync(`${folder.path}${name}`, 0o777)
      chmodSync(`${folder.path}/owners`, mode)
      const text = await asAnother(folder.path)
      expect(text).toContain('a process that this user may not see, and that may have ended')
      expect(text).not.toContain('nobody')
    },
  )

  test('error: another user, who may not read the file', async () => {
    using folder = createBusyFolder()
    chmodSync(folder.path, 0o755)
    expect(await asAnother(folder.path)).toBe(
      `${folder.path}/wattfeed.db cannot be read (EACCES): let this user read it\n`,
    )
  })

  test('error: another user, who may not see the folder: neither the status nor a dry run calls it empty', async () => {
    using folder = createBusyFolder()
    chmodSync(folder.path, 0o600)
    const dryRun = `openState(${JSON.stringify(folder.path)}, { purpose: 'test', isDryRun: true }).path`
    const unseen = `${folder.path}/wattfeed.db cannot be read (EACCES): run this as the agent's user, or let this user read the folder\n`
    expect([await asAnother(folder.path), await asAnother(folder.path, dryRun)]).toEqual([unseen, unseen])
    chmodSync(folder.path, 0o700)
  })

  test('behavior: it changes nothing, also of a process that was killed', async () => {
    using folder = createFolder()
    openState(folder.path, { purpose: 'agent' })[Symbol.dispose]()
    const program = holdingProgram(folder.path)
    const child = Bun.spawn([process.execPath, '--eval', program], { stdin: 'pipe', stdout: 'pipe' })
    await child.stdout.getReader().read()
    child.kill('SIGKILL')
    await child.exited
    const before = readdirSync(folder.path, { recursive: true }).sort()
    expect(before.filter((name) => name.includes('owners/'))).toHaveLength(2)
    expect(readStateStatus(folder.path).held).toEqual([])
    expect(readdirSync(folder.path, { recursive: true }).sort()).toEqual(before)
  })

  test('error: a folder without state', async () => {
    using folder = createFolder()
    const child = Bun.spawn([...wattfeed('agent'), 'status'], {
      env: { PATH: process.env.PATH ?? '', AGENT_STATE_DIR: folder.path },
      stderr: 'pipe',
    })
    expect(await new Response(child.stderr).text()).toBe(
      `agent: ${folder.path}/wattfeed.db does not exist; set AGENT_STATE_DIR to the folder of an agent that has run\n`,
    )
    expect(await child.exited).toBe(1)
  })
})
