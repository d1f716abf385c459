import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { string } from '@wattfeed/testing/bytesrepr'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import {
  attestBare,
  type BareChain,
  bareFeed,
  bareReading,
  createBareChain,
  createBareFeeds,
  registerBare,
} from 'wattfeed/testing/bareChain'
import { localClient } from 'wattfeed/testing/localClient'
import { answerOf, appOf } from '../../server/testApp.ts'

/** Three feeds with a value; the stored feed B is invalid. */
function chainWithOneBadFeed(): BareChain {
  const chain = createBareChain()
  for (const [index, id] of ['A', 'B', 'C'].entries()) {
    registerBare(chain, id, index)
    attestBare(chain, id, BigInt(index))
  }
  chain.feeds.write(2, string('B'), 'ff')
  chain.advance()
  return chain
}

const patient = { deadlineMs: 120_000 }

describe('a feed that does not decode', () => {
  test('default: is omitted from the list and counted, and the first list succeeds', async () => {
    const { client } = localClient(chainWithOneBadFeed(), patient)
    expect([...(await client.listReadings())]).toEqual([bareReading('A', 0n), bareReading('C', 2n)])
    expect(await client.listFeedIds()).toEqual(['A', 'B', 'C'])
    expect(client.status()).toMatchObject({ feeds: 3, undecodable: 1 })
  })

  test('error: is an error for itself alone, not absence', async () => {
    const { client } = localClient(chainWithOneBadFeed(), patient)
    await client.listReadings()
    expect((await errorOf(client.getReading('B'))).message).toContain('cannot decode FeedRegistry.feeds[B]')
    expect(await client.getReading('A')).toEqual(bareReading('A', 0n))
  })

  test('behavior: over HTTP it is a 502 for itself, and counted in /ready and the metrics', async () => {
    const app = appOf(localClient(chainWithOneBadFeed(), patient).client)
    expect(await answerOf(app, '/v1/feeds')).toMatchObject({ status: 200, body: { count: 2 } })
    expect(await answerOf(app, '/v1/feeds/B')).toMatchObject({ status: 502 })
    expect(await answerOf(app, '/v1/feeds/C')).toMatchObject({ status: 200 })
    expect(await answerOf(app, '/ready')).toMatchObject({
      status: 200,
      body: { measured: { undecodable: 1 } },
    })
  })

  test('behavior: is listed again after its next registration', async () => {
    const chain = chainWithOneBadFeed()
    const { client } = localClient(chain, patient)
    await client.listReadings()
    registerBare(chain, 'B', 1)
    chain.advance()
    expect((await client.listReadings()).map(({ feed_id }) => feed_id)).toEqual(['A', 'B', 'C'])
    expect(client.status().undecodable).toBe(0)
  })

  test('behavior: one that a change broke is left out, and the others are shown', async () => {
    const chain = createBareFeeds(['A', 'B'])
    chain.advance()
    const { client } = localClient(chain, patient)
    await client.listReadings()
    registerBare(chain, 'A', 0)
    chain.feeds.write(2, string('A'), 'ff')
    attestBare(chain, 'B', 2n)
    chain.advance()
    expect([...(await client.listReadings())]).toEqual([bareReading('B', 2n)])
    expect((await errorOf(client.getReading('A'))).message).toContain('cannot decode FeedRegistry.feeds[A]')
  })

  test.each([
    ['feed', bareFeed('B')],
    ['id', string('B')],
  ])(
    'behavior: after a node made up its %s, it is read again, and the feed recovers without an event',
    async (_, good) => {
      using _clock = stopClock()
      const chain = createBareFeeds(['A', 'B', 'C'])
      chain.advance()
      let lies = true
      const { client } = localClient({
        ...chain,
        answer(method, params) {
          const answered = chain.answer(method, params)
          const isB = JSON.stringify(answered).includes(good)
          const garbage = { CLValue: { cl_type: { List: 'U8' }, bytes: '01000000ff', parsed: null } }
          return lies && isB && memberAt(params, 'dictionary_identifier')
            ? { result: { stored_value: garbage } }
            : answered
        },
      })
      const list = client.listReadings()
      await elapse(9_000)
      expect([...(await list)]).toEqual([bareReading('A', 1n), bareReading('C', 1n)])
      lies = false
      await elapse(10_000)
      await client.listReadings()
      await settle()
      expect([...(await client.listReadings())]).toEqual(['A', 'B', 'C'].map((id) => bareReading(id, 1n)))
      expect(await client.listFeedIds()).toEqual(['A', 'B', 'C'])
    },
  )

  test('behavior: after a node made up a feed without a value, it is absent again, not an error', async () => {
    using _clock = stopClock()
    const chain = createBareChain()
    for (const [index, id] of ['A', 'B'].entries()) registerBare(chain, id, index)
    attestBare(chain, 'A', 1n)
    chain.advance()
    let lies = true
    const { client } = localClient({
      ...chain,
      answer(method, params) {
        const answered = chain.answer(method, params)
        return lies && JSON.stringify(answered).includes(bareFeed('B')) ? { result: {} } : answered
      },
    })
    const list = client.listReadings()
    await elapse(9_000)
    await list
    expect((await errorOf(client.getReading('B'))).message).toContain('cannot decode FeedRegistry.feeds[B]')
    lies = false
    await elapse(10_000)
    const before = await client.listReadings()
    await settle()
    expect(await client.getReading('B')).toBeNull()
    expect(client.status().undecodable).toBe(0)
    expect([...(await client.listReadings())]).toEqual([...before])
  })

  /** Larger than an item may be, which anyone who pays for it can store. */
  const huge = (text: string): string => text.repeat(300_000)

  test('behavior: one whose metadata is larger than an answer may be is left out alone', async () => {
    const chain = createBareFeeds(['A', 'B'])
    chain.feeds.write(2, string('B'), bareFeed(huge('B')))
    chain.advance()
    const { client } = localClient(chain, patient)
    expect([...(await client.listReadings())]).toEqual([bareReading('A', 1n)])
    expect((await errorOf(client.getReading('B'))).message).toContain('larger than')
    expect(client.status()).toMatchObject({ feeds: 2, undecodable: 1 })
  })

  test('behavior: one whose id is, too: it is counted, and the others are listed', async () => {
    const chain = createBareChain()
    registerBare(chain, huge('A'), 0)
    registerBare(chain, 'B', 1)
    attestBare(chain, 'B', 1n)
    chain.advance()
    const { client } = localClient(chain, patient)
    expect([...(await client.listReadings())]).toEqual([bareReading('B', 1n)])
    expect(await client.listFeedIds()).toEqual(['B'])
    expect(client.status()).toMatchObject({ feeds: 2, undecodable: 1 })
    attestBare(chain, 'B', 2n)
    chain.advance()
    expect([...(await client.listReadings())]).toEqual([bareReading('B', 2n)])
  })
})
