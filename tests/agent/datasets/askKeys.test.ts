import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '@wattfeed/base'
import type { LeafKey } from '@wattfeed/dataset'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { type AskOptions, askKeys } from '../../../src/agent/datasets/askKeys.ts'
import { spot, spotRow, spotRows } from './datasetApi.ts'
import { createMemoryEia, keyOf, leafOf, type MemoryEia, spotFacets } from './memoryEia.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])

const ask = (api: MemoryEia, keys: readonly LeafKey[], changes: Partial<AskOptions> = {}) =>
  askKeys(keys, {
    ...{ eia: api.eia, dataset: spot, facets: spotFacets, withUnit: new Set<string>(), minPauseMs: 0 },
    ...changes,
  })

/** The answers, in the order of the keys. */
async function answersOf(api: MemoryEia, keys: readonly LeafKey[], changes: Partial<AskOptions> = {}) {
  const { answers } = await ask(api, keys, changes)
  const byKey = new Map(answers.map(({ key, leaf }) => [key, leaf]))
  return keys.map((key) => byKey.get(key))
}

const day = (number: number): string =>
  new Date(Date.UTC(2026, 0, 1) + number * DAY_MS).toISOString().slice(0, 10)

/** A row of its own on each day and in each series. */
const diagonal = (count: number, id = (number: number) => `S${number}`): UpstreamRow[] =>
  Array.from({ length: count }, (_, number) => spotRow(day(number), id(number), `${number}.5`))

/** The rows of all days and all series. */
const square = (count: number): UpstreamRow[] =>
  Array.from({ length: count }, (_, at) =>
    diagonal(count).map(({ series }) => spotRow(day(at), series ?? '', `${at}.5`)),
  ).flat()

const filters = ({ searchParams }: URL, facet: string): string[] => searchParams.getAll(`facets[${facet}][]`)

