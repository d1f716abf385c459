import { describe, expect, test } from 'bun:test'
import { createEiaClient } from '../../src/createEiaClient.ts'
import { clientOf, wti } from './eiaClientOf.ts'
import { answerWith } from './eiaServer.ts'
import { startFixtureEia } from './fixtureEia.ts'
import { hang, throttled } from './upstreamFaults.ts'

const metadata = (url: string, route: string) => fetch(`${url}/v2/${route}?api_key=key`)

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('startEiaServer', () => {
  test('behavior: requests are counted by route, for any query', async () => {
    await using upstream = startFixtureEia()
    const eia = clientOf({ baseUrl: upstream.url })
    await eia.listNewestRows(wti)
    await eia.listFacetValues(wti.route, 'series')
    await eia.listFacetValues('steo', 'seriesId')
    await fetch(`${upstream.url}/v2/nothing/data`)
    expect(Object.fromEntries(upstream.requests)).toEqual({ [wti.route]: 2, steo: 1, nothing: 1 })
  })

  test('behavior: faults apply in order, on one route or any, as often as configured', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(answerWith('a', { status: 501 }), { route: 'steo' })
    upstream.fail(answerWith('b', { status: 502, headers: { 'x-fault': 'yes' } }), { times: 2 })
    upstream.fail(throttled('9'))
    const statusOf = async (route: string) => (await metadata(upstream.url, route)).status
    expect([await statusOf('seds'), await statusOf('steo'), await statusOf('steo')]).toEqual([502, 501, 502])
    const response = await metadata(upstream.url, 'seds')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '9'])
    expect(await statusOf('seds')).toBe(200)
  })

  test('behavior: it stops while a request hangs', async () => {
    const upstream = startFixtureEia()
    upstream.fail(hang)
    const hanging = metadata(upstream.url, 'seds').catch((error: unknown) => error)
    while (upstream.requests.size === 0) await nextTurn()
    await upstream.stop()
    expect(await hanging).toBeInstanceOf(Error)
  })

  test('behavior: every answer takes the configured time', async () => {
    const upstream = startFixtureEia({ delayMs: 600_000 })
    let isAnswered = false
    const answer = metadata(upstream.url, 'seds').then(
      () => {
        isAnswered = true
      },
      () => {},
    )
    while (upstream.requests.size === 0) await nextTurn()
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    expect(isAnswered).toBeFalse()
    await upstream.stop()
    await answer
  })

  test('behavior: it accepts the configured key', async () => {
    await using upstream = startFixtureEia({ apiKey: 'right-key', delayMs: 1 })
    const options = { baseUrl: upstream.url, requestsPerSecond: 1000 }
    expect(await createEiaClient({ ...options, apiKey: 'right-key' }).listNewestRows(wti)).toHaveLength(1)
    const wrong = createEiaClient({ ...options, apiKey: 'wrong-key' }).listNewestRows(wti)
    expect(wrong).rejects.toMatchObject({ code: 'eia_key', eiaCode: 'API_KEY_INVALID', status: 403 })
  })

  test('error: a port that is in use', async () => {
    await using upstream = startFixtureEia()
    expect(() => startFixtureEia({ port: Number(new URL(upstream.url).port) })).toThrow('in use')
  })
})
