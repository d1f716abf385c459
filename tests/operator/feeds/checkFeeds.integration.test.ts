import { describe, expect, test } from 'bun:test'
import { createEiaClient } from '@wattfeed/eia'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { formatChecks } from '../../../src/operator/feeds/check/check.ts'
import { checkFeeds, unitsToWrite } from '../../../src/operator/feeds/check/checkFeeds.ts'
import type { EiaReads } from '../../../src/operator/feeds/eiaReads.ts'
import { startTestUpstream, type TestUpstream } from '../../support/testUpstream.ts'
import { createConfig } from './support/feedConfigs.ts'

const eiaOf = ({ url }: TestUpstream) =>
  createEiaClient({ baseUrl: url, apiKey: 's3cret-k3y', requestsPerSecond: 1_000 })

const wti = createConfig({ upstream_unit: '$/BBL' })
const retail = createConfig({
  feed_id: 'EIA.ELEC.RETAIL.PRICE.US_ALL.MONTHLY',
  route: 'electricity/retail-sales',
  frequency: 'monthly',
  column: 'price',
  facets: { stateid: 'US', sectorid: 'ALL' },
  unit: 'cents/kWh',
  upstream_unit: 'cents per kilowatt-hour',
})

/** State and detail of each check, by name. */
async function checksOf(config: SeriesConfig, eia: EiaReads | null = null) {
  const [feed] = await checkFeeds([config], eia)
  return Object.fromEntries(
    (feed?.checks ?? []).map(({ check, state, detail }) => [check, `${state}: ${detail}`]),
  )
}

describe('against the catalog', () => {
  test('default: checks that need EIA are skipped without a key', async () => {
    expect(await checkFeeds([wti], null)).toEqual([
      {
        feed_id: wti.feed_id,
        is_right: true,
        checks: [
          { check: 'dataset', state: 'passed', detail: 'Spot Prices' },
          { check: 'frequency', state: 'passed', detail: 'daily' },
          { check: 'column', state: 'passed', detail: 'value' },
          { check: 'facets', state: 'passed', detail: 'series' },
          { check: 'series', state: 'passed', detail: 'selected by series=RWTC' },
          { check: 'facet_values', state: 'skipped', detail: 'EIA_API_KEY is not set' },
          { check: 'newest_period', state: 'skipped', detail: 'EIA_API_KEY is not set' },
          { check: 'upstream_unit', state: 'skipped', detail: 'EIA_API_KEY is not set' },
        ],
        newest: null,
        unverified: null,
        is_confirmed: false,
        missing_unit: null,
      },
    ])
  })

  test('error: a dataset that is not in the catalog', async () => {
    expect(await checksOf(createConfig({ route: 'petroleum/pri' }))).toMatchObject({
      dataset: 'failed: the catalog has no dataset petroleum/pri; "feeds datasets" lists those that it has',
      frequency: 'skipped: the dataset is not known',
      column: 'skipped: the dataset is not known',
      facets: 'skipped: the dataset is not known',
      series:
        'skipped: the facets of the dataset are not known: only the rows of EIA show whether that is one series',
    })
  })

  test('error: frequency, column and facet that the dataset does not have', async () => {
    const config = createConfig({
      frequency: 'hourly',
      column: 'price',
      facets: { series: 'RWTC', grade: 'X' },
    })
    expect(await checksOf(config)).toMatchObject({
      dataset: 'passed: Spot Prices',
      frequency: 'failed: the dataset has no frequency hourly; it has monthly, weekly, annual, daily',
      column: 'failed: the dataset has no column price; it has value',
      facets: 'failed: the dataset has no facet grade; it has duoarea, product, process, series',
    })
    const nuclear = { route: 'nuclear-outages/us-nuclear-outages', column: 'outage', facets: { series: 'X' } }
    expect(await checksOf(createConfig(nuclear))).toMatchObject({
      facets: 'failed: the dataset has no facet series; it has none',
    })
  })

  test('behavior: facets that select one series', async () => {
    expect((await checksOf(retail)).series).toBe('passed: every facet is pinned')
    expect((await checksOf({ ...retail, facets: { stateid: 'US' } })).series).toBe(
      'skipped: sectorid left open: only the rows of EIA show whether that is one series',
    )
    const nuclear = { route: 'nuclear-outages/us-nuclear-outages', column: 'outage', facets: {} }
    expect(await checksOf(createConfig(nuclear))).toMatchObject({
      facets: 'passed: no facet is pinned',
      series: 'passed: the dataset is one series',
    })
  })
})

