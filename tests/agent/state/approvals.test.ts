import { describe, expect, test } from 'bun:test'
import { createGivenApprovals, type GivenApprovals } from '../../../src/agent/committee/approvals.ts'
import { openFeedEnds } from '../../../src/agent/committee/feedEnds.ts'
import { createFeedLocks, FeedPendingError } from '../../../src/agent/send/feedLocks.ts'
import {
  createApprovalStore,
  createAttestationStore,
  createAttestPurpose,
  type PendingAttestations,
} from '../../../src/agent/send/pendingAttestations.ts'
import { openSettledBlocks } from '../../../src/agent/send/settledBlocks.ts'
import { createFolder } from '../../support/folder.ts'

const UNTIL = 1_800_000_000_000

function open(stateDir: string): GivenApprovals {
  const destination = { chainName: 'casper-net-1', attestationRegistryPackageHash: 'cd'.repeat(32) }
  const store = createAttestationStore(stateDir, destination)
  return createGivenApprovals({
    store,
    listLive: () => store.list(),
    ends: openFeedEnds(`${stateDir}/ends`),
    settledBlocks: settledBlocksOf(stateDir),
    locks: createFeedLocks(stateDir, 'agent'),
  })
}

const settledBlocksOf = (stateDir: string) => openSettledBlocks(`${stateDir}/newest.json`, { warn: () => {} })

function transactionOf(name: string, ...feedIds: string[]): PendingAttestations {
  const hash = new Bun.CryptoHasher('sha256').update(name).digest('hex')
  const values = feedIds.map((feed_id) => ({ feed_id, period: 1, amount: 2n, source_hash: 'ff' }))
  return {
    version: 1,
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

describe('createGivenApprovals', () => {
  test('default: a recorded approval excludes others of its feeds, in the next run too', async () => {
    using folder = createFolder()
    expect(await open(folder.path).claim(a, block(1))).toBeNull()
    const next = open(folder.path)
    const { transaction_hash } = a
    const conflict = {
      code: 'conflicting_approval',
      feed_id: 'EIA.B',
      transaction_hash,
      until: UNTIL,
    } as const
    expect(await next.claim(b, block(1))).toEqual(conflict)
    expect(await next.findConflict(b)).toEqual(conflict)
    expect(await next.list()).toEqual([a])
  })

  test('behavior: a pending transaction that this key has signed alone excludes approvals of its feeds', async () => {
    using folder = createFolder()
    const destination = { chainName: 'casper-net-1', attestationRegistryPackageHash: 'cd'.repeat(32) }
    const signedAlone = createAttestationStore(folder.path, destination)
    await signedAlone.write(a)
    const store = createApprovalStore(folder.path, destination)
    const approvals = createGivenApprovals({
      store,
      listLive: async () => [...(await store.list()), ...(await signedAlone.list())],
      ends: openFeedEnds(`${folder.path}/ends`),
      settledBlocks: settledBlocksOf(folder.path),
      locks: createFeedLocks(folder.path, 'agent'),
    })
    expect(await approvals.claim(b, block(1))).toMatchObject({
      code: 'conflicting_approval',
      feed_id: 'EIA.B',
      transaction_hash: a.transaction_hash,
    })
    expect(await approvals.list()).toEqual([])
    await signedAlone.remove(a)
    expect(await approvals.claim(b, block(1))).toBeNull()
  })

  test('behavior: a transaction that settles during a check needs a block that is not before its own', async () => {
    using folder = createFolder()
    const destination = { chainName: 'casper-net-1', attestationRegistryPackageHash: 'cd'.repeat(32) }
    const signedAlone = createAttestationStore(folder.path, destination)
    await signedAlone.write(a)
    const store = createApprovalStore(folder.path, destination)
    const settledBlocks = settledBlocksOf(folder.path)
    let isSettling = true
    const approvals = createGivenApprovals({
      store,
      async listLive() {
        // As the durable sender does: it records the block, and then removes the transaction.
        if (isSettling) await settledBlocks.record(['EIA.A', 'EIA.B'], { height: 5, before: UNTIL })
        if (isSettling) await signedAlone.remove(a)
        isSettling = false
        return [...(await store.list()), ...(await signedAlone.list())]
      },
      ends: openFeedEnds(`${folder.path}/ends`),
      settledBlocks: settledBlocksOf(folder.path),
      locks: createFeedLocks(folder.path, 'agent'),
    })
    expect(await approvals.claim(b, block(4))).toMatchObject({ code: 'stale_node' })
    expect(await store.list()).toEqual([])
    expect(await approvals.claim(b, block(5))).toBeNull()
  })

  test('behavior: of two claims at the same time, one is refused', async () => {
    using folder = createFolder()
    const approvals = open(folder.path)
    const answers = await Promise.all([approvals.claim(a, block(1)), approvals.claim(b, block(1))])
    expect(answers.map((answer) => answer?.code ?? null)).toEqual([null, 'conflicting_approval'])
  })

  test('behavior: the same transaction can be claimed again', async () => {
    using folder = createFolder()
    const approvals = open(folder.path)
    expect([await approvals.claim(a, block(1)), await approvals.claim(a, block(1))]).toEqual([null, null])
  })

  test('behavior: after the end, claims need a block that is not before it, in the next run too', async () => {
    using folder = createFolder()
    const approvals = open(folder.path)
    await approvals.claim(a, block(1))
    const end = { height: 5, before: UNTIL, slot: 7 }
    await approvals.release(a, end)
    const next = open(folder.path)
    expect([await next.list(), await next.lastEnd('EIA.B'), await next.lastEnd('EIA.C')]).toEqual([
      [],
      end,
      null,
    ])
    expect((await next.claim(b, block(4)))?.code).toBe('stale_node')
    expect(await next.claim(b, block(5))).toBeNull()
  })

  test('behavior: a feed that another process holds is a conflict', async () => {
    using folder = createFolder()
    const store = createAttestationStore(folder.path, { chainName: 'c', attestationRegistryPackageHash: 'p' })
    const hold = (feedId: string): Disposable => {
      if (feedId === 'EIA.B') throw new FeedPendingError(feedId, {})
      return { [Symbol.dispose]() {} }
    }
    const approvals = createGivenApprovals({
      store,
      listLive: () => store.list(),
      ends: openFeedEnds(folder.path),
      settledBlocks: settledBlocksOf(folder.path),
      locks: { hold },
    })
    const conflict = {
      code: 'conflicting_approval',
      feed_id: 'EIA.B',
      transaction_hash: null,
      until: null,
    } as const
    expect(await approvals.claim(a, block(1))).toEqual(conflict)
    expect(await store.list()).toEqual([])
  })

  test('error: a broken end names its file and what to do', async () => {
    using folder = createFolder()
    const approvals = open(folder.path)
    await approvals.release(a, { height: 5, before: UNTIL, slot: 7 })
    const name = `ends/${new Bun.CryptoHasher('sha256').update('EIA.A').digest('hex')}.json`
    folder.write(name, '{"height":')
    await expect(approvals.lastEnd('EIA.A')).rejects.toThrow(
      'it is not JSON; stop the agent, remove the file',
    )
  })
})