describe('the answers', () => {
  test('default: keys of several periods and series need one request, and other rows of it are ignored', async () => {
    const api = createMemoryEia(rows)
    const wanted = [rows[0], rows[5], rows[6]].filter((row) => row !== undefined)
    expect(await answersOf(api, wanted.map(keyOf))).toEqual(wanted.map(leafOf))
    const [url, ...others] = api.requests
    expect(others).toEqual([])
    expect(Object.fromEntries(spotFacets.map((id) => [id, url && filters(url, id)]))).toEqual({
      ...{ duoarea: ['NUS'], process: ['PF4'], product: ['EPD2'] },
      series: ['A', 'B', 'CC'],
    })
    expect(url?.searchParams.get('start')).toBe('2026-11-19')
    expect(url?.searchParams.get('end')).toBe('2026-11-20')
  })

  test('behavior: a row that is gone is null, and one whose value is withheld is a leaf', async () => {
    const withheld = spotRow('2026-11-19', 'B', null)
    const api = createMemoryEia(rows.slice(1).with(4, withheld))
    const keys = [keyOf(spotRow('2026-11-20', 'A')), keyOf(withheld)]
    expect(await answersOf(api, keys)).toEqual([null, leafOf(withheld)])
  })

  test('behavior: no keys, no request', async () => {
    const api = createMemoryEia(rows)
    expect([await answersOf(api, []), api.requests]).toEqual([[], []])
  })

  test.each([
    ['null', null],
    ['an empty text', ''],
  ])('behavior: rows without a facet (%s) are found, by a request that leaves it open', async (_, none) => {
    const without = { ...spotRow('2026-11-20', 'A', '7'), product: none }
    const api = createMemoryEia([without, ...rows])
    const keys = [keyOf(without), keyOf(spotRow('2026-11-20', 'A'))]
    expect(keys[0]?.facets.product).toBeNull()
    expect((await answersOf(api, keys)).map((leaf) => leaf?.value)).toEqual(['7', '20.10'])
    expect(api.requests.map((url) => filters(url, 'product'))).toEqual([['EPD2'], []])
  })

  test('behavior: each column of a row is a leaf of its own, with its unit', async () => {
    const route = 'electricity/retail-sales'
    const row = { period: '2026-08', stateid: 'US', sectorid: 'ALL', price: '12.5', sales: '1' }
    const sent = { ...row, 'price-units': 'cents', 'sales-units': 'MWh' }
    const api = createMemoryEia([sent], { route })
    const facets = ['sectorid', 'stateid']
    const dataset = { route, frequency: 'monthly', columns: ['sales', 'price'], periods: null }
    const key = { route, frequency: 'monthly', facets: { stateid: 'US', sectorid: 'ALL' }, period: '2026-08' }
    const keys = ['sales', 'price'].map((column) => ({ ...key, column }))
    expect(await answersOf(api, keys, { dataset, facets })).toEqual([
      { ...key, column: 'sales', value: '1', unit: 'MWh' },
      { ...key, column: 'price', value: '12.5', unit: 'cents' },
    ])
    expect(api.requests.length).toBe(1)
  })

  test('behavior: a unit that is not hashed is not in a leaf', async () => {
    const route = 'international'
    const facets = ['activityId', 'countryRegionId', 'countryRegionTypeId', 'dataFlagId', 'productId', 'unit']
    const named = Object.fromEntries(facets.map((id) => [id, 'X']))
    const api = createMemoryEia([{ period: '2025', ...named, value: '1', 'value-units': 'TBPD' }], { route })
    const dataset = { ...spot, route, frequency: 'annual' }
    const key = { route, frequency: 'annual', column: 'value', facets: named, period: '2025' }
    expect(await answersOf(api, [key], { dataset, facets })).toEqual([{ ...key, value: '1', unit: null }])
  })

  test('behavior: the texts are those of the rows with the keys', async () => {
    const api = createMemoryEia(rows.with(1, { ...spotRow('2026-11-20', 'B'), 'series-description': 'two' }))
    const { texts } = await ask(api, [keyOf(spotRow('2026-11-20', 'B')), keyOf(spotRow('2026-11-19', 'A'))])
    expect(texts.members()).toEqual([
      'area-name',
      'product-name',
      'process-name',
      'series-description',
      'units',
    ])
    const found = texts.textsOf('series-description', 'series')
    expect([found.state, Object.fromEntries(found.texts)]).toEqual([
      'determined',
      { B: 'two', A: 'invented' },
    ])
    expect(texts.textsOf('series-description', 'product').state).toBe('different')
  })

  test('behavior: a failure that may pass is retried', async () => {
    const api = createMemoryEia(rows, {
      before: (number) => (number < 3 ? new Response('', { status: 500 }) : undefined),
    })
    expect(await answersOf(api, [keyOf(spotRow('2026-11-20', 'A'))])).toMatchObject([{ value: '20.10' }])
  })

  test('error: an abort', async () => {
    const stop = new AbortController()
    const api = createMemoryEia(rows, { before: () => stop.abort('stopped') as undefined })
    const asking = ask(api, rows.map(keyOf), { signal: stop.signal })
    expect(await asking.catch((error: unknown) => error)).toBe('stopped')
  })
})

