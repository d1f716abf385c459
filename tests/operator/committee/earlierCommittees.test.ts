import { describe, expect, test } from 'bun:test'
import { readBlockPlace } from '@wattfeed/casper/light-client'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { listEarlierCommittees } from '../../../src/operator/committee/earlierCommittees.ts'
import { createCommitteeChain } from './committeeChain.ts'

const BLOCK_MS = 8_000

/** A chain with blocks before and after a change of the account's keys. */
async function createChangedChain(blocksBefore: number, blocksAfter: number, retainedRoots?: number) {
  const chain = await createCommitteeChain({}, retainedRoots)
  for (let count = 0; count < blocksBefore; count += 1) chain.wait(BLOCK_MS)
  const before = await chain.read()
  const outcome = await chain.change(chain.committee(2, { 0: 1, 1: 1 }))
  const height = outcome.state === 'executed' ? outcome.executed.blockHeight : 0
  const { timestamp: changedAt } = await readBlockPlace(chain.rpc, height)
  for (let count = 0; count < blocksAfter; count += 1) chain.wait(BLOCK_MS)
  let calls = 0
  const rpc = rpcOf(
    (method, params) => {
      calls += 1
      return chain.devnet.call(method, params)
    },
    { chainName: chain.devnet.chainName },
  )
  const newest = await readBlockPlace(rpc, null)
  const accountHash = chain.members[0]?.accountHash ?? ''
  return {
    before,
    changedAt,
    newest,
    countCalls: () => calls,
    readAt: (time: number) => listEarlierCommittees(rpc, accountHash, { newest, time }),
  }
}

describe('listEarlierCommittees', () => {
  test('default: the keys before the change, and the time of its block', async () => {
    const { before, changedAt, readAt, countCalls } = await createChangedChain(20, 60)
    expect(await readAt(changedAt - 1)).toEqual([{ committee: before, replacedAt: changedAt }])
    // Two calls for each block since the change, and a few to find the first of them.
    expect(countCalls()).toBeLessThan(2 * 61 + 20)
    expect(await readAt(changedAt - 10 * BLOCK_MS)).toEqual([{ committee: before, replacedAt: changedAt }])
  })

  test('behavior: keys that came and went are listed, too', async () => {
    const chain = await createCommitteeChain()
    const { timestamp: time } = await readBlockPlace(chain.rpc, null)
    const one = await chain.read()
    const both = chain.committee(2, { 0: 1, 1: 1 })
    await chain.change(both)
    expect(await chain.changeTogether(one, [0, 1])).toBeNull()
    const newest = await readBlockPlace(chain.rpc, null)
    const accountHash = chain.members[0]?.accountHash ?? ''
    const found = await listEarlierCommittees(chain.rpc, accountHash, { newest, time })
    expect(found.map(({ committee }) => committee.weights.size)).toEqual([1, 2])
    expect(found[1]?.replacedAt).toBe(newest.timestamp)
  })

  test('behavior: keys that did not change since then', async () => {
    const { changedAt, newest, readAt } = await createChangedChain(2, 5)
    expect(await readAt(changedAt)).toEqual([])
    expect(await readAt(newest.timestamp)).toEqual([])
    expect(await readAt(newest.timestamp + 1)).toEqual([])
  })

  test('error: nodes that do not keep the state of these blocks: at once, with what to do', async () => {
    const { changedAt, readAt, countCalls } = await createChangedChain(2, 20, 1)
    const error = await errorOf(readAt(changedAt - 1))
    expect(error).toMatchObject({ code: 'all_nodes_failed', retryable: false })
    expect(error.message).toContain('no longer keeps the state of account-hash-')
    // Blocks and states that are read at once; none is read again.
    expect(countCalls()).toBeLessThan(2 * 21 + 20)
  })

  test('behavior: a time before the first block is that block', async () => {
    const { before, changedAt, readAt } = await createChangedChain(1, 1)
    expect(await readAt(0)).toEqual([{ committee: before, replacedAt: changedAt }])
  })
})
