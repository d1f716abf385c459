import { describe, expect, test } from 'bun:test'
import { createEiaClient } from '@wattfeed/eia'
import { errorOf } from '@wattfeed/testing/errorOf'
import { type NewFeedOptions, newFeed } from '../../../src/operator/feeds/new/newFeed.ts'
import type { NewFeedFlags } from '../../../src/operator/feeds/new/selectSeries.ts'
import { startTestUpstream } from '../../support/testUpstream.ts'
import { createPerson } from './support/person.ts'

const warned: string[] = []
const options = (changes: Partial<NewFeedOptions> = {}): NewFeedOptions => {
  warned.length = 0
  return {
    terminal: null,
    eia: null,
    takenIds: new Set(),
    now: () => Date.parse('2026-11-21'),
    warn: (message) => warned.push(message),
    ...changes,
  }
}

const wti = { route: 'petroleum/pri/spt', frequency: 'daily', facets: { series: 'RWTC' } }
const retail = { route: 'electricity/retail-sales', frequency: 'monthly', column: 'price' }

/** The outcome of a dialog at the terminal, with its complete output. */
async function ask(
  flags: Partial<NewFeedFlags>,
  answers: readonly string[],
  changes: Partial<NewFeedOptions> = {},
) {
  const { terminal, seen } = createPerson(answers)
  return { feed: await newFeed({ facets: {}, ...flags }, options({ terminal, ...changes })), seen: seen() }
}

const eiaOf = (url: string) => createEiaClient({ baseUrl: url, apiKey: 'any', requestsPerSecond: 1_000 })

