import { describe, expect, test } from 'bun:test'
import { encodePeriod, scaleDecimal } from '@wattfeed/eia'
import { clientOf, wti } from '@wattfeed/eia/testing/eiaClientOf'
import { canonicalJson } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import { startUpstream } from '../../../src/demo/standIn/upstream.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'

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

  test('behavior: one row for each period of a feed, except for feeds that select several series', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    const several: string[] = []
    for (const feed of await loadFeeds(null)) {
      const { newest, doubledPeriod } = await eia.inspectSeries(feed, { length: 2 })
      if (newest.period === doubledPeriod) several.push(feed.feed_id)
    }
    expect(several).toEqual(['EIA.PET.IMPORTS.CRUDE_SAU.MONTHLY'])
  })

  test('behavior: of several series that a feed selects, only that of the newest row is kept', async () => {
    await using upstream = startUpstream()
    const route = 'crude-oil-imports'
    const feed = (await loadFeeds(null)).find((each) => each.route === route)
    const other = (await loadFeeds(null)).find((each) => each.route === 'petroleum/pri/spt')
    if (feed === undefined || other === undefined) throw new Error('no such feed')
    const [first] = upstream.listRows(feed)
    const others = upstream.listRows(other)
    for (const each of [feed, other]) upstream.keepOneSeries(each)
    expect(new Set(upstream.listRows(feed).map(({ gradeId }) => gradeId))).toEqual(new Set([first?.gradeId]))
    expect(upstream.listRows(other)).toEqual(others)
  })

  test('behavior: the rows include one with a known hash', async () => {
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

  test('behavior: rows are added and replaced', async () => {
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

  test('behavior: only some periods of a series are kept', async () => {
    await using upstream = startUpstream()
    const brent = { ...wti, facets: { series: 'RBRTE' } }
    const others = upstream.listRows(brent)
    upstream.keepPeriods(wti, (period) => period <= '2026-11-17')
    expect(upstream.listRows(wti).map(({ period }) => period)).toEqual(['2026-11-17', '2026-11-16'])
    expect(upstream.listRows(brent)).toEqual(others)
  })

  test('behavior: two upstreams are independent', async () => {
    await using one = startUpstream()
    await using other = startUpstream()
    one.setRow(wti, { period: '2027-01-01', value: '1' })
    expect(await clientOf({ baseUrl: other.url }).listNewestRows(wti)).toMatchObject([
      { period: '2026-11-20' },
    ])
  })

  test('error: setting a row of a series without rows', async () => {
    await using upstream = startUpstream()
    const row = { period: '2026', value: '1' }
    const message = 'fixtures/eia has no rows of'
    expect(() => upstream.setRow({ ...wti, facets: { series: 'X' } }, row)).toThrow(`${message} ${wti.route}`)
    expect(() => upstream.setRow({ ...wti, route: 'x' }, row)).toThrow(`${message} x`)
  })
})