describe('against EIA', () => {
  test('default: every built-in feed passes, except marked ones', async () => {
    await using upstream = startTestUpstream()
    const feeds = await loadFeeds(null)
    const checked = await checkFeeds(feeds, eiaOf(upstream))
    const wrong = checked.filter(({ is_right }) => !is_right)
    expect(checked).toHaveLength(feeds.length)
    expect(wrong.every(({ unverified }) => unverified !== null)).toBeTrue()
    const doubtful = checked.filter(({ is_right, is_confirmed }) => is_right && !is_confirmed)
    expect(doubtful.map(({ feed_id }) => feed_id)).toEqual(['EIA.INTL.CRUDE_PROD.WORLD.ANNUAL'])
  })

  test('default: reports the newest row, and that the feed is confirmed', async () => {
    await using upstream = startTestUpstream()
    const [feed] = await checkFeeds(
      [createConfig({ upstream_unit: '$/BBL', unverified: 'nobody asked' })],
      eiaOf(upstream),
    )
    expect(feed).toMatchObject({
      is_right: true,
      newest: { period: '2026-11-20', value: '58.46', unit: '$/BBL' },
      unverified: 'nobody asked',
      is_confirmed: true,
    })
    expect(feed?.checks.slice(5)).toEqual([
      { check: 'facet_values', state: 'passed', detail: 'series=RWTC' },
      { check: 'newest_period', state: 'passed', detail: '2026-11-20' },
      { check: 'upstream_unit', state: 'passed', detail: '$/BBL' },
    ])
  })

  test('behavior: an open facet is a warning if rows have only one of the values that EIA lists', async () => {
    await using upstream = startTestUpstream()
    const world = (await loadFeeds(null)).filter(({ route }) => route === 'international')
    const checked = await checkFeeds(world, eiaOf(upstream))
    expect(checked).toMatchObject([{ is_right: true, is_confirmed: false }])
    expect(checked[0]?.checks.find(({ check }) => check === 'series')).toEqual({
      check: 'series',
      state: 'warned',
      detail:
        'countryRegionTypeId is left open: EIA lists 2 values, and all 4 rows have only r; pin it with "countryRegionTypeId": "r" to be sure',
    })
    expect(formatChecks([...checked, ...checked], 'feeds.json')).toContain(
      '  warned   series         countryRegionTypeId is left open',
    )
  })

  test('error: an open facet with several values, named with how to pin it, although the newest period has one row', async () => {
    await using upstream = startTestUpstream()
    const open = { ...retail, facets: { stateid: 'US' } }
    upstream.setRow({ ...retail }, { period: '2026-10', value: '14.01' })
    expect(await checksOf(open, eiaOf(upstream))).toMatchObject({
      series:
        'failed: sectorid is left open, and the rows have several values for it (ALL, RES): pin one in "facets", such as "sectorid": "ALL"',
      newest_period: 'passed: 2026-10',
    })
  })

  test('error: rows of several series, even if another value occurs only after 1000 rows', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => ({
      period: new Date(Date.UTC(2026, 10, 20) - index * 864e5).toISOString().slice(0, 10),
      series: 'RWTC',
      product: index < 1_000 ? 'EPCWTI' : 'EPCBRENT',
      value: '1',
      units: '$/BBL',
    }))
    const fetch = async (url: string): Promise<Response> => {
      const { searchParams, pathname } = new URL(url)
      const length = Number(searchParams.get('length'))
      const values = [{ id: 'RWTC', name: 'WTI' }]
      const response = pathname.includes('/facet/')
        ? { facets: values }
        : { total: '1500', frequency: 'daily', data: rows.slice(0, length) }
      return Response.json({ response })
    }
    const baseUrl = 'http://eia.test'
    const eia = createEiaClient({ baseUrl, apiKey: 'k', requestsPerSecond: 1_000, fetch })
    expect((await checksOf(wti, eia)).series).toBe(
      'failed: product is left open, and the rows have several values for it (EPCWTI, EPCBRENT): pin one in "facets", such as "product": "EPCWTI"',
    )
  })

  test('error: two rows for a period that no facet distinguishes', async () => {
    const newest = { period: '2026-09', value: '1', unit: null, statedUnit: retail.upstream_unit ?? null }
    const checks = await checksOf(retail, {
      listFacetValues: async () => [],
      inspectSeries: async () => ({
        newest,
        rowCount: 2,
        values: [],
        isWhole: true,
        openFacets: [],
        doubledPeriod: '2026-08',
      }),
    })
    expect(checks.series).toBe(
      'failed: there is more than one row for 2026-08, and no facet of the catalog distinguishes them',
    )
  })

  test('error: a facet value that EIA does not list, and so no rows', async () => {
    await using upstream = startTestUpstream()
    expect(
      await checksOf({ ...retail, facets: { stateid: 'ZZ', sectorid: 'ALL' } }, eiaOf(upstream)),
    ).toMatchObject({
      facet_values: 'failed: EIA lists no value ZZ for stateid',
      newest_period: expect.stringMatching(/^failed: EIA electricity\/retail-sales: no rows/),
      upstream_unit: 'skipped: the newest rows could not be read',
    })
  })

  test('error: a key that EIA rejects says nothing of the rows', async () => {
    await using upstream = startTestUpstream({ apiKey: 'another-key' })
    expect(await checksOf(wti, eiaOf(upstream))).toMatchObject({
      series: 'skipped: the newest rows could not be read',
      newest_period: expect.stringMatching(/^failed: EIA petroleum\/pri\/spt: EIA rejects the API key/),
      upstream_unit: 'skipped: the newest rows could not be read',
    })
  })

  test('error: rows that state another unit, or none, and a period of another frequency', async () => {
    await using upstream = startTestUpstream()
    expect((await checksOf(createConfig({ upstream_unit: '$/GAL' }), eiaOf(upstream))).upstream_unit).toBe(
      'failed: the rows state $/BBL, but the feed expects $/GAL',
    )
    const asked = (period: string, config: SeriesConfig) =>
      checksOf(config, {
        listFacetValues: async () => [{ id: 'RWTC', name: 'WTI' }],
        inspectSeries: async () => ({
          newest: { period, value: '1', unit: null, statedUnit: null },
          rowCount: 1,
          values: [],
          isWhole: true,
          openFacets: [],
          doubledPeriod: null,
        }),
      })
    expect(await asked('2026-11', createConfig({ upstream_unit: '$/GAL' }))).toMatchObject({
      newest_period: 'failed: "2026-11" is not a daily period: it must be a date, YYYY-MM-DD',
      upstream_unit: 'failed: the rows state no unit, but the feed expects $/GAL: remove "upstream_unit"',
    })
    expect((await asked('2026-11-20', createConfig())).upstream_unit).toBe(
      'passed: the rows state no unit, so there is nothing to compare',
    )
  })

  test('error: no unit if rows state one; it is reported to be written unless another check fails', async () => {
    await using upstream = startTestUpstream()
    const lacking = createConfig()
    const { upstream_unit: _, ...open } = { ...retail, feed_id: 'EIA.OPEN', facets: { stateid: 'US' } }
    const other = createConfig({ feed_id: 'EIA.OTHER', upstream_unit: 'BANANAS' })
    const feeds = await checkFeeds([lacking, open, other], eiaOf(upstream))
    expect(feeds[0]).toMatchObject({ is_right: false, missing_unit: '$/BBL' })
    expect(feeds[0]?.checks.at(-1)).toEqual({
      check: 'upstream_unit',
      state: 'failed',
      detail:
        'the rows state $/BBL, but the feed has no "upstream_unit"; "feeds check --write" adds it once all other checks pass',
    })
    expect(feeds[1]?.missing_unit).toBe('cents per kilowatt-hour')
    expect(feeds[2]?.checks.at(-1)?.detail).toBe('the rows state $/BBL, but the feed expects BANANAS')
    expect(feeds[2]).toMatchObject({ is_right: false, missing_unit: null })
    expect(unitsToWrite(feeds)).toEqual(new Map([[lacking.feed_id, '$/BBL']]))
  })

  test('error: a rejection by EIA is a failed check, without the key', async () => {
    await using upstream = startTestUpstream({ apiKey: 'another' })
    const checks = await checksOf(wti, eiaOf(upstream))
    expect(checks.facet_values).toMatch(
      /^failed: EIA petroleum\/pri\/spt: EIA rejects the API key: An invalid api_key/,
    )
    expect(checks.newest_period).toMatch(/^failed: /)
    expect(JSON.stringify(checks)).not.toContain('s3cret')
  })

  test('behavior: a facet that several feeds use is requested once', async () => {
    await using upstream = startTestUpstream()
    const brent = createConfig({ feed_id: 'EIA.B', facets: { series: 'RBRTE' } })
    await checkFeeds([wti, brent], eiaOf(upstream))
    expect(upstream.requests.get('petroleum/pri/spt')).toBe(3)
  })

  test('behavior: reports its progress', async () => {
    const seen: string[] = []
    await checkFeeds([wti, retail], null, ({ feed_id }, done) => seen.push(`${done} ${feed_id}`))
    expect(seen).toEqual([`1 ${wti.feed_id}`, `2 ${retail.feed_id}`])
  })
})

