import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createEiaClient, type EiaClientOptions } from '../src/createEiaClient.ts'
import type { Fetch } from '../src/eiaRequest.ts'
import { apiKey, clientOf, wti } from './support/eiaClientOf.ts'
import { answerWith } from './support/eiaServer.ts'
import { startFixtureEia } from './support/fixtureEia.ts'
import { hang, throttled } from './support/upstreamFaults.ts'

const newest = { period: '2026-11-20', value: '58.46', unit: '$/BBL', statedUnit: '$/BBL' }
const row = '{"response":{"data":[{"period":"2026-11-20","series":"RWTC","value":"1"}]}}'

/** A `fetch` that gives every request the same answer, and records the requests. */
function createFetch(body = row) {
  const requests: { url: URL; init: RequestInit }[] = []
  const fetch: Fetch = async (url, init) => {
    requests.push({ url: new URL(url), init })
    return new Response(body)
  }
  return { fetch, requests }
}

describe('the request', () => {
  test('default: the newest row of a series', async () => {
    const facets = { sectorid: 'ALL', stateid: 'U&S' }
    const series = { route: 'electricity/retail-sales', frequency: 'monthly', column: 'price', facets }
    const price =
      '{"response":{"data":[{"period":"2026-08","sectorid":"ALL","stateid":"U&S","price":"13.62"}]}}'
    const { fetch, requests } = createFetch(price)
    await clientOf({ baseUrl: 'https://api.eia.gov', fetch }).listNewestRows(series)
    const { url, init } = requests[0] ?? {}
    expect(`${url?.origin}${url?.pathname}`).toBe('https://api.eia.gov/v2/electricity/retail-sales/data')
    expect([...(url?.searchParams ?? [])]).toEqual([
      ['api_key', apiKey],
      ['frequency', 'monthly'],
      ['data[0]', 'price'],
      ['facets[sectorid][]', 'ALL'],
      ['facets[stateid][]', 'U&S'],
      ['sort[0][column]', 'period'],
      ['sort[0][direction]', 'desc'],
      ['offset', '0'],
      ['length', '1'],
    ])
    expect<unknown>({ ...init, signal: null }).toEqual({
      decompress: false,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      redirect: 'manual',
      signal: null,
    })
  })

  test('behavior: more rows where they are asked for', async () => {
    const { fetch, requests } = createFetch()
    await clientOf({ baseUrl: 'https://api.eia.gov', fetch }).listNewestRows(wti, { length: 2 })
    expect(requests[0]?.url.searchParams.get('length')).toBe('2')
  })

  test('behavior: the last period that is requested', async () => {
    const { fetch, requests } = createFetch()
    const client = clientOf({ baseUrl: 'https://api.eia.gov', fetch })
    await client.listNewestRows({ ...wti, end: '2026-11-20' })
    await client.listRowsSince({ ...wti, end: '2026-11-20' })
    expect(requests.map(({ url }) => url.searchParams.get('end'))).toEqual(['2026-11-20', '2026-11-20'])
  })

  test('behavior: the base URL may hold a path and a query', async () => {
    const { fetch, requests } = createFetch()
    const client = clientOf({ baseUrl: 'http://proxy:8080/eia/?tenant=7#top', fetch })
    await client.listNewestRows(wti)
    expect(String(requests[0]?.url)).toStartWith(
      'http://proxy:8080/eia/v2/petroleum/pri/spt/data?tenant=7&api_key=S3cr',
    )
    expect(requests[0]?.url.hash).toBe('')
  })

  test('behavior: the values of a facet', async () => {
    const { fetch, requests } = createFetch('{"response":{"facets":[]}}')
    const client = clientOf({ baseUrl: 'https://api.eia.gov', fetch })
    await client.listFacetValues('seds', 'state/Id')
    expect(requests.map(({ url }) => url.pathname + url.search)).toEqual([
      `/v2/seds/facet/state%2FId?${new URLSearchParams({ api_key: apiKey })}`,
    ])
  })
})