describe('what is asked', () => {
  test('behavior: a box of more than 5,000 rows is divided', async () => {
    const api = createMemoryEia(square(72))
    const wanted = diagonal(72)
    expect(await answersOf(api, wanted.map(keyOf))).toEqual(wanted.map(leafOf))
    // Two halves of 36 days and 36 series each.
    expect(api.requests.map((url) => filters(url, 'series').length)).toEqual([72, 36, 36])
  })

  test('behavior: a box is divided where the fewest other rows are in reach', async () => {
    // Two groups of days, years apart: dividing the series would leave all days between them in both halves.
    const early = Array.from({ length: 40 }, (_, at) => spotRow(`19${50 + at}-01-02`, 'A'))
    const all = Array.from({ length: 6_000 }, (_, at) => spotRow(day(at - 27_000), 'A'))
    const late = diagonal(3)
    const api = createMemoryEia([...all, ...late])
    await ask(api, [early[1], early[2], ...late].filter((row) => row !== undefined).map(keyOf))
    const ranges = api.requests.map(({ searchParams }) => [
      searchParams.get('start'),
      searchParams.get('end'),
    ])
    expect(ranges).toEqual([
      ['1951-01-02', '2026-01-03'],
      ['1951-01-02', '1952-01-02'],
      ['2026-01-01', '2026-01-03'],
    ])
  })

  test('behavior: values that would make the URL too long are left out', async () => {
    const long = (number: number) => `EER_EPC${number}_${'X'.repeat(40)}_&=%`
    const wanted = diagonal(200, long)
    const api = createMemoryEia(wanted)
    expect(await answersOf(api, wanted.map(keyOf))).toEqual(wanted.map(leafOf))
    expect(
      api.requests.map((url) => [filters(url, 'series').length, filters(url, 'product').length]),
    ).toEqual([[0, 1]])
    expect(Math.max(...api.requests.map((url) => url.href.length))).toBeLessThan(8_000)
  })

  test('behavior: of the values, the longest list is left out', async () => {
    const wanted = diagonal(90).map((row, number) => ({ ...row, duoarea: `${'X'.repeat(60)}${number}` }))
    const api = createMemoryEia(wanted)
    expect(await answersOf(api, wanted.map(keyOf))).toEqual(wanted.map(leafOf))
    expect(api.requests.map((url) => spotFacets.map((id) => filters(url, id).length))).toEqual([
      [0, 1, 1, 90],
    ])
  })

  test.each([30, 60])('behavior: no URL is longer than 8,000 characters (%i values)', async (count) => {
    const wanted = diagonal(count, (number) => `S${number}_${'ü&'.repeat(10)}`)
    const api = createMemoryEia(wanted)
    expect(await answersOf(api, wanted.map(keyOf))).toEqual(wanted.map(leafOf))
    expect(Math.max(...api.requests.map((url) => url.href.length))).toBeLessThan(8_000)
  })

  test('behavior: keys that no snapshot of the dataset has are not asked for', async () => {
    const api = createMemoryEia(rows)
    const key = keyOf(spotRow('2026-11-20', 'A'))
    const { series: _, ...fewer } = key.facets
    const strange: LeafKey[] = [
      { ...key, route: 'petroleum/pri/gnd' },
      { ...key, frequency: 'weekly' },
      { ...key, column: 'price' },
      { ...key, facets: fewer },
      { ...key, facets: { ...key.facets, other: null } },
      { ...key, period: '2026-11' },
      { ...key, period: '2026-11-20T00' },
    ]
    expect(await answersOf(api, strange)).toEqual(strange.map(() => undefined))
    expect(api.requests).toEqual([])
  })

  test('behavior: a key that EIA refuses does not keep the others from an answer', async () => {
    const evil = keyOf(spotRow('2026-11-20', 'EVIL'))
    const api = createMemoryEia(rows, {
      before: (_, _api, url) =>
        url.search.includes('EVIL') ? Response.json({ error: 'no', code: 400 }, { status: 400 }) : undefined,
    })
    const answers = await answersOf(api, [evil, ...rows.map(keyOf)])
    expect(answers).toEqual([undefined, ...rows.map(leafOf)])
    expect(await errorOf(ask(api, [evil]))).toMatchObject({ code: 'eia_error', status: 400 })
  })

  test('error: a wrong API key is no refusal of a key', async () => {
    const api = createMemoryEia(rows, {
      before: () => Response.json({ error: { code: 'API_KEY_INVALID' } }, { status: 403 }),
    })
    expect(await errorOf(ask(api, rows.map(keyOf)))).toMatchObject({ code: 'eia_key' })
    expect(api.requests.length).toBe(1)
  })

  test('behavior: after 30 requests, the other keys have no answer', async () => {
    // An API that always has too many rows.
    const api = createMemoryEia([], {
      before: () => Response.json({ response: { total: '6000', frequency: 'daily', data: [rows[0]] } }),
    })
    const { answers } = await ask(api, diagonal(2_000).map(keyOf))
    expect([answers, api.requests.length]).toEqual([[], 30])
  })
})

