import { describe, expect, spyOn, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { readingsBody } from '../../../src/api/schemas.ts'
import { createFakeClient, type FakeChain, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp, TestChainError } from '../testApp.ts'

const readings = ['A', 'a/b ?&é+', ''].map((feed_id) => readingOf({ feed_id }))
const [reading] = readings
const appOf = (chain: FakeChain = {}) => createTestApp({ client: createFakeClient({ readings, ...chain }) })
const app = appOf()
const notFound = (feed_id: string) => ({
  feed_id,
  status: 404,
  error: `feed not found on-chain: ${feed_id}`,
})

describe('GET /v1/readings', () => {
  test('default: the readings of /v1/feeds/{id} in the requested order, missing ones with their own status', async () => {
    const ids = ['NOPE', 'a/b ?&é+', 'A', '']
    const query = ids.map((id) => `id=${encodeURIComponent(id)}`).join('&')
    const { status, body } = await answerOf(app, `/v1/readings?${query}`)
    const { body: list } = await answerOf(app, '/v1/feeds')
    const [a, odd, empty] = list.feeds
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        count: 4,
        results: [
          notFound('NOPE'),
          ...[odd, a, empty].map((each) => ({ feed_id: each.feed_id, status: 200, reading: each })),
        ],
      },
    })
    expect([...Value.Errors(readingsBody, body)]).toEqual([])
  })

  test('behavior: an id that is requested twice has two results', async () => {
    const { body } = await answerOf(app, '/v1/readings?id=A&id=NOPE&id=A&id=NOPE')
    expect(body.results).toEqual([body.results[2], notFound('NOPE'), body.results[0], notFound('NOPE')])
  })

  test("behavior: fields are answered in the reading's order", async () => {
    const response = await ask(app, '/v1/readings?fields=period,value&id=A')
    expect(await response.text()).toBe(
      '{"count":1,"results":[{"feed_id":"A","status":200,"reading":{"value":3.04938,"period":20261120}}]}',
    )
  })

  test('behavior: all are read at one snapshot, and formatted once until the result changes', async () => {
    let snapshots = 0
    const counting = appOf({
      snapshot: async () => {
        snapshots++
      },
      stateRootHash: () => `root ${snapshots}`,
    })
    const path = '/v1/readings?id=A&id=NOPE&fields=value'
    const first = await ask(counting, path)
    const parse = spyOn(JSON, 'parse')
    const second = await ask(counting, path)
    const parsed = parse.mock.calls.length
    parse.mockRestore()
    expect({ snapshots, parsed, text: await second.text() }).toEqual({
      snapshots: 2,
      parsed: 0,
      text: await first.text(),
    })
  })

  test('behavior: feeds that were read at a state root are not read there again', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, calls } = localClient(chain)
    const chainApp = createTestApp({ client })
    const callsOf = async (query: string) => {
      calls.reset()
      await ask(chainApp, `/v1/readings?${query}`)
      return calls.total()
    }
    const known = `id=${testFeedId(0)}&id=${testFeedId(1)}`
    await callsOf(known)
    expect(await callsOf(known)).toBe(1)
  })

  test('behavior: a failed read is a 502 of its own, and the answer is not cached', async () => {
    const getReading = (feed_id: string) =>
      feed_id === 'BAD'
        ? Promise.reject(new TestChainError('decode'))
        : Promise.resolve(readingOf({ feed_id, decimals: feed_id === 'WRONG' ? 256 : 6 }))
    const response = await ask(appOf({ getReading }), '/v1/readings?id=BAD&id=A&id=WRONG&fields=value')
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await response.json()).results).toEqual([
      { feed_id: 'BAD', status: 502, error: 'the chain was not read: decode' },
      { feed_id: 'A', status: 200, reading: { value: reading?.value } },
      {
        feed_id: 'WRONG',
        status: 502,
        error: expect.stringContaining('does not match its schema at /decimals'),
      },
    ])
  })

  test('behavior: 100 ids are answered', async () => {
    const { status, body } = await answerOf(app, `/v1/readings?${'id=A&'.repeat(100)}`)
    expect([status, body.count]).toEqual([200, 100])
  })

  test.each([
    ['', 'id: required; pass it 1 to 100 times'],
    ['?fields=value', 'id: required; pass it 1 to 100 times'],
    [`?${'id=A&'.repeat(101)}`, 'id=A: pass it at most 100 times'],
    ['?ids=A', 'unknown query parameter "ids"; allowed: id, fields'],
    [
      '?id=%ff',
      'id="%ff": it must be percent-encoded UTF-8, such as encodeURIComponent in JavaScript returns',
    ],
    ['?id=A&fields=value&fields=period', 'fields=period: it takes one value; pass it only once'],
    ...['', 'value,', 'prise', 'Value'].map((fields) => [
      `?id=A&fields=${fields}`,
      `fields=${/^\w+$/.test(fields) ? fields : `"${fields}"`}: it must be one or more of feed_id, decimals, unit, title, source, route, frequency, description, value, amount, period, source_hash, updated_at, separated by commas`,
    ]),
  ])('error: %s', async (query, error) => {
    expect(await answerOf(app, `/v1/readings${query}`)).toEqual({ status: 400, body: { error } })
  })

  test('error: a chain that cannot be read fails the whole', async () => {
    const down = appOf({ snapshot: () => Promise.reject(new TestChainError('all_nodes_failed')) })
    expect((await ask(down, '/v1/readings?id=A')).status).toBe(502)
  })

  test('error: a defect is a 500', async () => {
    const broken = appOf({ getReading: () => Promise.reject(new TypeError('secret')) })
    expect(await answerOf(broken, '/v1/readings?id=A')).toEqual({
      status: 500,
      body: { error: 'internal error' },
    })
  })
})
