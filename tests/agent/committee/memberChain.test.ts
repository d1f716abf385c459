import { expect, test } from 'bun:test'
import { createMemberChain } from '../../../src/agent/committee/memberChain.ts'
import { createLastPrints } from '../../../src/agent/look/lastPrints.ts'
import type { View } from '../../../src/agent/look/view.ts'
import { readBlockPlace } from '../../../src/casper/lightClient/blockPlace.ts'
import { createCommitteeChain } from '../../operator/committee/committeeChain.ts'
import { createFakeChain, createFakeEia, feedOf } from '../run/fakes.ts'

test('behavior: the members whose keys the account had at the last block before a slot take turns in it', async () => {
  const chain = await createCommitteeChain()
  const keys = chain.members.map(({ accountHash }) => accountHash)
  const [own, second, third, stranger] = keys
  if (own === undefined || second === undefined || third === undefined || stranger === undefined)
    throw new Error('the chain has accounts')
  const { openView } = createFakeChain([])
  const never = new AbortController().signal
  const memberChain = createMemberChain({
    rpc: chain.rpc,
    accountHash: own,
    members: [stranger, third, second, own],
    async openView(): Promise<View> {
      const { height, timestamp: time, stateRootHash } = await readBlockPlace(chain.rpc, null)
      return { ...(await openView()), block: { height, time, stateRootHash } }
    },
    feeds: () => [],
    look: {
      eia: createFakeEia(() => []).eia,
      now: Date.now,
      warnOnce: () => {},
      stop: never,
      chainName: chain.devnet.chainName,
      accountHash: own,
      catchUp: 0,
      lookBack: 0,
      lastPrints: createLastPrints(),
      offersMany: true,
      paymentMotes: null,
    },
    onValues: () => {},
  })
  await chain.change(chain.committee(2, { 0: 1, 1: 1 }))
  chain.wait(60_000)
  const { timestamp: before } = await readBlockPlace(chain.rpc, null)
  chain.wait(400_000)
  expect(await chain.changeTogether(chain.committee(2, { 1: 1, 2: 1, 0: 1 }), [0, 1])).toBeNull()
  chain.wait(1_000)
  const view = await memberChain.readView()
  expect([...view.keys.weights.keys()].toSorted()).toEqual([own, second, third].toSorted())
  expect(view.keys.threshold).toBe(2)
  expect(memberChain.newestBlock()).toEqual(view.block)
  expect(await memberChain.listLeaders(before + 1)).toEqual([second, own])
  expect(await memberChain.listLeaders(view.block.time)).toEqual([third, second, own])
  expect(await memberChain.plan(feedOf('A').feed_id, view)).toMatchObject({
    error: { code: 'feed_not_registered' },
  })
})