describe('the answer', () => {
  test('default: rows of a real API, newest first', async () => {
    await using upstream = startFixtureEia({ apiKey })
    const client = clientOf({ baseUrl: upstream.url })
    expect(await client.listNewestRows(wti)).toEqual([newest])
    expect(await client.listNewestRows(wti, { length: 2 })).toEqual([
      newest,
      { period: '2026-11-19', value: '59.12', unit: '$/BBL', statedUnit: '$/BBL' },
    ])
  })

  test('behavior: never more rows than asked for', async () => {
    await using upstream = startFixtureEia()
    const rows =
      '{"period":"2026-11-20","series":"RWTC","value":"3"},{"period":"2026-11-19","series":"RWTC","value":"4"}'
    upstream.fail(answerWith(`{"response":{"data":[${rows}]}}`))
    expect(await clientOf({ baseUrl: upstream.url }).listNewestRows(wti)).toEqual([
      { period: '2026-11-20', value: '3', unit: null, statedUnit: null },
    ])
  })

  test('behavior: the values of a facet', async () => {
    await using upstream = startFixtureEia()
    const client = clientOf({ baseUrl: upstream.url })
    expect(await client.listFacetValues('electricity/retail-sales', 'sectorid')).toEqual([
      { id: 'ALL', name: 'all sectors' },
      { id: 'RES', name: 'residential' },
    ])
  })

  test('behavior: warnings are reported, and are not errors', async () => {
    await using upstream = startFixtureEia({ maxRows: 1 })
    const warnings: object[] = []
    const observe = { warning: (event: object) => warnings.push(event) }
    await clientOf({ baseUrl: upstream.url, observe }).listNewestRows(wti)
    const body = `{"warnings":[{"warning":"w","description":"key ${apiKey}"},{}],${row.slice(1)}`
    upstream.fail(answerWith(body))
    await clientOf({ baseUrl: upstream.url, observe }).listNewestRows(wti)
    expect(warnings).toEqual([
      {
        route: 'petroleum/pri/spt',
        warning: 'incomplete return',
        description: expect.stringContaining('can only return 1 rows in JSON format.'),
      },
      { route: 'petroleum/pri/spt', warning: 'w', description: 'key [api_key]' },
      { route: 'petroleum/pri/spt', warning: '', description: '' },
    ])
  })
})

describe('throttling', () => {
  /** A client that records its waits instead of waiting. */
  function patientClient(baseUrl: string, options: Partial<EiaClientOptions> = {}) {
    const waits: number[] = []
    const now = () => 0
    const wait = async (ms: number) => void waits.push(ms)
    return { waits, client: clientOf({ baseUrl, requestsPerSecond: 1e9, now, wait, ...options }) }
  }
  const backoffs = (waits: number[]) => waits.filter((ms) => ms > 1)

  test('default: waits for Retry-After, and retries', async () => {
    await using upstream = startFixtureEia()
    const { waits, client } = patientClient(upstream.url)
    upstream.fail(throttled('7'))
    upstream.fail(throttled('Thu, 01 Jan 1970 00:00:30 GMT'))
    expect(await client.listNewestRows(wti)).toEqual([newest])
    expect(backoffs(waits)).toEqual([7000, 30_000])
  })

  test('behavior: without Retry-After it is 30 seconds', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(throttled(null), { times: 2 })
    const { waits, client } = patientClient(upstream.url)
    await client.listNewestRows(wti)
    expect(backoffs(waits)).toEqual([30_000, 30_000])
  })

  test('error: the third 429 in a row', async () => {
    await using upstream = startFixtureEia()
    const { waits, client } = patientClient(upstream.url)
    upstream.fail(throttled('2'), { times: 3 })
    const error = await errorOf(client.listNewestRows(wti))
    expect({ ...error }).toMatchObject({
      code: 'throttled',
      status: 429,
      retryAfterMs: 2000,
      retryable: true,
    })
    expect(backoffs(waits)).toEqual([2000, 2000])
    expect(upstream.requests.get(wti.route)).toBe(3)
  })

  test('behavior: Retry-After is honoured for up to a minute', async () => {
    await using upstream = startFixtureEia()
    const { waits, client } = patientClient(upstream.url)
    upstream.fail(throttled('61'))
    upstream.fail(throttled('9'.repeat(400)))
    expect(await client.listNewestRows(wti)).toEqual([newest])
    expect(backoffs(waits)).toEqual([60_000, 60_000])
  })

  test('behavior: HTTP 403 with the code OVER_RATE_LIMIT is the same', async () => {
    await using upstream = startFixtureEia()
    const { waits, client } = patientClient(upstream.url)
    const refusal = { status: 403, headers: { 'retry-after': '7' } }
    upstream.fail(answerWith('{"error":{"code":"OVER_RATE_LIMIT","message":"wait"}}', refusal), { times: 3 })
    expect(await errorOf(client.listNewestRows(wti))).toMatchObject({
      code: 'throttled',
      status: 403,
      retryAfterMs: 7000,
    })
    expect(backoffs(waits)).toEqual([7000, 7000])
    upstream.fail(answerWith('{"error":{"code":"API_KEY_INVALID","message":"no"}}', refusal))
    expect(await errorOf(client.listFacetValues('seds', 'stateId'))).toMatchObject({
      code: 'eia_key',
      message: expect.stringContaining('correct EIA_API_KEY'),
    })
  })

  test('behavior: nothing else is retried', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(answerWith('', { status: 503 }))
    expect(await errorOf(clientOf({ baseUrl: upstream.url }).listNewestRows(wti))).toMatchObject({
      status: 503,
    })
    expect(upstream.requests.get(wti.route)).toBe(1)
  })

  test('behavior: one rate limit for all requests, those that are tried again too', async () => {
    await using upstream = startFixtureEia()
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const client = clientOf({
      baseUrl: upstream.url,
      requestsPerSecond: 4,
      now: () => 0,
      wait,
    })
    upstream.fail(throttled('0'), { route: 'seds' })
    await Promise.all([
      client.listNewestRows(wti),
      client.listFacetValues('seds', 'stateId'),
      client.listFacetValues('steo', 'seriesId'),
    ])
    // Last comes the second try of the throttled request.
    expect(waits).toEqual([250, 500, 750])
  })
})