describe('formatChecks', () => {
  test('default: of one feed all checks', async () => {
    await using upstream = startTestUpstream()
    const checked = await checkFeeds([{ ...retail, unverified: 'nobody asked' }], eiaOf(upstream))
    expect(formatChecks(checked, 'my/feeds.json').split('\n')).toEqual([
      `${retail.feed_id}  right  2026-09 13.59 cents per kilowatt-hour`,
      '  passed   dataset        Electricity Sales to Ultimate Customers',
      '  passed   frequency      monthly',
      '  passed   column         price',
      '  passed   facets         stateid, sectorid',
      '  passed   series         every facet is pinned',
      '  passed   facet values   stateid=US, sectorid=ALL',
      '  passed   newest period  2026-09',
      '  passed   upstream unit  cents per kilowatt-hour',
      '  confirmed: remove "unverified" from its entry in my/feeds.json',
    ])
  })

  test('default: of several what failed', async () => {
    const odd = createConfig({ feed_id: 'EIA.ODD', column: 'price', unverified: 'seen\nnowhere' })
    expect(formatChecks(await checkFeeds([wti, odd], null), 'feeds.json').split('\n')).toEqual([
      'EIA.PET.PRICE.WTI.DAILY  right according to the catalog alone',
      'EIA.ODD                  wrong',
      '  failed   column         the dataset has no column price; it has value',
      '  unverified: seen\\u{a}nowhere',
      '2 checked, 1 wrong',
    ])
  })
})
