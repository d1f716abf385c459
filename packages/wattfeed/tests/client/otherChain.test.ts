import { describe, expect, test } from 'bun:test'
import { elapse, stopClock } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { AdvanceEvent } from 'wattfeed'
import { LaggingNodeError } from '../../src/client/errors.ts'
import { callsOf, localClient } from '../support/localClient.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId

/** The same registries, URefs and feeds on a chain that starts now. */
function restartedChain(feeds: number): Promise<RegistryChain> {
  return createRegistryChain({ feeds, startMs: Date.now() })
}

/** A client that knows every feed of a chain, some of them attested more than once. */
async function followed({ feeds = 4, attested = 3 } = {}) {
  const chain = await createRegistryChain({ feeds })
  for (let index = 0; index < attested; index++) chain.attest(id(index), { amount: 700n + BigInt(index) })
  await chain.advance()
  const events: AdvanceEvent[] = []
  const local = localClient(chain, { observe: { advance: (event) => events.push(event) } })
  await local.client.listReadings()
  return { chain, events, ...local }
}

describe('a chain that was restarted with the same registries', () => {
  test('default: no value of the other chain is returned', async () => {
    const { client, answerWith } = await followed()
    const next = await restartedChain(4)
    for (let index = 0; index < 4; index++) next.attest(id(index), { amount: 900n + BigInt(index) })
    await next.advance()
    answerWith(next.answer)
    expect([...(await client.listReadings())]).toEqual(next.readings())
    expect(await client.getReading(id(3))).toEqual(next.readings()[3] as never)
  })

  test('behavior: even if its log is as long, and where it was last advanced along the log', async () => {
    const { chain, client, answerWith } = await followed()
    chain.attest(id(3), { amount: 5n })
    await chain.advance()
    await client.listReadings()
    const next = await restartedChain(4)
    for (const index of [0, 1, 2, 3]) next.attest(id(index), { amount: 31n })
    await next.advance()
    answerWith(next.answer)
    expect([...(await client.listReadings())]).toEqual(next.readings())
  })

  // Its newest block is later than the known data: a lagging node does not have such a block and a shorter log.
  test('behavior: also while its log is shorter', async () => {
    const { client, answerWith } = await followed()
    const next = await restartedChain(2)
    answerWith(next.answer)
    expect([...(await client.listReadings())]).toEqual(next.readings())
    expect(await client.getReading(id(3))).toBeNull()
  })

  test('behavior: even if nothing was attested yet: then the newest registration tells', async () => {
    const chain = await createRegistryChain()
    for (const feedId of ['A', 'B']) chain.register(feedId)
    await chain.advance()
    const { client, answerWith } = localClient(chain)
    expect(await client.listFeedIds()).toEqual(['A', 'B'])
    const next = await restartedChain(0)
    for (const feedId of ['C', 'D', 'E']) next.register(feedId)
    await next.advance()
    answerWith(next.answer)
    expect(await client.listFeedIds()).toEqual(['C', 'D', 'E'])
  })

  test('behavior: the first read that finds it may be of a single feed', async () => {
    const { client, answerWith, events } = await followed()
    const next = await restartedChain(4)
    next.attest(id(3), { amount: 31n })
    for (const index of [0, 1]) next.attest(id(index), { amount: 41n })
    await next.advance()
    answerWith(next.answer)
    expect(await client.getReading(id(3))).toEqual(next.readings()[3] as never)
    expect([...(await client.listReadings())]).toEqual(next.readings())
    expect(events.map(({ changes }) => changes)).toEqual([null, null])
  })

  // The cached data does not include the feed of its newest event.
  test('behavior: even if its newest known event is of a feed that was not known', async () => {
    const { client, answerWith } = await followed({ feeds: 2, attested: 1 })
    const next = await restartedChain(2)
    next.register('NEW')
    next.attest('NEW', { amount: 5n })
    next.attest(id(0), { amount: 6n })
    await next.advance()
    answerWith(next.answer)
    expect([...(await client.listReadings())]).toEqual(next.readings())
  })

  test('behavior: its registries are looked up again', async () => {
    const { client, answerWith, calls } = await followed()
    const next = await restartedChain(4)
    answerWith(next.answer)
    calls.reset()
    await client.listReadings()
    // Five reads of both lengths until the chain counts as replaced; then packages, contracts and lengths.
    expect(calls.byMethod().query_global_state).toBeGreaterThanOrEqual(5 * 2 + 6)
  })

  test('behavior: a feed of only the other chain is dropped', async () => {
    const { client, answerWith } = await followed()
    const next = await restartedChain(3)
    for (let round = 0; round < 5; round++) next.attest(id(0), { amount: BigInt(round) })
    await next.advance()
    answerWith(next.answer)
    expect(await client.getReading(id(3))).toBeNull()
    expect(await client.listFeedIds()).toEqual([id(0), id(1), id(2)])
  })
})

describe('a log that was longer before', () => {
  /** A client that saw an event, and then a node of another chain that never had it. */
  async function shownMore(other: RegistryChain) {
    const chain = await createRegistryChain({ feeds: 2 })
    chain.attest(id(0), { amount: 666n })
    await chain.advance()
    const local = localClient(chain)
    await local.client.listReadings()
    local.answerWith(other.answer)
    return local
  }

  test('default: was of another chain where the node has a later block', async () => {
    const other = await createRegistryChain({ feeds: 2 })
    for (let block = 0; block < 2; block++) await other.advance()
    const { client } = await shownMore(other)
    expect([...(await client.listReadings())]).toEqual(other.readings())
  })

  test.each([
    ['before it', undefined],
    ['far in the future', Date.now() + 3_600_000],
  ])('error: is believed if the newest block is %s', async (_, startMs) => {
    using _clock = stopClock()
    const other = await createRegistryChain({ feeds: 2, ...(startMs === undefined ? {} : { startMs }) })
    const { client } = await shownMore(other)
    const error = errorOf(client.listReadings())
    await elapse(9_000)
    expect(await error).toBeInstanceOf(LaggingNodeError)
  })
})

describe('the same chain', () => {
  // An absent event proves nothing: a lagging node does not have the newest event either.
  test('error: a shorter log that ends earlier means a lagging node, and the cache stays', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const behind = chain.answerAsOf(chain.stateRootHash())
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    const { client, answerWith, calls } = localClient(chain)
    await client.listReadings()
    answerWith(behind)
    const error = errorOf(client.listReadings())
    await elapse(9_000)
    expect(await error).toBeInstanceOf(LaggingNodeError)
    answerWith(chain.answer)
    await chain.advance()
    expect(await callsOf(calls, () => client.listReadings())).toBeLessThan(1 + 4 + 2 + 1 + 1)
  })

  test('error: an event that the log counts and does not hold is the node’s fault', async () => {
    const { chain, client, answerWith } = await followed()
    await chain.advance()
    let asked = 0
    answerWith((method, params) => {
      const item = Object(params).dictionary_identifier?.URef?.dictionary_item_key
      if (item !== '6') return chain.answer(method, params)
      asked += 1
      return asked > 3
        ? chain.answer(method, params)
        : { error: { code: -32003, message: 'Query failed', data: 'ValueNotFound' } }
    })
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    expect(asked).toBe(4)
  })
})
