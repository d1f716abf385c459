import { expect, test } from 'bun:test'
import { readBlockPlace } from '@wattfeed/casper/light-client'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createMember } from '../../../src/agent/committee/member.ts'
import { createMemberChain } from '../../../src/agent/committee/memberChain.ts'
import { shareFetches } from '../../../src/agent/committee/shareFetches.ts'
import type { View } from '../../../src/agent/look/view.ts'
import { createCommitteeChain } from '../../operator/committee/committeeChain.ts'
import { createFakeChain, createFakeEia, feedOf, observeSettings, owner, rowOf } from '../run/fakes.ts'
import { noDatasets } from './noDatasets.ts'
import { noSides } from './noSides.ts'
import { createModelNotary } from './simulation/notary.ts'

/** A wait that lasts until it is aborted. */
const untilAborted = (_ms: number, signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('behavior: the members whose keys the account had at the last block before a slot take turns in it', async () => {
  const chain = await createCommitteeChain()
  const keys = chain.members.map(({ accountHash }) => accountHash)
  const [own, second, third, stranger] = keys
  if (own === undefined || second === undefined || third === undefined || stranger === undefined)
    throw new Error('the chain has accounts')
  const { openView } = createFakeChain([])
  const never = new AbortController().signal
  const blocksRead: unknown[] = []
  const answer: AnswerRpc = (method, params) => {
    if (method === 'chain_get_block') blocksRead.push(params)
    return chain.devnet.call(method, params)
  }
  const memberChain = createMemberChain({
    rpc: rpcOf(answer, { chainName: chain.devnet.chainName }),
    accountHash: own,
    members: [stranger, third, second, own],
    async openView(): Promise<View> {
      const { height, timestamp: time, stateRootHash } = await readBlockPlace(chain.rpc, null)
      return { ...(await openView()), block: { height, time, stateRootHash } }
    },
    feeds: () => [],
    settings: observeSettings({
      eia: createFakeEia(() => []).eia,
      now: Date.now,
      stop: never,
      chainName: chain.devnet.chainName,
      accountHash: own,
    }),
    paymentMotes: null,
    wait: untilAborted,
    ...noDatasets,
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
  expect(memberChain.newestView()).toEqual(view)
  expect(await memberChain.listLeaders(before + 1)).toEqual([second, own])
  expect(await memberChain.listLeaders(view.block.time)).toEqual([third, second, own])
  // Another node's newest block may be older than the view's.
  expect(blocksRead).not.toContainEqual({})
  expect(blocksRead).not.toEqual([])
  expect(await memberChain.plan(feedOf('A').feed_id, view)).toMatchObject({
    error: { code: 'feed_not_registered' },
  })
})

test('behavior: any number of announcements at one block cause one read of it, and one of each feed', async () => {
  const committee = await createCommitteeChain()
  const [own = ''] = committee.members.map(({ accountHash }) => accountHash)
  const feed = feedOf('A')
  const { openView } = createFakeChain([feed])
  const never = new AbortController().signal
  const { height, timestamp: time, stateRootHash } = await readBlockPlace(committee.rpc, null)
  const asked: string[] = []
  const chain = createMemberChain({
    rpc: committee.rpc,
    accountHash: own,
    members: [own],
    async openView(): Promise<View> {
      asked.push('block')
      const view = await openView()
      const { getFeed, getValue, getClaimant } = view.at
      const noting =
        <T>(name: string, read: (feedId: string) => Promise<T>) =>
        (feedId: string) => {
          asked.push(`${name} ${feedId}`)
          return read(feedId)
        }
      const at = {
        ...view.at,
        getFeed: noting('feed', getFeed),
        getValue: noting('value', getValue),
        getClaimant: noting('claimant', getClaimant),
      }
      return { ...view, at, block: { height, time, stateRootHash } }
    },
    feeds: () => [feed],
    settings: observeSettings({
      eia: createFakeEia(() => [rowOf()]).eia,
      now: Date.now,
      stop: never,
      chainName: committee.devnet.chainName,
      accountHash: own,
    }),
    paymentMotes: null,
    wait: untilAborted,
    ...noDatasets,
    onValues: () => {},
  })
  const member = createMember({
    chain,
    notary: createModelNotary(own),
    peers: { members: [], send: async () => null, announce: () => {}, ...noSides },
    approvals: {
      list: () => [],
      lastEnd: () => null,
      findConflict: () => null,
      claim: () => null,
      release: () => {},
    },
    equivocators: { refusedUntil: () => null, convict: () => null },
    startRule: { check: () => null },
    roots: noDatasets.roots,
    recovery: new Set(),
    group: () => [],
    deliver: () => {},
    now: Date.now,
    onEvent: () => {},
  })
  const announce = () => Promise.all(Array.from({ length: 100 }, () => member.announced(feed.feed_id)))
  await announce()
  const once = ['block', `feed ${feed.feed_id}`, `value ${feed.feed_id}`, `claimant ${feed.feed_id}`]
  expect(asked).toEqual(once)
  await announce()
  expect(asked).toEqual([...once, 'block'])
})

test('behavior: a plan does not wait for EIA any longer than five seconds, and uses the answer when it comes', async () => {
  const committee = await createCommitteeChain()
  const [own = ''] = committee.members.map(({ accountHash }) => accountHash)
  const feed = feedOf('A')
  const { openView } = createFakeChain([feed])
  const { height, timestamp: time, stateRootHash } = await readBlockPlace(committee.rpc, null)
  const answer = Promise.withResolvers<void>()
  const { eia, asked } = createFakeEia(() => [rowOf()])
  const waits: number[] = []
  const chain = createMemberChain({
    ...noDatasets,
    rpc: committee.rpc,
    accountHash: own,
    members: [own],
    openView: async (): Promise<View> => ({ ...(await openView()), block: { height, time, stateRootHash } }),
    feeds: () => [feed],
    settings: observeSettings({
      eia: shareFetches(
        {
          ...eia,
          async listNewestRows(...request) {
            const rows = eia.listNewestRows(...request)
            await answer.promise
            return rows
          },
        },
        () => 0,
      ),
      now: Date.now,
      stop: new AbortController().signal,
      chainName: committee.devnet.chainName,
      accountHash: owner,
    }),
    paymentMotes: null,
    async wait(ms, signal) {
      waits.push(ms)
      if (waits.length > 1) await untilAborted(ms, signal)
    },
    onValues: () => {},
  })
  const view = await chain.readView()
  expect(await chain.plan(feed.feed_id, view)).toMatchObject({
    error: { code: 'eia_pending', retryable: true },
  })
  expect(waits).toEqual([5_000])
  answer.resolve()
  expect((await chain.plan(feed.feed_id, view)).error).toBeNull()
  expect(asked.length).toBe(1)
})
