import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createEiaClient, type EiaClientOptions } from '../src/createEiaClient.ts'
import type { Fetch } from '../src/eiaRequest.ts'
import { apiKey, clientOf, wti } from './support/eiaClientOf.ts'
import { answerWith } from './support/eiaServer.ts'
import { startFixtureEia } from './support/fixtureEia.ts'
import { throttled } from './support/upstreamFaults.ts'

/** A clock that advances to the end of the earliest wait when no other work is left. */
function createClock() {
  let time = 1_000_000
  const waits: { until: number; resolve: () => void }[] = []
  const wait = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      waits.push({ until: time + ms, resolve })
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  /** Advances the clock until the work is done. */
  async function run<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false }
    const done = work.finally(() => {
      state.isDone = true
    })
    done.catch(() => {})
    while (!state.isDone) {
      // Requests go through sockets and the retries' own timer.
      for (let turns = 0; turns < 20 && !state.isDone; turns++) await Bun.sleep(0)
      waits.sort((a, b) => a.until - b.until)
      const next = waits.shift()
      if (next === undefined) continue
      time = Math.max(time, next.until)
      next.resolve()
    }
    return done
  }
  return { now: () => time, wait, run }
}

const row = '{"response":{"data":[{"period":"2026-11-20","series":"RWTC","value":"1"}]}}'
const refusal = (status: number, headers: Record<string, string>) =>
  new Response('{"error":{"code":"OVER_RATE_LIMIT","message":"slow down"}}', { status, headers })

/** A client of an API that answers the requests in order; returns rows when all are answered. */
function createBench(
  answers: (() => Response | Promise<Response>)[],
  options: Partial<EiaClientOptions> = {},
) {
  const clock = createClock()
  const sentAt: number[] = []
  const events: object[] = []
  const fetch: Fetch = async () => {
    sentAt.push(clock.now() - 1_000_000)
    return (await answers.shift()?.()) ?? new Response(row)
  }
  const observe = { throttled: (event: object) => events.push(event) }
  const client = createEiaClient({
    baseUrl: 'https://eia.invalid',
    apiKey,
    requestsPerSecond: 4,
    fetch,
    observe,
    now: clock.now,
    wait: clock.wait,
    ...options,
  })
  const readAll = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => client.listNewestRows(wti)))
  return { clock, sentAt, events, client, readAll }
}

const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'rejected' ? result.reason.code : 'read'))

for (const status of [429, 403]) {
  describe(`HTTP ${status} with OVER_RATE_LIMIT`, () => {
    test('behavior: pauses all requests, reports it once, and resumes them one after another', async () => {
      const { clock, sentAt, events, readAll } = createBench([() => refusal(status, { 'retry-after': '20' })])
      const results = await clock.run(readAll(24))
      expect(codesOf(results)).toEqual(Array(24).fill('read'))
      expect(sentAt).toHaveLength(25)
      expect(sentAt.slice(0, 3)).toEqual([0, 20_000, 20_250])
      expect(sentAt.at(-1)).toBe(20_000 + 23 * 250)
      expect(events).toEqual([{ route: wti.route, untilMs: 1_020_000, retryAfterMs: 20_000 }])
    })
  })
}

