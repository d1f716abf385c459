import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { frequencies, selectRows } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { FeedsFileError, loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'

/** Facts about the flagship feeds that were gathered apart, beside the repository. */
const factsFile = fileURLToPath(new URL('../../../../shared/facts/feeds.tsv', import.meta.url))
const skipWord = existsSync(factsFile) ? '' : ': skipped, ../shared/facts is not there'

const flagship = await loadFeeds(null)
const byId = new Map(flagship.map((feed) => [feed.feed_id, feed]))

/** Why a feed's facets select one series. */
type Reason =
  /** A facet that names the series does alone. */
  | { named: string }
  /** Every facet of the dataset is pinned; there may be none. */
  | 'pinned'
  /** The facets that are left open follow from those that are pinned. */
  | { follows: Record<string, string> }
  /** These facets are open, or pinned to a value that nobody has seen: such a feed is `unverified`. */
  | { doubtful: string[] }

const named = (facet: string): Reason => ({ named: facet })

const reasons: Record<string, Reason> = {
  'EIA.NG.PRICE.HENRYHUB.DAILY': named('series'),
  'EIA.NG.PRICE.HENRYHUB_FUT1.DAILY': named('series'),
  'EIA.NG.STORAGE.L48_WORKING.WEEKLY': named('series'),
  'EIA.NG.PROD.MARKETED.MONTHLY': named('series'),
  'EIA.NG.CONS.TOTAL.MONTHLY': named('series'),
  'EIA.NG.RESERVES.DRY.ANNUAL': named('series'),
  'EIA.NG.IMPORTS.TOTAL.MONTHLY': named('series'),
  'EIA.PET.PRICE.WTI.DAILY': named('series'),
  'EIA.PET.PRICE.BRENT.DAILY': named('series'),
  'EIA.PET.PRICE.GASOLINE_RETAIL.WEEKLY': named('series'),
  'EIA.PET.PRICE.DIESEL_RETAIL.WEEKLY': named('series'),
  'EIA.PET.STOCKS.CRUDE_EXSPR.WEEKLY': named('series'),
  'EIA.PET.PROD.CRUDE_FIELD.MONTHLY': named('series'),
  'EIA.PET.RESERVES.CRUDE.ANNUAL': named('series'),
  'EIA.PET.SUPPLIED.PRODUCTS.WEEKLY': named('series'),
  'EIA.PET.IMPORTS.CRUDE_SAU.MONTHLY': { doubtful: ['gradeId'] },
  'EIA.ELEC.DEMAND.US48.HOURLY': 'pinned',
  'EIA.ELEC.GEN_NG.US48.HOURLY': 'pinned',
  'EIA.ELEC.RETAIL.PRICE.US_ALL.MONTHLY': 'pinned',
  'EIA.ELEC.RETAIL.SALES.US_ALL.MONTHLY': 'pinned',
  'EIA.ELEC.RETAIL.REVENUE.US_ALL.MONTHLY': 'pinned',
  'EIA.ELEC.RETAIL.CUSTOMERS.US_RES.MONTHLY': 'pinned',
  'EIA.COAL.PROD.US.ANNUAL': { doubtful: ['coalRankId'] },
  'EIA.COAL.PRICE.MARKET.US.ANNUAL': 'pinned',
  'EIA.COAL.PRICE.BITUMINOUS.ANNUAL': 'pinned',
  'EIA.DBF.PROD.US.MONTHLY': { doubtful: ['fuelTypeId'] },
  'EIA.DBF.SALES_PRICE.US.MONTHLY': 'pinned',
  'EIA.NUC.OUTAGE.US_PCT.DAILY': 'pinned',
  'EIA.NUC.OUTAGE.US_CAPACITY.DAILY': 'pinned',
  'EIA.STEO.WTI_PRICE.MONTHLY': named('seriesId'),
  'EIA.STEO.BRENT_PRICE.MONTHLY': named('seriesId'),
  'EIA.TOTAL.PRIMARY_CONS.MONTHLY': named('msn'),
  'EIA.SEDS.TOTAL_CONS.CA.ANNUAL': 'pinned',
  'EIA.SEDS.PROD.CA.ANNUAL': 'pinned',
  'EIA.CO2.AGG.US_TOTAL.ANNUAL': 'pinned',
  'EIA.INTL.CRUDE_PROD.WORLD.ANNUAL': {
    follows: {
      countryRegionTypeId: 'countryRegionId: a region is of one type',
      dataFlagId: 'the row: it marks how a value came about',
    },
  },
}

/** The facets that stay open. */
function openFacets({ route, facets }: SeriesConfig): string[] {
  return (findDataset(route)?.facets ?? []).filter((facet) => !(facet in facets))
}

describe('the flagship feeds', () => {
  test('default: 36, each with a reason why it selects one series', () => {
    expect(flagship.map(({ feed_id }) => feed_id)).toEqual(Object.keys(reasons))
    expect(flagship).toHaveLength(36)
  })

  test.each(Object.entries(reasons))('behavior: %s selects one series', (feedId, reason) => {
    const feed = byId.get(feedId)
    if (feed === undefined) throw new Error(`no feed ${feedId}`)
    if (reason === 'pinned') expect(openFacets(feed)).toEqual([])
    else if ('named' in reason) expect(Object.keys(feed.facets)).toEqual([reason.named])
    else if ('follows' in reason) expect(openFacets(feed)).toEqual(Object.keys(reason.follows))
    else for (const facet of reason.doubtful) expect(feed.unverified).toContain(facet)
    expect(feed.unverified === undefined).toBe(reason === 'pinned' || !('doubtful' in reason))
  })

  test('behavior: route, frequency, column and facets are of the catalog', () => {
    for (const { route, frequency, column, facets } of flagship) {
      const dataset = findDataset(route)
      expect(dataset?.frequencies).toContain(frequency)
      expect(dataset?.columns).toContain(column)
      for (const facet of Object.keys(facets)) expect(dataset?.facets).toContain(facet)
    }
  })

  test('behavior: the texts are our own, distinct and small enough for one transaction', () => {
    for (const { title, description, source } of flagship) {
      expect(title).toMatch(/^[ -~]{10,60}$/)
      expect(description).toMatch(/^[A-Z][ -~]{40,288}\.$/)
      expect(source).toBe('EIA')
    }
    expect(new Set(flagship.map(({ title }) => title)).size).toBe(36)
    expect(new Set(flagship.map(({ description }) => description)).size).toBe(36)
  })

  test('behavior: only outlooks hold periods that have not started', () => {
    const future = flagship.filter(({ allow_future }) => allow_future === true).map(({ route }) => route)
    expect(future).toEqual(['steo', 'steo'])
  })

  test('behavior: each has the unit that EIA states for its series', () => {
    const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
    for (const { feed_id, route, frequency, column, facets, upstream_unit } of flagship) {
      const rows = (datasets.get(route)?.data.response.data ?? []).filter((row) =>
        Object.entries(facets).every(([id, value]) => row[id] === value),
      )
      const series = { route, frequency, column, facets }
      const { rows: ofSeries } = selectRows({ rows, total: null, status: 200 }, series)
      expect([feed_id, ...new Set(ofSeries.map(({ statedUnit }) => statedUnit))]).toEqual([
        feed_id,
        upstream_unit ?? null,
      ])
      expect(upstream_unit).toBeString()
    }
  })

  test('behavior: a feed id ends in its frequency', () => {
    for (const { feed_id, frequency } of flagship) expect(feed_id).toEndWith(`.${frequency.toUpperCase()}`)
  })

  test('behavior: unit, decimals, route, frequency and source are those on the recorded chain', () => {
    const readings: { feeds: { feed_id: string }[] } = JSON.parse(
      readFileSync(new URL('../../../fixtures/chain/expected-readings.json', import.meta.url), 'utf8'),
    )
    const onChain = new Map(readings.feeds.map((feed) => [feed.feed_id, feed]))
    for (const { feed_id, unit, decimals, route, frequency, source } of flagship)
      expect(onChain.get(feed_id)).toMatchObject({ feed_id, unit, decimals, route, frequency, source })
  })

  test('behavior: no amount has decimals that upstream would not fill, nor loses any of its rows', () => {
    const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
    for (const { route, column, facets, decimals } of flagship) {
      const rows = datasets.get(route)?.data.response.data ?? []
      const ofSeries = rows.filter((row) => Object.entries(facets).every(([id, value]) => row[id] === value))
      const digits = ofSeries.map((row) => row[column]?.split('.')[1]?.length ?? 0)
      expect(decimals).toBeLessThanOrEqual(6)
      // World production is a quotient of 365 days, which has no end.
      if (route !== 'international' && column !== 'sales' && column !== 'revenue')
        expect(Math.max(...digits)).toBeLessThanOrEqual(decimals)
    }
  })

  test.skipIf(!existsSync(factsFile))(`behavior: the recorded facts hold${skipWord}`, () => {
    const lines = readFileSync(factsFile, 'utf8').trimEnd().split('\n').slice(1)
    const facts = lines.map((line) => {
      const [feed_id, route, frequency, column, , unit, decimals] = line.split('\t')
      return { feed_id, route, frequency, column, unit, decimals: Number(decimals) }
    })
    expect(flagship).toMatchObject(facts)
  })
})

describe('loadFeeds', () => {
  const [feed] = flagship

  /** What a file with this text gives, or its faults. */
  async function load(text: string): Promise<unknown> {
    using folder = createFolder()
    const file = folder.write('mine.json', text)
    try {
      return await loadFeeds(file)
    } catch (error) {
      if (!(error instanceof FeedsFileError)) throw error
      expect(error.file).toBe(file)
      expect(error.message.split('\n').every((line) => line.startsWith(`${file}: `))).toBeTrue()
      return error.faults.map(({ entry, feedId, message }) => [entry, feedId, message])
    }
  }

  test('default: the feeds of a file, in its order', async () => {
    const mine = {
      ...feed,
      feed_id: 'mein.Feed °F',
      unit: '°F',
      decimals: 255,
      facets: {},
      allow_future: true,
    }
    expect(await load(JSON.stringify([mine, feed]))).toEqual([mine, feed])
    expect(await load('[]')).toEqual([])
  })

  test('behavior: every frequency of EIA', async () => {
    const feeds = frequencies.map((frequency) => ({ ...feed, feed_id: frequency, frequency }))
    expect(await load(JSON.stringify(feeds))).toEqual(feeds)
  })

  const id = feed?.feed_id ?? null
  const faulty: [string, object, [string]][] = [
    ['an empty feed id', { feed_id: '' }, ['feed_id is "": it must be a text without control characters']],
    [
      'a feed id with a line break',
      { feed_id: 'A\nB' },
      ['feed_id is "A\\nB": it must be a text without control characters'],
    ],
    ['no title', { title: undefined }, ['title is missing: it must be a text that is not empty']],
    ['an empty description', { description: '' }, ['description is "": it must be a text that is not empty']],
    [
      'a route with a query',
      { route: 'seds?x=1' },
      ['route is "seds?x=1": it must be the path below /v2/, no slash at its ends'],
    ],
    [
      'a route with slashes around',
      { route: '/seds/' },
      ['route is "/seds/": it must be the path below /v2/, no slash at its ends'],
    ],
    [
      'an unknown frequency',
      { frequency: 'yearly' },
      [
        'frequency is "yearly": it must be one of hourly, local-hourly, daily, weekly, four-week-average, monthly, quarterly, annual',
      ],
    ],
    [
      'a facet that is a list',
      { facets: { series: ['A'] } },
      ['facets.series is a list: it must be a text that is not empty'],
    ],
    ['a facet with brackets', { facets: { 'a][b': 'A' } }, ['facets.a][b is not a known field; remove it']],
    [
      'facets that are none',
      { facets: null },
      ['facets is null: it must be an object of facet ids and their values'],
    ],
    [
      'decimals of half a digit',
      { decimals: 1.5 },
      ['decimals is 1.5: it must be a whole number from 0 to 255'],
    ],
    [
      'decimals that no U8 holds',
      { decimals: 256 },
      ['decimals is 256: it must be a whole number from 0 to 255'],
    ],
    [
      'an upstream unit that is null',
      { upstream_unit: null },
      ['upstream_unit is null: it must be a text that is not empty'],
    ],
    [
      'a look_back that is too long',
      { look_back: 101 },
      ['look_back is 101: it must be a whole number from 0 to 100'],
    ],
    ['allow_future as a text', { allow_future: 'yes' }, ['allow_future is "yes": it must be true or false']],
    [
      'unverified without a reason',
      { unverified: true },
      ['unverified is true: it must be a text that is not empty'],
    ],
    ['a field of another name', { asset_id: 'A' }, ['asset_id is not a known field; remove it']],
  ]
  test.each(faulty)('error: %s', async (_, change, [message]) => {
    const feedId = 'feed_id' in change ? change.feed_id : id
    expect(await load(JSON.stringify([{ ...feed, ...change }]))).toEqual([[0, feedId, message]])
  })

  test('error: every fault of every entry', async () => {
    const text = JSON.stringify([{ ...feed, unit: '', decimals: -1 }, 5, { ...feed, feed_id: 7 }, feed, {}])
    const faults = await load(text)
    expect(faults).toHaveLength(2 + 1 + 1 + 10)
    expect(faults).toMatchObject([
      [0, id, 'unit is "": it must be a text that is not empty'],
      [0, id, 'decimals is -1: it must be a whole number from 0 to 255'],
      [1, null, 'it must be an object, a feed'],
      [2, null, 'feed_id is 7: it must be a text without control characters'],
      ...Array(10).fill([4, null, expect.any(String)]),
    ])
  })

  test('error: one feed twice', async () => {
    expect(await load(JSON.stringify([feed, flagship[1], feed]))).toEqual([
      [2, id, 'feed_id repeats that of entry 0; remove one of the two'],
    ])
  })

  test('error: not JSON, or no list', async () => {
    expect(await load('[')).toEqual([[null, null, 'is not a feeds file: it is not JSON; correct its syntax']])
    expect(await load('{}')).toEqual([[null, null, 'it must be a JSON array of feeds']])
  })

  test('error: a file that does not exist', async () => {
    const file = join(tmpdir(), 'no-such-folder', 'feeds.json')
    const { code, retryable, message } = await errorOf(loadFeeds(file))
    expect({ code, retryable, message }).toEqual({
      code: 'feeds_file',
      retryable: false,
      message: `${file}: does not exist; set FEEDS_FILE to a readable file`,
    })
  })
})