describe('pages', () => {
  test('default: a box of several pages is read by pages that overlap in one row', async () => {
    const api = createMemoryEia(rows, { maxRows: 5 })
    expect(await answersOf(api, rows.map(keyOf))).toEqual(rows.map(leafOf))
    expect(api.requests.map(({ searchParams }) => searchParams.get('offset'))).toEqual(['0', '4', '8'])
  })

  test.each<[string, readonly UpstreamRow[]]>([
    ['a row is added', [spotRow('2026-11-20', 'AA'), ...rows]],
    ['a row is removed', rows.slice(1)],
    ['one is removed and another added', [...rows.slice(1), spotRow('2026-11-18', 'DD')]],
    ['a row is added at the end', [...rows, spotRow('2026-11-18', 'DD')]],
    ['the last row is revised', rows.with(4, spotRow('2026-11-19', 'A', '7'))],
  ])('behavior: %s between two pages: they are read again', async (_, later) => {
    const keys = [...rows, spotRow('2026-11-20', 'AA'), spotRow('2026-11-18', 'DD')].map(keyOf)
    const api = createMemoryEia(rows, {
      maxRows: 5,
      before(number, current) {
        if (number === 2) current.rows = later
        return undefined
      },
    })
    const answers = await answersOf(api, keys)
    expect(answers).toEqual(await answersOf(createMemoryEia(later), keys))
    expect(api.requests.map(({ searchParams }) => searchParams.get('offset')).slice(0, 3)).toEqual([
      '0',
      '4',
      '0',
    ])
  })

  test('error: they change during each of three readings', async () => {
    const api = createMemoryEia(rows, {
      maxRows: 5,
      before(number, current) {
        current.rows = rows.slice(number % 2)
        return undefined
      },
    })
    expect(await errorOf(ask(api, rows.map(keyOf)))).toMatchObject({
      code: 'eia_rows_moved',
      retryable: true,
    })
    expect(api.requests.length).toBe(6)
  })

  test.each([
    ['more rows than it sends', '13', 2],
    ['fewer rows than it sends', '3', 1],
    ['rows, and sends none', '3', 1],
  ])('error: EIA counts %s', async (what, total, pages) => {
    const data = what.endsWith('none') ? [] : rows
    const api = createMemoryEia(rows, {
      before: (_, _api, url) =>
        Response.json({
          response: { total, frequency: 'daily', data: data.slice(Number(url.searchParams.get('offset'))) },
        }),
    })
    expect(await errorOf(ask(api, rows.map(keyOf)))).toMatchObject({ code: 'eia_rows_moved' })
    expect(api.requests.length).toBe(3 * pages)
  })

  test('behavior: a row that comes twice is one, and two different rows of one key are an error', async () => {
    const [first = spotRow('', '')] = rows
    expect(await answersOf(createMemoryEia([first, ...rows]), rows.map(keyOf))).toEqual(rows.map(leafOf))
    const other = spotRow('2026-11-20', 'A', '9')
    expect((await errorOf(ask(createMemoryEia([other, ...rows]), rows.map(keyOf)))).message).toBe(
      'petroleum/pri/spt, the row with period "2026-11-20", duoarea "NUS", process "PF4", product "EPD2", series "A": EIA has two different rows: ["9","$/GAL"] and ["20.10","$/GAL"]',
    )
    // That matters to nobody who did not ask for it.
    expect(await answersOf(createMemoryEia([other, ...rows]), rows.slice(1).map(keyOf))).toEqual(
      rows.slice(1).map(leafOf),
    )
  })

  test('error: rows without units, of a column that has some', async () => {
    const api = createMemoryEia(rows.map(({ units: _, ...row }) => row))
    expect(await answersOf(api, rows.slice(0, 1).map(keyOf))).toMatchObject([{ unit: null }])
    const error = await errorOf(ask(api, rows.map(keyOf), { withUnit: new Set(['value']) }))
    expect(error.message).toBe(
      'petroleum/pri/spt, 12 rows from 2026-11-18 to 2026-11-20: have no unit of value, while the snapshot has one; EIA has to correct them',
    )
  })
})
