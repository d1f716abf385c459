import { describe, expect, test } from 'bun:test'
import type { Pending, Settled } from '@wattfeed/casper/transaction'
import { createFolder } from '@wattfeed/testing/folder'
import { createGivenApprovals, type GivenApprovals } from '../../../src/agent/committee/givenApprovals.ts'
import { endExpiredApprovals, hasApproved } from '../../../src/agent/state/approvals.ts'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { createAttestPurpose, pendingFeedIds } from '../../../src/agent/state/attestPurpose.ts'
import { type AgentState, openState, stateOf } from '../../../src/agent/state/openState.ts'
import { executedAs } from '../run/fakes.ts'

const UNTIL = 1_800_000_000_000
const destination = { chainName: 'casper-net-1', contract: 'cd'.repeat(32), account: 'account-hash-a' }
const otherDestination = { ...destination, account: 'account-hash-b' }

interface Run extends Disposable {
  readonly state: AgentState
  readonly approvals: GivenApprovals
}

/** Opens a member's approvals, as a run of its agent does. */
function open(stateDir: string, purpose = 'agent'): Run {
  const file = openState(stateDir, { purpose })
  const state = stateOf(file, destination)
  return { state, approvals: createGivenApprovals(state), [Symbol.dispose]: () => file[Symbol.dispose]() }
}

function transactionOf(name: string, ...feedIds: string[]): Pending {
  const hash = new Bun.CryptoHasher('sha256').update(name).digest('hex')
  const values = feedIds.map((feed_id) => ({ feed_id, period: 1, amount: 2n, source_hash: 'ff' }))
  return {
    chain_name: 'casper-net-1',
    purpose: createAttestPurpose(values),
    transaction_hash: hash,
    expires_at: UNTIL,
    payment_motes: '1',
    transaction: { Version1: { hash } },
  }
}

const [a, b] = [transactionOf('a', 'EIA.A', 'EIA.B'), transactionOf('b', 'EIA.B', 'EIA.C')]
const block = (height: number) => ({ height, time: UNTIL - 100_000 + height })
const executedIn = (height: number): Settled => ({
  outcome: 'executed',
  executed: executedAs(a.transaction_hash, height),
  error: null,
})