describe('from flags', () => {
  test('default: without a key all but the unit is suggested, and the feed is marked', async () => {
    const feed = await newFeed({ ...wti, unit: '$/bbl' }, options())
    expect(feed).toEqual({
      feed_id: 'EIA.PET.PRI.SPT.RWTC.DAILY',
      title: 'Spot Prices: RWTC',
      description: "EIA's Spot Prices (petroleum/pri/spt): column value, daily, series RWTC.",
      source: 'EIA',
      route: 'petroleum/pri/spt',
      frequency: 'daily',
      column: 'value',
      facets: { series: 'RWTC' },
      unit: '$/bbl',
      decimals: 6,
      unverified: 'EIA was not queried when this entry was written',
    })
    expect(warned).toEqual([
      'took --title "Spot Prices: RWTC" from dataset, column and facets',
      'took --decimals 6 without any row: 6 are usual for the unit $/bbl. It cannot change once the feed has values',
      'EIA_API_KEY is not set: the entry is marked "unverified"; set it and run "check" to verify the feed',
    ])
  })

  test('default: every flag', async () => {
    const given = {
      id: 'EIA.MINE',
      title: 'Mine',
      description: 'My own',
      unit: '°F',
      decimals: '0',
      allowFuture: true,
    }
    expect(await newFeed({ ...wti, ...given }, options())).toMatchObject({
      feed_id: 'EIA.MINE',
      title: 'Mine',
      description: 'My own',
      unit: '°F',
      decimals: 0,
      allow_future: true,
    })
  })

  test('default: with a key unit and names are EIA’s, and the feed is checked', async () => {
    await using upstream = startTestUpstream()
    const flags = { ...retail, facets: { sectorid: 'RES', stateid: 'US' } }
    const feed = await newFeed(flags, options({ eia: eiaOf(upstream.url) }))
    expect(feed).not.toHaveProperty('unverified')
    expect(feed).toMatchObject({
      feed_id: 'EIA.ELEC.RETAIL_SALES.PRICE.US.RES.MONTHLY',
      title: 'Electricity Sales to Ultimate Customers: price, U.S. Total, residential',
      facets: { stateid: 'US', sectorid: 'RES' },
      unit: 'cents/kWh',
      upstream_unit: 'cents per kilowatt-hour',
      decimals: 6,
    })
    expect(warned).toEqual([
      'took --title "Electricity Sales to Ultimate Customers: price, U.S. Total, residential" from dataset, column and facets',
      'took --decimals 6 from the newest 4 rows, which have at most 2 digits after the decimal point; 6 are usual for the unit cents/kWh. It cannot change once the feed has values',
    ])
  })

  test('behavior: decimals are those of the row with the most digits, not of the newest', async () => {
    const values = ['12', '12.3', '12.34567', null]
    const inspectSeries = async () => ({
      newest: { period: '2026-09', value: '12', unit: null, statedUnit: 'MWh' },
      rowCount: 4,
      values,
      isWhole: true,
      openFacets: [],
      doubledPeriod: null,
    })
    const listFacetValues = async () => [
      { id: 'US', name: 'U.S. Total' },
      { id: 'RES', name: 'residential' },
    ]
    const eia = { inspectSeries, listFacetValues }
    const flags = { ...retail, facets: { stateid: 'US', sectorid: 'RES' }, title: 'Mine' }
    expect((await newFeed(flags, options({ eia }))).decimals).toBe(5)
    expect(warned).toEqual([
      'took --decimals 5 from the newest 4 rows, which have at most 5 digits after the decimal point; 3 are usual for the unit MWh. It cannot change once the feed has values',
    ])
    expect((await newFeed({ ...flags, decimals: '2' }, options({ eia }))).decimals).toBe(2)
    expect(warned).toEqual([])
    const { feed } = await ask({ ...flags, id: 'EIA.MINE', description: 'My own' }, ['', ''], { eia })
    expect([feed.decimals, warned]).toEqual([5, []])
  })

  test('behavior: a warning for a feed of forecasts', async () => {
    await using upstream = startTestUpstream()
    const given = { title: 'WTI', decimals: '2' }
    const flags = { route: 'steo', frequency: 'monthly', facets: { seriesId: 'WTIPUUS' }, ...given }
    const eia = eiaOf(upstream.url)
    expect(await newFeed(flags, options({ eia }))).not.toHaveProperty('allow_future')
    expect(warned).toEqual([
      'the newest period, 2027-12, is not over, so its value is a forecast: without --allow-future it is not attested',
    ])
    expect(await newFeed({ ...flags, allowFuture: true }, options({ eia }))).toMatchObject({
      allow_future: true,
    })
    expect(warned).toEqual([])
  })

  test.each<[string, Partial<NewFeedFlags>, string]>([
    ['no route', {}, '<route> is missing; the dataset must be one of aeo/2014, aeo/2014-er,'],
    [
      'a route that is none',
      { route: 'petroleum/pri' },
      '<route>: unknown dataset petroleum/pri; it must be one of petroleum/pri/',
    ],
    [
      'no frequency',
      { ...wti, frequency: undefined as never },
      '--frequency is missing; the frequency must be one of monthly, weekly, annual, daily',
    ],
    ['a frequency that is none', { ...wti, frequency: 'hourly' }, '--frequency: unknown frequency hourly'],
    [
      'no column',
      { ...retail, column: undefined as never },
      '--column is missing; the column must be one of revenue, sales, price, customers',
    ],
    [
      'a facet that is none',
      { ...wti, facets: { grade: 'X' } },
      '--facet: petroleum/pri/spt has no facet grade; it has duoarea, product, process, series',
    ],
    [
      'no facets',
      { ...wti, facets: {} },
      '--facet duoarea=… is missing: without EIA_API_KEY every facet is required',
    ],
    ['no unit', wti, '--unit is missing, and there is no suggestion for it'],
    [
      'an id that is none',
      { ...wti, unit: 'x', id: 'MINE\n' },
      '--id: it must be a text without control characters',
    ],
    [
      'an id that is taken',
      { ...wti, unit: 'x', id: 'EIA.TAKEN' },
      '--id: EIA.TAKEN is already in the feeds file',
    ],
    ['an empty title', { ...wti, unit: 'x', title: '' }, '--title: it must be a text that is not empty'],
    [
      'decimals that are none',
      { ...wti, unit: 'x', decimals: '1.5' },
      '--decimals: it must be a whole number from 0 to 255',
    ],
    [
      'too many decimals',
      { ...wti, unit: 'x', decimals: '256' },
      '--decimals: it must be a whole number from 0 to 255',
    ],
  ])('error: %s', async (_, flags, words) => {
    const error = await errorOf(
      newFeed({ facets: {}, ...flags }, options({ takenIds: new Set(['EIA.TAKEN']) })),
    )
    expect(error).toMatchObject({ code: 'new_feed', retryable: false })
    expect(error.message).toStartWith(words)
  })

  test('error: checks of the feed that fail at EIA', async () => {
    await using upstream = startTestUpstream()
    const eia = eiaOf(upstream.url)
    const open = { ...retail, facets: { stateid: 'US' } }
    expect(await errorOf(newFeed(open, options({ eia })))).toMatchObject({
      reason: 'missing',
      message: '--facet sectorid=… is missing: EIA has rows of several series, with the values ALL, RES',
    })
    const unknown = { ...retail, facets: { stateid: 'ZZ', sectorid: 'RES' } }
    expect(await errorOf(newFeed(unknown, options({ eia })))).toMatchObject({
      reason: 'unknown',
      message: '--facet: unknown value of stateid ZZ; it must be one of US, CA',
    })
  })
})

