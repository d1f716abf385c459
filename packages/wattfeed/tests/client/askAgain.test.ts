import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { absent, localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import type { AdvanceEvent } from '../../src/client/clientOptions.ts'
import { callsOf, localClient } from '../support/localClient.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId

/** A client's calls for the newest value of each feed. */
async function itemsOf(chain: RegistryChain): Promise<Set<string>> {
  const items = new Set<string>()
  const { client } = localClient({
    ...chain,
    answer(method, params) {
      if (method === 'state_get_dictionary_item') items.add(JSON.stringify(keyOf(params)))
      return chain.answer(method, params)
    },
  })
  for (const feedId of chain.readings().map(({ feed_id }) => feed_id)) await client.getValue(feedId)
  return items
}

const keyOf = (params: unknown): unknown => memberAt(params, 'dictionary_identifier')

/** A node that hides some items while it lies. */
function hiding(chain: RegistryChain, items: ReadonlySet<string>) {
  const node = { lies: true }
  const answer: AnswerRpc = (method, params) =>
    node.lies && items.has(JSON.stringify(keyOf(params))) ? absent : chain.answer(method, params)
  return { node, answer }
}

/** A node that hides the feed registry's count while it lies. */
function countless(chain: RegistryChain) {
  const node = { lies: true }
  const counts = new Set<string>()
  const answer: AnswerRpc = async (method, params) => {
    const answered = await chain.answer(method, params)
    const isCount =
      method === 'state_get_dictionary_item' &&
      JSON.stringify(answered).includes(`"bytes":"080000000${chain.readings().length}00000000000000"`)
    if (isCount) counts.add(JSON.stringify(keyOf(params)))
    return node.lies && isCount ? absent : answered
  }
  return { node, answer, counts }
}

describe('values that were absent when they were read', () => {
  test('default: a false absence ends some seconds after the lie, without an attestation or a new block', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 3 })
    const { node, answer } = hiding(chain, await itemsOf(chain))
    const { client } = localClient({ ...chain, answer })
    expect(await client.listReadings()).toEqual([])
    expect(await client.getReading(id(1))).toBeNull()
    node.lies = false
    await elapse(10_000)
    await client.listReadings()
    await settle()
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    expect(await client.getReading(id(1))).toEqual(chain.readings()[1] as never)
  })

  test('behavior: also at a root that came after', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 3 })
    const { node, answer } = hiding(chain, await itemsOf(chain))
    const { client } = localClient({ ...chain, answer })
    await client.listReadings()
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    node.lies = false
    await elapse(10_000)
    await client.listReadings()
    await settle()
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: new values are reported, and no event counted twice', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 3 })
    const { node, answer } = hiding(chain, new Set([...(await itemsOf(chain))].slice(0, 1)))
    const told: [feeds: number, changes: number | null][] = []
    const advance = ({ feeds, changes }: AdvanceEvent) => told.push([feeds, changes])
    const { client } = localClient({ ...chain, answer }, { observe: { advance } })
    await client.listReadings()
    chain.attest(id(1), { amount: 5n })
    await chain.advance()
    await client.listReadings()
    node.lies = false
    await elapse(10_000)
    await client.listReadings()
    await settle()
    expect(await client.listReadings()).toHaveLength(3)
    expect(told).toEqual([
      [3, null],
      [3, 1],
      [3, 0],
    ])
  })

  test('behavior: they are read again at most every 10 s, eight feeds at a time, in turn, with the count', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain()
    for (let index = 0; index < 20; index++) chain.register(`EMPTY.${index}`)
    await chain.advance()
    const { client, calls } = localClient(chain)
    await client.listReadings()
    const cost = () =>
      callsOf(calls, async () => {
        await client.listReadings()
        await settle()
      })
    expect(await cost()).toBe(1)
    await elapse(10_000)
    expect([await cost(), await cost()]).toEqual([1 + 1 + 8, 1])
    await elapse(10_000)
    // After 15 s the client also requests the node's newest block.
    expect(await cost()).toBe(1 + 1 + 8 + 1)
    await elapse(10_000)
    expect(await cost()).toBe(1 + 1 + 4)
  })

  test('behavior: none is left out of its turn when others have received a value', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    for (let index = 0; index < 8; index++) chain.register(`EMPTY.${index}`)
    await chain.advance()
    const { node, answer } = hiding(chain, await itemsOf(chain))
    const { client } = localClient({ ...chain, answer })
    async function readAgain(): Promise<void> {
      await elapse(10_000)
      await client.listReadings()
      await settle()
    }
    await client.listReadings()
    for (let turn = 0; turn < 3; turn++) await readAgain()
    for (let index = 0; index < 6; index++) chain.attest(`EMPTY.${index}`, { amount: 1n })
    await chain.advance()
    node.lies = false
    for (let turn = 0; turn < 2; turn++) await readAgain()
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: before the first list, another node is called for a single feed as well', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { answer } = hiding(chain, await itemsOf(chain))
    const { client } = localClient(chain, {
      rpcUrls: ['http://liar/rpc', 'http://honest/rpc'],
      fetch: (url, init) => localFetch(url.includes('liar') ? answer : chain.answer)(url, init),
    })
    expect(await client.getReading(id(1))).toEqual(chain.readings()[1] as never)
  })

  test('behavior: another node is called as well, and the one that hides is reported', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 3 })
    const { answer } = hiding(chain, await itemsOf(chain))
    const rejected: string[] = []
    const { client } = localClient(chain, {
      rpcUrls: ['http://liar/rpc', 'http://honest/rpc'],
      fetch: (url, init) => localFetch(url.includes('liar') ? answer : chain.answer)(url, init),
      observe: { rejected: ({ host, errorCode }) => rejected.push(`${host} ${errorCode}`) },
    })
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    expect(new Set(rejected)).toEqual(new Set(['liar hidden_value']))
  })

  test('behavior: a single value is also read again', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { node, answer } = hiding(chain, await itemsOf(chain))
    const { client } = localClient({ ...chain, answer })
    expect(await client.getValue(id(0))).toBeNull()
    node.lies = false
    await elapse(10_000)
    expect(await client.getValue(id(0))).toMatchObject({ amount: 0n })
  })
})

describe('a registry that a node reports as empty', () => {
  // Its log has events, so an absent count is a hidden one.
  test('error: the list fails while the node lies, and recovers afterwards', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { node, answer, counts } = countless(chain)
    const { client } = localClient({ ...chain, answer })
    await expect(client.listReadings()).rejects.toThrow('reports FeedRegistry.count as absent')
    expect(counts.size).toBe(1)
    node.lies = false
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  // After an event that does not decode, the client reads everything again.
  test('error: one that was seen with feeds is not believed empty while it is the same chain', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { node, answer } = countless(chain)
    node.lies = false
    let breaks = false
    const { client } = localClient(
      {
        ...chain,
        answer(method, params) {
          const isNew = memberAt(keyOf(params), 'URef', 'dictionary_item_key') === '3'
          const garbage = { CLValue: { cl_type: { List: 'U8' }, bytes: '01000000ff', parsed: null } }
          if (breaks && isNew) return { result: { stored_value: garbage } }
          return answer(method, params)
        },
      },
      { deadlineMs: 30_000 },
    )
    await client.listReadings()
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    breaks = true
    node.lies = true
    await expect(client.listReadings()).rejects.toThrow('reports FeedRegistry.count as absent')
    node.lies = false
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })
})