describe('throttling', () => {
  test('behavior: 30 seconds without Retry-After, at most 60', async () => {
    const first = createBench([() => refusal(429, {})])
    await first.clock.run(first.readAll(1))
    const second = createBench([() => refusal(429, { 'retry-after': '600' })])
    await second.clock.run(second.readAll(1))
    expect([first.sentAt, second.sentAt]).toEqual([
      [0, 30_000],
      [0, 60_000],
    ])
    expect([first.events, second.events]).toEqual([
      [{ route: wti.route, untilMs: 1_030_000, retryAfterMs: null }],
      [{ route: wti.route, untilMs: 1_060_000, retryAfterMs: 600_000 }],
    ])
  })

  test('behavior: an answer to an earlier request extends the pause, and is not reported', async () => {
    const gate = Promise.withResolvers<Response>()
    const { clock, sentAt, events, readAll } = createBench(
      [
        () => gate.promise,
        () => {
          setImmediate(() => gate.resolve(refusal(429, { 'retry-after': '40' })))
          return refusal(429, { 'retry-after': '10' })
        },
      ],
      { requestsPerSecond: Number.POSITIVE_INFINITY },
    )
    expect(codesOf(await clock.run(readAll(3)))).toEqual(['read', 'read', 'read'])
    expect(events).toHaveLength(1)
    expect(sentAt).toEqual([0, 0, 0, 40_000, 40_000])
  })

  test('behavior: one that was under way does not make it shorter', async () => {
    const { clock, sentAt, readAll } = createBench(
      [() => refusal(429, { 'retry-after': '40' }), () => refusal(429, { 'retry-after': '10' })],
      { requestsPerSecond: Number.POSITIVE_INFINITY },
    )
    expect(codesOf(await clock.run(readAll(2)))).toEqual(['read', 'read'])
    expect(sentAt).toEqual([0, 0, 40_000, 40_000])
  })

  test('error: the request that meets it three times fails alone, and says until when', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(throttled('5'), { route: 'seds', times: 3 })
    const clock = createClock()
    const client = clientOf({ baseUrl: upstream.url, requestsPerSecond: 4, now: clock.now, wait: clock.wait })
    const [failed, rows] = await clock.run(
      Promise.all([errorOf(client.listFacetValues('seds', 'stateId')), client.listNewestRows(wti)]),
    )
    expect({ ...failed }).toMatchObject({ code: 'throttled', route: 'seds', retryAfterMs: 5000 })
    expect(String(failed)).toMatch(/retry after 1970-01-01T00:1\d:\d\d\.\d\d\dZ/)
    expect(rows).toHaveLength(1)
    expect([...upstream.requests]).toEqual([
      ['seds', 3],
      [wti.route, 1],
    ])
  })

  test('behavior: a later pause is reported again', async () => {
    const stop = () => refusal(429, { 'retry-after': '1' })
    const { clock, events, readAll } = createBench([stop, stop])
    await clock.run(readAll(1))
    expect(events).toHaveLength(2)
  })

  test('error: an abort ends the wait of its own request only', async () => {
    const { clock, client, events, sentAt } = createBench([() => refusal(429, { 'retry-after': '20' })])
    const stopping = new AbortController()
    const reason = new Error('stop')
    const first = client.listNewestRows(wti)
    while (events.length === 0) await Bun.sleep(0)
    const second = client.listNewestRows(wti, { signal: stopping.signal })
    queueMicrotask(() => stopping.abort(reason))
    expect(await second.catch((error: unknown) => error)).toBe(reason)
    expect(await clock.run(first)).toHaveLength(1)
    expect(sentAt).toEqual([0, 20_000])
  })
})