describe('observing and stopping', () => {
  test('default: every attempt is reported, with the code of its error', async () => {
    await using upstream = startFixtureEia()
    const events: object[] = []
    let time = 0
    const options = { now: () => (time += 5), observe: { request: (event: object) => events.push(event) } }
    upstream.fail(throttled('0'))
    await clientOf({ baseUrl: upstream.url, ...options }).listNewestRows(wti)
    const route = 'petroleum/pri/spt'
    expect(events).toEqual([
      { route, durationMs: expect.any(Number), error: 'throttled' },
      { route, durationMs: 5, error: null },
    ])
  })

  test('behavior: an unusable answer is also reported as an error', async () => {
    await using upstream = startFixtureEia()
    const errors: (string | null)[] = []
    const observe = { request: ({ error }: { error: string | null }) => errors.push(error) }
    const client = clientOf({ baseUrl: upstream.url, observe })
    await errorOf(client.listNewestRows({ ...wti, facets: { series: 'X' } }))
    await errorOf(client.listFacetValues('petroleum', 'series'))
    expect(errors).toEqual(['eia_no_rows', 'eia_error'])
  })

  test('error: an abort ends a request that hangs', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(hang)
    const stopping = new AbortController()
    const reason = new Error('stop')
    const fetch: Fetch = (url, init) => {
      queueMicrotask(() => stopping.abort(reason))
      return globalThis.fetch(url, init)
    }
    const reading = clientOf({ baseUrl: upstream.url, fetch }).listNewestRows(wti, {
      signal: stopping.signal,
    })
    expect(await reading.catch((error: unknown) => error)).toBe(reason)
  })

  test('error: an abort ends the wait after a 429, and that for a turn', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(throttled('100'))
    const stopping = new AbortController()
    const reason = new Error('stop')
    const { signal } = stopping
    const observe = { request: () => stopping.abort(reason) }
    const client = createEiaClient({ baseUrl: upstream.url, apiKey, requestsPerSecond: 0.001, observe })
    const first = client.listNewestRows(wti, { signal })
    const second = client.listFacetValues('seds', 'stateId', signal)
    expect(await first.catch((error: unknown) => error)).toBe(reason)
    expect(await second.catch((error: unknown) => error)).toBe(reason)
    expect([...upstream.requests]).toEqual([[wti.route, 1]])
  })

  test('error: an abort before the start asks nothing', async () => {
    await using upstream = startFixtureEia()
    const reason = new Error('stop')
    const reading = clientOf({ baseUrl: upstream.url }).listNewestRows(wti, {
      signal: AbortSignal.abort(reason),
    })
    expect(await reading.catch((error: unknown) => error)).toBe(reason)
    expect([...upstream.requests]).toEqual([])
  })
})
