import { describe, expect, test } from 'bun:test'
import { loadFeeds } from '../../src/agent/feeds/loadFeeds.ts'
import { answerWith, startUpstream } from '../../src/demo/upstream.ts'
import { createEiaClient } from '../../src/eia/createEiaClient.ts'
import { encodePeriod } from '../../src/eia/period.ts'
import { scaleDecimal } from '../../src/eia/scaleDecimal.ts'
import { canonicalJson } from '../../src/eia/sourceHash.ts'
import { clientOf, wti } from '../eia/support/clientOf.ts'
import { hang, throttled } from '../eia/support/upstreamFaults.ts'

const metadata = (url: string, route: string) => fetch(`${url}/v2/${route}?api_key=key`)

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('startUpstream', () => {
  test('default: it has a value for every flagship feed, in the unit that the feed expects', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    for (const feed of await loadFeeds(null)) {
      const [row] = await eia.listNewestRows(feed)
      expect(row?.statedUnit).toBe(feed.upstream_unit ?? row?.statedUnit ?? '')
      expect(encodePeriod(feed.frequency, row?.period ?? '')).toBeGreaterThan(2024)
      expect(scaleDecimal(row?.value ?? '', feed.decimals)).toBeGreaterThan(0n)
    }
  })

  test('behavior: it has one row for each period of a feed, but for those that select several series', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    const several: string[] = []
    for (const feed of await loadFeeds(null)) {
      const { newest, doubledPeriod } = await eia.inspectSeries(feed, { length: 2 })
      if (newest.period === doubledPeriod) several.push(feed.feed_id)
    }
    expect(several).toEqual(['EIA.PET.IMPORTS.CRUDE_SAU.MONTHLY'])
  })

  test('behavior: of several series that a feed selects one can be kept, the newest row’s', async () => {
    await using upstream = startUpstream()
    const route = 'crude-oil-imports'
    const feed = (await loadFeeds(null)).find((each) => each.route === route)
    const other = (await loadFeeds(null)).find((each) => each.route === 'petroleum/pri/spt')
    if (feed === undefined || other === undefined) throw new Error('no such feed')
    const [first] = upstream.rowsOf(feed)
    const others = upstream.rowsOf(other)
    for (const each of [feed, other]) upstream.keepOneSeries(each)
    expect(new Set(upstream.rowsOf(feed).map(({ gradeId }) => gradeId))).toEqual(new Set([first?.gradeId]))
    expect(upstream.rowsOf(other)).toEqual(others)
  })

  test('behavior: a row whose hash is known is among them', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    const rows = await eia.listNewestRows(wti, { length: 9 })
    const row = rows.find(({ period }) => period === '2026-11-16')
    const { route, frequency, facets } = wti
    const source = {
      route,
      frequency,
      facets,
      period: '2026-11-16',
      value: row?.value ?? '',
      unit: row?.unit ?? '',
    }
    expect(canonicalJson(source)).toEndWith('"period":"2026-11-16","value":"59.91","unit":"$/BBL"}')
  })

  test('behavior: a row can be added, and one replaced', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    upstream.setRow(wti, { period: '2026-11-20', value: '58.47' })
    upstream.setRow(wti, { period: '2026-11-23', value: null })
    const unit = { unit: '$/BBL', statedUnit: '$/BBL' }
    expect(await eia.listNewestRows(wti, { length: 3 })).toEqual([
      { period: '2026-11-23', value: null, ...unit },
      { period: '2026-11-20', value: '58.47', ...unit },
      { period: '2026-11-19', value: '59.12', ...unit },
    ])
    const brent = { ...wti, facets: { series: 'RBRTE' } }
    expect(await eia.listNewestRows(brent)).toEqual([{ period: '2026-11-20', value: '62.74', ...unit }])
  })

  test('behavior: what one sets another does not see', async () => {
    await using one = startUpstream()
    await using other = startUpstream()
    one.setRow(wti, { period: '2027-01-01', value: '1' })
    expect(await clientOf({ baseUrl: other.url }).listNewestRows(wti)).toMatchObject([
      { period: '2026-11-20' },
    ])
  })

  test('error: a row of a series that has none', async () => {
    await using upstream = startUpstream()
    const row = { period: '2026', value: '1' }
    const message = 'fixtures/eia has no rows of this series of'
    expect(() => upstream.setRow({ ...wti, facets: { series: 'X' } }, row)).toThrow(`${message} ${wti.route}`)
    expect(() => upstream.setRow({ ...wti, route: 'x' }, row)).toThrow(`${message} x`)
  })

  test('behavior: requests are counted by route, whatever they ask for', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    await eia.listNewestRows(wti)
    await eia.listFacetValues(wti.route, 'series')
    await eia.listFacets('steo')
    await fetch(`${upstream.url}/v2/nothing/data`)
    expect(Object.fromEntries(upstream.requests)).toEqual({ [wti.route]: 2, steo: 1, nothing: 1 })
  })

  test('behavior: faults in their order, on a route or on any, as often as said', async () => {
    await using upstream = startUpstream()
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
    const upstream = startUpstream()
    upstream.fail(hang)
    const hanging = metadata(upstream.url, 'seds').catch((error: unknown) => error)
    while (upstream.requests.size === 0) await nextTurn()
    await upstream.stop()
    expect(await hanging).toBeInstanceOf(Error)
  })

  test('behavior: every answer takes as long as it is told to', async () => {
    const upstream = startUpstream({ delayMs: 600_000 })
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

  test('behavior: it takes the key that it is told to', async () => {
    await using upstream = startUpstream({ apiKey: 'right-key', delayMs: 1 })
    const options = { baseUrl: upstream.url, requestsPerSecond: 1000 }
    expect(await createEiaClient({ ...options, apiKey: 'right-key' }).listNewestRows(wti)).toHaveLength(1)
    const wrong = createEiaClient({ ...options, apiKey: 'wrong-key' }).listNewestRows(wti)
    expect(wrong).rejects.toMatchObject({ code: 'eia_key', eiaCode: 'API_KEY_INVALID', status: 403 })
  })

  test('error: a port that is taken', async () => {
    await using upstream = startUpstream()
    expect(() => startUpstream({ port: Number(new URL(upstream.url).port) })).toThrow('in use')
  })
})