describe('createGivenApprovals', () => {
  test('default: a recorded approval excludes others of its feeds, in the next run too', async () => {
    using folder = createFolder()
    {
      using run = open(folder.path)
      expect(await run.approvals.claim(a, block(1))).toBeNull()
    }
    using next = open(folder.path)
    const conflict = {
      code: 'conflicting_approval',
      feed_id: 'EIA.B',
      transaction_hash: a.transaction_hash,
      until: UNTIL,
    } as const
    expect(await next.approvals.claim(b, block(1))).toEqual(conflict)
    expect(next.approvals.findConflict(b)).toEqual(conflict)
    expect(next.approvals.list()).toEqual([a])
  })

  test('behavior: a pending transaction that this key has signed alone excludes approvals of its feeds', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    const signedAlone = createAttestationStore(state)
    const claim = signedAlone.claim(pendingFeedIds(a))
    signedAlone.write(claim, a)
    expect(await approvals.claim(b, block(1))).toMatchObject({
      code: 'conflicting_approval',
      feed_id: 'EIA.B',
      transaction_hash: a.transaction_hash,
    })
    expect(approvals.list()).toEqual([])
    signedAlone.settle(claim, a, executedIn(1))
    expect(await approvals.claim(b, block(1))).toBeNull()
  })

  test('behavior: an approval excludes transactions of its feeds that this key signs alone', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    await run.approvals.claim(a, block(1))
    const signedAlone = createAttestationStore(run.state)
    expect(() => signedAlone.claim(['EIA.C', 'EIA.B'])).toThrow(
      `EIA.B has an attestation in flight in transaction ${a.transaction_hash}`,
    )
    signedAlone.claim(['EIA.C'])
  })

  test('behavior: a transaction that settles during a check needs a block that is not before its own', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    const signedAlone = createAttestationStore(state)
    const claim = signedAlone.claim(pendingFeedIds(a))
    signedAlone.write(claim, a)
    signedAlone.settle(claim, a, executedIn(5))
    expect(await approvals.claim(b, block(4))).toMatchObject({ code: 'stale_node' })
    expect(approvals.list()).toEqual([])
    expect(await approvals.claim(b, block(5))).toBeNull()
  })

  test('behavior: of two claims at the same time, one is refused', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals } = run
    const answers = await Promise.all([approvals.claim(a, block(1)), approvals.claim(b, block(1))])
    expect(answers.map((answer) => answer?.code ?? null)).toEqual([null, 'conflicting_approval'])
  })

  test('behavior: the same transaction can be claimed again', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals } = run
    expect([await approvals.claim(a, block(1)), await approvals.claim(a, block(1))]).toEqual([null, null])
    expect(approvals.list()).toEqual([a])
  })

  test('behavior: after the end, claims need a block that is not before it, in the next run too', async () => {
    using folder = createFolder()
    const end = { height: 5, before: UNTIL, expiresAt: UNTIL }
    {
      using run = open(folder.path)
      await run.approvals.claim(a, block(1))
      run.approvals.release(a, end)
    }
    using next = open(folder.path)
    const { approvals } = next
    expect([approvals.list(), approvals.lastEnd('EIA.B'), approvals.lastEnd('EIA.C')]).toEqual([
      [],
      end,
      null,
    ])
    expect((await approvals.claim(b, block(4)))?.code).toBe('stale_node')
    expect(await approvals.claim(b, block(5))).toBeNull()
  })

  test('behavior: an approval of another account ends for that account, whoever ends it', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    const other = createGivenApprovals(stateOf(state.file, otherDestination))
    await approvals.claim(a, block(1))
    expect(other.list()).toEqual([a])
    const end = { height: 5, before: UNTIL, expiresAt: UNTIL }
    other.release(a, end)
    expect([approvals.list(), approvals.lastEnd('EIA.A'), other.lastEnd('EIA.A')]).toEqual([[], end, null])
    expect((await approvals.claim(b, block(4)))?.code).toBe('stale_node')
    expect(await other.claim(b, block(4))).toBeNull()
  })

  test('behavior: a feed that another process holds is a conflict until it ends', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals } = run
    {
      using backfill = open(folder.path, 'backfill')
      createAttestationStore(backfill.state).hold('EIA.B')
      const conflict = {
        code: 'conflicting_approval',
        feed_id: 'EIA.B',
        transaction_hash: null,
        until: null,
      } as const
      expect(await approvals.claim(a, block(1))).toEqual(conflict)
      expect(approvals.findConflict(a)).toEqual(conflict)
      expect(approvals.list()).toEqual([])
    }
    expect(await approvals.claim(a, block(1))).toBeNull()
  })

  test('behavior: a claim that cannot be stored leaves nothing behind, and may be tried again', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    const { database } = state.file
    database.run(
      "CREATE TEMP TRIGGER full BEFORE INSERT ON pending_key WHEN new.key = 'EIA.B' BEGIN SELECT RAISE(ABORT, 'full'); END",
    )
    expect(() => approvals.claim(a, block(1))).toThrow('full')
    expect(approvals.list()).toEqual([])
    database.run('DROP TRIGGER full')
    expect(await approvals.claim(a, block(1))).toBeNull()
    expect(approvals.list()).toEqual([a])
  })

  test('error: an approval that this version cannot read names its transaction and what to do', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    await approvals.claim(a, block(1))
    state.file.database.run(`UPDATE pending SET purpose = '{}'`)
    for (const read of [() => approvals.list(), () => approvals.claim(b, block(1))])
      expect(read).toThrow(
        `has the transaction ${a.transaction_hash} in a form that this version cannot read, and it may be in flight`,
      )
  })
})

describe('endExpiredApprovals', () => {
  test('default: approvals of the feeds end at a block after their expiry, and other feeds keep theirs', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    const other = transactionOf('d', 'EIA.D')
    await approvals.claim(a, block(1))
    await approvals.claim(other, block(1))
    expect([hasApproved(state, ['EIA.B']), hasApproved(state, ['EIA.C'])]).toEqual([true, false])
    endExpiredApprovals(state, ['EIA.B'], { height: 20, time: UNTIL })
    expect(approvals.list()).toEqual([a, other])
    endExpiredApprovals(state, ['EIA.B'], { height: 21, time: UNTIL + 1 })
    expect(approvals.list()).toEqual([other])
    const end = { height: 21, before: UNTIL + 1, expiresAt: UNTIL }
    expect([approvals.lastEnd('EIA.A'), approvals.lastEnd('EIA.D')]).toEqual([end, null])
    expect(hasApproved(state, ['EIA.B'])).toBeFalse()
  })

  test('behavior: approvals of another account in the same file stay', async () => {
    using folder = createFolder()
    using run = open(folder.path)
    const { approvals, state } = run
    const other = stateOf(state.file, otherDestination)
    await approvals.claim(a, block(1))
    expect(hasApproved(other, ['EIA.A', 'EIA.B'])).toBeFalse()
    endExpiredApprovals(other, ['EIA.A', 'EIA.B'], { height: 21, time: UNTIL + 1 })
    expect(approvals.list()).toEqual([a])
  })
})