describe('at EIA', () => {
  const stated = { period: '2026-09', value: '1', unit: null, statedUnit: 'MWh' }

  test('behavior: at a terminal, prompts for a facet if EIA has several series, and checks again', async () => {
    await using upstream = startTestUpstream()
    const answers = ['US', '', 'resid', '', '', '', '', '']
    const { feed, seen } = await ask(retail, answers, { eia: eiaOf(upstream.url) })
    expect(feed.facets).toEqual({ stateid: 'US', sectorid: 'RES' })
    expect(feed.title).toBe('Electricity Sales to Ultimate Customers: price, U.S. Total, residential')
    expect(seen).toContain('? sectorid (must be pinned: EIA has rows of several series):')
    expect(seen).toContain('❯ ALL  all sectors\n  RES  residential\n')
  })

  test('error: rows of several series that have different periods, all facets named', async () => {
    const openFacets = [
      { facet: 'stateid', values: ['US', 'CA', null] },
      { facet: 'sectorid', values: ['RES'] },
    ]
    const inspectSeries = async () => ({
      newest: stated,
      rowCount: 3,
      values: [],
      isWhole: true,
      openFacets,
      doubledPeriod: null,
    })
    const eia = { inspectSeries, listFacetValues: async () => [] }
    expect(await errorOf(newFeed({ ...retail, facets: {} }, options({ eia })))).toMatchObject({
      reason: 'missing',
      message: '--facet stateid=… is missing: EIA has rows of several series, with the values US, CA, none',
    })
  })

  test('behavior: an open facet of whose values rows have only one is a warning', async () => {
    const inspectSeries = async () => ({
      newest: stated,
      rowCount: 2000,
      values: [],
      isWhole: false,
      openFacets: [{ facet: 'sectorid', values: ['RES'] }],
      doubledPeriod: null,
    })
    const listFacetValues = async () => ['RES', 'US'].map((id) => ({ id, name: id }))
    const eia = { inspectSeries, listFacetValues }
    const given = { title: 'US', decimals: '2' }
    const feed = await newFeed({ ...retail, facets: { stateid: 'US' }, ...given }, options({ eia }))
    expect(feed.upstream_unit).toBe('MWh')
    expect(warned).toEqual([
      'sectorid is left open: EIA lists 2 values, and the newest 2000 rows have only RES; pin it with "sectorid": "RES" to be sure',
    ])
  })
})

describe('at a terminal', () => {
  test('default: prompts for missing flags, and suggests the rest', async () => {
    await using upstream = startTestUpstream()
    const answers = ['retail-sales', 'mon', 'price', 'US', 'resid', 'EIA.MINE', '', '', '', '2']
    const { feed, seen } = await ask({}, answers, { eia: eiaOf(upstream.url) })
    expect(feed).toMatchObject({
      feed_id: 'EIA.MINE',
      title: 'Electricity Sales to Ultimate Customers: price, U.S. Total, residential',
      route: 'electricity/retail-sales',
      frequency: 'monthly',
      column: 'price',
      facets: { stateid: 'US', sectorid: 'RES' },
      unit: 'cents/kWh',
      decimals: 2,
    })
    expect(seen).toContain('? id: (EIA.ELEC.RETAIL_SALES.PRICE.US.RES.MONTHLY)')
    expect(seen).toContain('? unit: (cents/kWh)')
    expect(seen).toContain('? decimals: (6)')
  })

  test('behavior: a series needs no other facet, and is prompted for first', async () => {
    const { feed, seen } = await ask({ route: 'petroleum/pri/spt', frequency: 'daily' }, [
      'RWTC',
      '',
      '',
      '',
      '$/bbl',
      '',
    ])
    expect(feed.facets).toEqual({ series: 'RWTC' })
    expect(seen.match(/(?<=✔ )[^:]+/g)).toEqual([
      'series (empty leaves it open)',
      'id',
      'title',
      'description',
      'unit',
      'decimals',
    ])
  })

  test('behavior: a facet may be left open', async () => {
    const { feed } = await ask(retail, ['US', '', '', '', '', 'cents/kWh', ''])
    expect(feed.facets).toEqual({ stateid: 'US' })
  })

  test('behavior: no prompt for a given answer', async () => {
    const given = { id: 'EIA.MINE', title: 'Mine', description: 'My own', unit: '$/bbl', decimals: '6' }
    const { feed, seen } = await ask({ ...wti, ...given }, [])
    expect([feed.feed_id, seen]).toEqual(['EIA.MINE', ''])
  })

  test('behavior: prompts again if the id is in use', async () => {
    const takenIds = new Set(['EIA.PET.PRI.SPT.RWTC.DAILY'])
    const { feed, seen } = await ask({ ...wti, unit: '$/bbl' }, ['', 'EIA.MINE', '', '', ''], { takenIds })
    expect(feed.feed_id).toBe('EIA.MINE')
    expect(seen).toContain('EIA.PET.PRI.SPT.RWTC.DAILY is already in the feeds file')
  })

  test('error: the prompt is closed', async () => {
    expect(await errorOf(ask(wti, ['EIA.MINE']))).toMatchObject({ code: 'prompt_closed' })
  })
})