describe('giveUpAfterMs', () => {
  const options = { giveUpAfterMs: 60_000 }

  test('error: a longer wait fails unsent requests, and the message has its end', async () => {
    const { clock, sentAt, events, readAll } = createBench(
      [() => refusal(429, { 'retry-after': '600' })],
      options,
    )
    const results = await clock.run(readAll(24))
    expect(codesOf(results)).toEqual(Array(24).fill('throttled'))
    expect(sentAt).toEqual([0])
    expect(events).toHaveLength(1)
    for (const result of results)
      expect(result).toMatchObject({
        reason: {
          askAgainMs: 1_600_000,
          message: expect.stringContaining('1970-01-01T00:26:40.000Z'),
          retryable: true,
        },
      })
  })

  test('behavior: a wait that is not longer is waited for', async () => {
    for (const headers of [{ 'retry-after': '60' }, {}] as Record<string, string>[]) {
      const { clock, readAll } = createBench([() => refusal(429, headers)], options)
      expect(codesOf(await clock.run(readAll(3)))).toEqual(['read', 'read', 'read'])
    }
  })

  test('behavior: once the time is there, requests are sent again', async () => {
    const refusals = ['600', '5'].map((seconds) => () => refusal(429, { 'retry-after': seconds }))
    const { clock, events, readAll } = createBench(refusals, options)
    expect(codesOf(await clock.run(readAll(2)))).toEqual(['throttled', 'throttled'])
    await clock.run(clock.wait(600_000))
    // The client waits for a short pause like this.
    expect(codesOf(await clock.run(readAll(2)))).toEqual(['read', 'read'])
    expect(events).toHaveLength(2)
  })

  test('error: the third wait in a row fails all, however short', async () => {
    const refusals = Array.from({ length: 9 }, () => () => refusal(429, { 'retry-after': '60' }))
    const { clock, sentAt, readAll } = createBench(refusals, options)
    expect(codesOf(await clock.run(readAll(36)))).toEqual(Array(36).fill('throttled'))
    expect(sentAt).toEqual([0, 60_000, 120_000])
  })

  test('behavior: refusals that ask for no wait do not count', async () => {
    const refusals = Array.from({ length: 6 }, () => () => refusal(429, { 'retry-after': '0' }))
    const { clock, readAll } = createBench(refusals, {
      ...options,
      requestsPerSecond: Number.POSITIVE_INFINITY,
    })
    expect(codesOf(await clock.run(readAll(3)))).toEqual(['read', 'read', 'read'])
  })

  test('behavior: an answer resets the count', async () => {
    const stop = () => refusal(429, { 'retry-after': '60' })
    const answers = [stop, stop, () => new Response(row), stop, stop]
    const { clock, sentAt, readAll } = createBench(answers, options)
    expect(codesOf(await clock.run(readAll(3)))).toEqual(['read', 'read', 'read'])
    expect(sentAt).toHaveLength(7)
  })

  test('error: a longer wait that is requested while others wait fails them, too', async () => {
    const late = Promise.withResolvers<Response>()
    const { clock, readAll } = createBench(
      [
        () => late.promise,
        () => {
          setImmediate(() => late.resolve(refusal(429, { 'retry-after': '600' })))
          return refusal(429, { 'retry-after': '10' })
        },
      ],
      { ...options, requestsPerSecond: Number.POSITIVE_INFINITY },
    )
    expect(codesOf(await clock.run(readAll(2)))).toEqual(['throttled', 'throttled'])
  })
})

describe('warnings', () => {
  test('behavior: each is reported once for a series, and again for another', async () => {
    await using upstream = startFixtureEia({ maxRows: 1 })
    const warnings: string[] = []
    const observe = { warning: ({ warning }: { warning: string }) => warnings.push(warning) }
    const client = clientOf({ baseUrl: upstream.url, observe })
    await client.listNewestRows(wti)
    await client.listNewestRows(wti)
    await client.listRowsSince(wti, { since: 20261119 })
    expect(warnings).toHaveLength(1)
    await client.listNewestRows({ ...wti, facets: { series: 'RBRTE' } })
    expect(warnings).toHaveLength(2)
    upstream.fail(answerWith(`{"warnings":[{"warning":"other"}],${row.slice(1)}`))
    await client.listNewestRows(wti)
    expect(warnings).toEqual(['incomplete return', 'incomplete return', 'other'])
  })

  test('behavior: thousands of warnings, and long ones, are cut', async () => {
    await using upstream = startFixtureEia()
    const told: { warning: string; description: string }[] = []
    const client = clientOf({ baseUrl: upstream.url, observe: { warning: (event) => told.push(event) } })
    const warnings = Array.from({ length: 2000 }, (_, index) => ({
      warning: `${index} ${'x'.repeat(1000)}`,
      description: 'y'.repeat(1000),
    }))
    upstream.fail(answerWith(`{"warnings":${JSON.stringify(warnings)},${row.slice(1)}`))
    await client.listNewestRows(wti)
    expect(told).toHaveLength(10)
    for (const { warning, description } of told)
      expect([warning.length, description.length]).toEqual([501, 501])
  })

  test('behavior: a reported warning is forgotten after a thousand others', async () => {
    let count = 0
    let told = 0
    const client = clientOf({
      baseUrl: 'https://eia.invalid',
      fetch: async () => new Response(`{"warnings":[{"warning":"${count++ % 1001}"}],${row.slice(1)}`),
      observe: { warning: () => told++ },
    })
    for (let read = 0; read < 1001; read++) await client.listNewestRows(wti)
    expect(told).toBe(1001)
    await client.listNewestRows(wti)
    expect(told).toBe(1002)
  })
})
