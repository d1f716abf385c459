import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import fc from 'fast-check'
import type { Fetch } from '../src/eiaRequest.ts'
import { formatPeriod } from '../src/period/period.ts'
import { type Series, selectRows } from '../src/series.ts'
import { clientOf, wti } from './support/eiaClientOf.ts'
import { startFixtureEia } from './support/fixtureEia.ts'

type Row = Record<string, unknown>

const series: Series = {
  route: 'electricity/retail-sales',
  frequency: 'monthly',
  column: 'price',
  facets: { stateid: 'US', sectorid: '99' },
}
const us = { stateid: 'US', sectorid: '99' }
const row = (period: string, more: Row = {}): Row => ({ period, price: '1', ...us, ...more })

/** A client of an API that always gives the same answer. */
function clientFor(rows: readonly Row[], response: object = {}) {
  const body = JSON.stringify({ response: { total: String(rows.length), ...response, data: rows } })
  return clientOf({ baseUrl: 'https://eia.invalid', fetch: async () => new Response(body) })
}

/** Periods of the returned rows, or facts of the error. */
async function read(rows: readonly Row[], { asked = series, length = 10, response = {} } = {}) {
  const result = await clientFor(rows, response)
    .listNewestRows(asked, { length })
    .catch((error: unknown) => error)
  return Array.isArray(result) ? result.map(({ period }) => period) : { ...Object(result) }
}

describe('facets that are pinned', () => {
  const misfits: [string, Row, string, string | null][] = [
    ['another value', { stateid: 'CA' }, 'stateid', 'CA'],
    ['another case', { stateid: 'us' }, 'stateid', 'us'],
    ['blanks', { stateid: 'US ' }, 'stateid', 'US '],
    ['none', { stateid: undefined }, 'stateid', null],
    ['null', { stateid: null }, 'stateid', null],
    ['true', { stateid: true }, 'stateid', null],
    ['a list', { sectorid: ['99'] }, 'sectorid', null],
    ['another number', { sectorid: 9 }, 'sectorid', '9'],
  ]
  test.each(misfits)('error: the first row has %s', async (_, more, facet, came) => {
    const facts = { code: 'eia_wrong_facet', facet, asked: series.facets[facet], came, retryable: false }
    expect(await read([row('2026-09', more), row('2026-08')])).toMatchObject(facts)
    expect(await read([row('2026-09', more)], { length: 1 })).toMatchObject(facts)
  })

  test('error: the message has the expected value, the actual one and the fix, in short', async () => {
    const error = await errorOf(clientFor([row('2026', { stateid: 'x'.repeat(900) })]).listNewestRows(series))
    expect(error.message).toBe(
      `EIA electricity/retail-sales: expected stateid "US", got "${'x'.repeat(80)}…"; check the feed's facets with "feeds check"`,
    )
    const missing = await errorOf(clientFor([row('2026', { stateid: null })]).listNewestRows(series))
    expect(missing.message).toContain('expected stateid "US", got a row without one')
  })

  test('behavior: an id that EIA sends as a number is compared by its digits', async () => {
    expect(await read([row('2026-09', { sectorid: 99 })])).toEqual(['2026-09'])
  })

  test('behavior: after the first, rows that do not match are dropped, whatever their content', async () => {
    const rows = [
      row('2026-09'),
      row('2026-09', { stateid: 'CA' }),
      row('2027-01', { sectorid: undefined }),
      {},
      row('2026-08'),
    ]
    expect(await read(rows)).toEqual(['2026-09', '2026-08'])
  })

  test('behavior: on a page after the newest rows, the first row need not match', async () => {
    const select = (rows: readonly Row[]) =>
      selectRows({ rows, total: null, status: 200 }, series, { isFirst: false }).rows
    expect(select([row('2026-09', { stateid: 'CA' }), row('2026-08')])).toMatchObject([{ period: '2026-08' }])
    expect(select([])).toEqual([])
    expect(await read([])).toMatchObject({ code: 'eia_no_rows' })
  })
})

describe('response.frequency', () => {
  test('default: as EIA writes it', async () => {
    expect(await read([row('2026-09')], { response: { frequency: 'monthly' } })).toEqual(['2026-09'])
    const hourly = { ...series, frequency: 'local-hourly' }
    expect(
      await read([row('2026-09-01T01-05')], { asked: hourly, response: { frequency: 'local-hourly' } }),
    ).toEqual(['2026-09-01T01-05'])
  })

  test('behavior: it may be missing', async () => {
    expect(await read([row('2026-09')], { response: { frequency: null } })).toEqual(['2026-09'])
  })

  test('error: another one', async () => {
    expect(await read([row('2026-09')], { response: { frequency: 'annual' } })).toMatchObject({
      code: 'eia_wrong_frequency',
      asked: 'monthly',
      came: 'annual',
      retryable: false,
    })
  })
})

describe('several rows', () => {
  test('error: a period that occurs twice', async () => {
    for (const rows of [
      [row('2026-09'), row('2026-09', { price: '2' })],
      [row('2026-09'), row('2026-09'), row('2026-09', { price: '2' })],
      [row('2026-09'), row('2026-09', { 'price-units': 'x' })],
      [row('2026-09'), row('2026-08'), row('2026-08', { price: '2' })],
      [row('2026-09'), row('2026-08'), row('2026-09')],
    ])
      expect(await read(rows)).toMatchObject({
        code: 'eia_doubled_period',
        period: rows[rows.length - 1]?.period,
      })
  })

  test('behavior: identical rows are one', async () => {
    const rows = [row('2026-09'), row('2026-09'), row('2026-09'), row('2026-08'), row('2026-08')]
    expect(await read(rows)).toEqual(['2026-09', '2026-08'])
    expect(await read(rows.slice(0, 3))).toEqual(['2026-09'])
  })

  test('error: a long text that is there twice is cut', async () => {
    const text = 'x'.repeat(1_000_000)
    const error = await errorOf(clientFor([row(text), row(text, { price: '2' })]).listNewestRows(series))
    expect(error).toMatchObject({ code: 'eia_doubled_period', period: `${'x'.repeat(80)}…` })
    expect(error.message.length).toBeLessThan(250)
  })

  test('error: two local hours that are one moment', async () => {
    const hourly = { ...series, frequency: 'local-hourly' }
    expect(await read([row('2026-09-01T01-05'), row('2026-09-01T00-06')], { asked: hourly })).toMatchObject({
      code: 'eia_doubled_period',
    })
  })

  test('behavior: local hours are in the order of time, not of their texts', async () => {
    const hourly = { ...series, frequency: 'local-hourly' }
    const rows = [row('2026-11-01T01-06'), row('2026-11-01T01-05'), row('2026-11-01T00-05')]
    expect(await read(rows, { asked: hourly })).toHaveLength(3)
    const inOtherZones = [row('2026-03-08T02-07'), row('2026-03-08T03-05')]
    expect(await read(inOtherZones, { asked: hourly })).toHaveLength(2)
    expect(await read(inOtherZones.toReversed(), { asked: hourly })).toMatchObject({ code: 'eia_row_order' })
  })

  test('error: not newest first, even in an answer to a request for one', async () => {
    const facts = { code: 'eia_row_order', period: '2026-10', precededBy: '2026-09', retryable: false }
    expect(await read([row('2026-09'), row('2026-10')])).toMatchObject(facts)
    expect(await read([row('2026-09'), row('2026-10')], { length: 1 })).toMatchObject(facts)
    expect(await read([row('2026-11'), row('2026-09'), row('2026-10')])).toMatchObject(facts)
  })

  test('error: a period of another frequency', async () => {
    expect(await read([row('2026-09'), row('2026')])).toMatchObject({ code: 'period' })
  })

  test('error: it is reported to the observer', async () => {
    const errors: (string | null)[] = []
    const observe = { request: ({ error }: { error: string | null }) => errors.push(error) }
    const body = JSON.stringify({ response: { data: [row('2026-09'), row('2026')] } })
    const fetch = async () => new Response(body)
    await errorOf(clientOf({ baseUrl: 'https://eia.invalid', fetch, observe }).listNewestRows(series))
    expect(errors).toEqual(['period'])
  })
})

describe('facets that are left open', () => {
  const open = { ...series, facets: { stateid: 'US' }, openFacets: ['sectorid'] }

  test('error: more than one value', async () => {
    const rows = [row('2026-09', { sectorid: 'ALL' }), row('2026-08', { sectorid: 'RES' }), row('2026-07')]
    expect(await read(rows, { asked: open })).toMatchObject({
      code: 'eia_open_facet',
      facet: 'sectorid',
      values: ['ALL', 'RES', '99'],
      retryable: false,
    })
    const error = await errorOf(clientFor(rows).listNewestRows(open))
    expect(error.message).toContain('sectorid must be pinned: EIA returned rows with "ALL", "RES", "99"')
  })

  test('error: a value and none; many are cut', async () => {
    expect(await read([row('2026-09'), row('2026-08', { sectorid: null })], { asked: open })).toMatchObject({
      values: ['99', null],
    })
    const many = Array.from({ length: 12 }, (_, index) =>
      row(`2025-${String(12 - index).padStart(2, '0')}`, { sectorid: String(index) }),
    )
    expect((await errorOf(clientFor(many).listNewestRows(open))).message).toContain('"9" and 2 more')
  })

  test('behavior: one value, and what rows have that do not fit', async () => {
    const rows = [row('2026-09'), row('2026-08'), row('2026-07', { stateid: 'CA', sectorid: 'RES' })]
    expect(await read(rows, { asked: open })).toEqual(['2026-09', '2026-08'])
    expect(await read([row('2026-09', { sectorid: null })], { asked: open })).toEqual(['2026-09'])
  })
})

describe('inspectSeries', () => {
  test('default: the values of open facets, and a period that is there twice', async () => {
    await using upstream = startFixtureEia()
    const open = {
      route: 'electricity/retail-sales',
      frequency: 'monthly',
      column: 'price',
      facets: { stateid: 'US' },
      openFacets: ['sectorid'],
    }
    const client = clientOf({ baseUrl: upstream.url })
    expect(await client.inspectSeries(open)).toMatchObject({
      newest: { period: '2026-09' },
      isWhole: true,
      openFacets: [{ facet: 'sectorid', values: ['ALL', 'RES'] }],
      doubledPeriod: '2026-09',
    })
    const [shown] = (await client.inspectSeries(open)).values
    expect(await client.inspectSeries(open, { length: 1 })).toMatchObject({
      rowCount: 1,
      values: [shown],
      isWhole: false,
    })
    expect(await client.inspectSeries({ ...open, facets: { stateid: 'US', sectorid: 'RES' } })).toMatchObject(
      {
        openFacets: [{ facet: 'sectorid', values: ['RES'] }],
        doubledPeriod: null,
      },
    )
  })

  test('behavior: another series is found where the two newest rows have different periods', async () => {
    const open = { ...series, facets: { stateid: 'US' }, openFacets: ['sectorid'] }
    const rows = [row('2026-09'), row('2026-08', { sectorid: 'RES' })]
    expect(await clientFor(rows).inspectSeries(open)).toMatchObject({
      rowCount: 2,
      openFacets: [{ facet: 'sectorid', values: ['99', 'RES'] }],
      doubledPeriod: null,
    })
  })

  test('behavior: without a total, fewer rows than asked for are all', async () => {
    const client = clientFor([row('2026-09')], { total: null })
    expect((await client.inspectSeries(series)).isWhole).toBeTrue()
    expect((await client.inspectSeries(series, { length: 1 })).isWhole).toBeFalse()
  })

  test('error: a first row that does not fit', async () => {
    const error = await errorOf(clientFor([row('2026-09', { stateid: 'CA' })]).inspectSeries(series))
    expect(error).toMatchObject({ code: 'eia_wrong_facet' })
  })
})

/** An API whose rows may change between requests, by pages. */
function createApi(rows: Row[], { withTotal = true, maxRows = 5000 } = {}) {
  const api = {
    rows,
    asked: [] as [number, number][],
    afterRequest: (_count: number): void => {},
  }
  const fetch: Fetch = async (url) => {
    const { searchParams } = new URL(url)
    const [offset, length] = [Number(searchParams.get('offset')), Number(searchParams.get('length'))]
    api.asked.push([offset, length])
    const data = api.rows.slice(offset, offset + Math.min(length, maxRows))
    const total = withTotal ? { total: String(api.rows.length) } : {}
    const body = JSON.stringify({ response: { ...total, frequency: 'annual', data } })
    api.afterRequest(api.asked.length)
    return new Response(body)
  }
  return Object.assign(api, { client: clientOf({ baseUrl: 'https://eia.invalid', fetch }) })
}

const annual: Series = { route: 'seds', frequency: 'annual', column: 'value', facets: { seriesId: 'T' } }
const year = (period: number, more: Row = {}): Row => ({
  period: String(period),
  value: `${period}.5`,
  seriesId: 'T',
  ...more,
})
/** Rows of this number of years, up to one year, newest first. */
const years = (newest: number, count: number) =>
  Array.from({ length: count }, (_, index) => year(newest - index))
const periodsOf = ({ rows }: { rows: readonly { period: string }[] }) =>
  rows.map(({ period }) => Number(period))
const down = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index)

describe('listRowsSince', () => {
  test('default: what is later than a period, newest first, in one request', async () => {
    const { client, asked } = createApi(years(2025, 60))
    const result = await client.listRowsSince(annual, { since: 2021 })
    expect(result).toEqual({
      rows: down(2025, 2022).map((period) => ({
        period: String(period),
        value: `${period}.5`,
        unit: null,
        statedUnit: null,
      })),
      isComplete: true,
    })
    expect(asked).toEqual([[0, 101]])
  })

  test('behavior: none if the chain has the newest, all where it has none', async () => {
    const { client } = createApi(years(2025, 60))
    expect(await client.listRowsSince(annual, { since: 2025 })).toEqual({ rows: [], isComplete: true })
    expect(periodsOf(await client.listRowsSince(annual))).toEqual(down(2025, 1966))
    // A period that EIA omits counts, too.
    const gap = createApi([year(2025), year(2021), year(2020)])
    expect(periodsOf(await gap.client.listRowsSince(annual, { since: 2022 }))).toEqual([2025])
  })

  test('behavior: at most as many as asked for, and it says that there are more', async () => {
    const { client } = createApi(years(2025, 300))
    const result = await client.listRowsSince(annual, { since: 1800 })
    expect([result.rows.length, result.isComplete]).toEqual([100, false])
    const all = await client.listRowsSince(annual, { since: 1800, most: 225 })
    expect([all.rows.length, all.isComplete]).toEqual([225, true])
    const few = await createApi(years(2025, 3)).client.listRowsSince(annual, { most: 3 })
    expect([few.rows.length, few.isComplete]).toEqual([3, true])
  })

  test('behavior: by pages that overlap in one row', async () => {
    for (const withTotal of [true, false]) {
      const { client, asked } = createApi(years(2025, 50), { withTotal })
      const result = await client.listRowsSince(annual, { since: 2000, pageLength: 10 })
      expect([periodsOf(result), result.isComplete]).toEqual([down(2025, 2001), true])
      expect(asked).toEqual([
        [0, 10],
        [9, 10],
        [18, 10],
      ])
    }
  })

  test('behavior: any length of page, of series and of listing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.option(fc.integer({ min: 1980, max: 2026 })),
        fc.boolean(),
        async (pageLength, count, most, since, withTotal) => {
          const { client } = createApi(years(2025, count), { withTotal })
          const all = down(2025, 2026 - count).filter((period) => period > (since ?? 0))
          const result = await client.listRowsSince(annual, { since, most, pageLength })
          expect(periodsOf(result)).toEqual(all.slice(0, most))
          expect(result.isComplete).toBe(all.length <= most)
        },
      ),
    )
  })

  test('behavior: starts again where rows are added or taken away between pages', async () => {
    for (const change of [
      (rows: Row[]) => [year(2026), ...rows],
      (rows: Row[]) => rows.slice(1),
      (rows: Row[]) => rows.slice(0, 5),
    ]) {
      const api = createApi(years(2025, 40))
      api.afterRequest = (count) => {
        if (count === 2) api.rows = change(api.rows)
      }
      const result = await api.client.listRowsSince(annual, { pageLength: 10, since: 1990 })
      expect(periodsOf(result)).toEqual(api.rows.map(({ period }) => Number(period)).filter((p) => p > 1990))
      expect(api.asked.filter(([offset]) => offset === 0)).toHaveLength(2)
    }
  })

  test('error: rows that move each time', async () => {
    const api = createApi(years(2025, 40))
    api.afterRequest = (count) => {
      api.rows = [year(2025 + count), ...api.rows]
    }
    const error = await errorOf(api.client.listRowsSince(annual, { pageLength: 10 }))
    expect({ ...error }).toMatchObject({ code: 'eia_rows_moved', route: 'seds', retryable: true })
    expect(api.asked).toHaveLength(6)
  })

  test('behavior: rows that do not fit are left out, also at the borders of pages', async () => {
    const rows = years(2025, 12).flatMap((own) => [own, year(Number(own.period), { seriesId: 'X' })])
    for (const pageLength of [2, 3, 4, 5]) {
      const result = await createApi(rows).client.listRowsSince(annual, { pageLength, since: 2016 })
      expect([periodsOf(result), result.isComplete]).toEqual([down(2025, 2017), true])
    }
  })

  test('error: faults across the border of two pages', async () => {
    const read = async (rows: Row[], asked: Series = annual) => {
      const { client } = createApi(rows)
      return { ...(await errorOf(client.listRowsSince(asked, { pageLength: 3 }))) }
    }
    const first = years(2025, 3)
    expect(await read([...first, year(2024)])).toMatchObject({ code: 'eia_doubled_period', period: '2024' })
    expect(await read([...first, year(2026)])).toMatchObject({ code: 'eia_row_order', period: '2026' })
    const open = { ...annual, openFacets: ['stateId'] }
    expect(await read([...first, year(2022, { stateId: 'CA' })], open)).toMatchObject({
      code: 'eia_open_facet',
      facet: 'stateId',
    })
    expect(await read([year(2025, { seriesId: 'X' }), ...first])).toMatchObject({ code: 'eia_wrong_facet' })
    expect(await read([])).toMatchObject({ code: 'eia_no_rows' })
  })

  test('behavior: different rows of a period on demand, in one or two pages, and only of one series', async () => {
    const doubled = [year(2025), year(2024), year(2024, { value: '1' }), year(2023)]
    for (const pageLength of [2, 3, 100]) {
      const { client } = createApi(doubled)
      const result = await client.listRowsSince(annual, { since: 2023, mayDouble: true, pageLength })
      expect(result.rows.map(({ value }) => value)).toEqual(['2025.5', '2024.5', '1'])
    }
    const { client } = createApi([...doubled, year(2022, { stateId: 'CA' })])
    const open = { ...annual, openFacets: ['stateId'] }
    expect({ ...(await errorOf(client.listRowsSince(open, { mayDouble: true }))) }).toMatchObject({
      code: 'eia_open_facet',
    })
    const disordered = createApi([year(2024), year(2024, { value: '1' }), year(2025)]).client
    expect({ ...(await errorOf(disordered.listRowsSince(annual, { mayDouble: true }))) }).toMatchObject({
      code: 'eia_row_order',
    })
  })

  test('behavior: rows before the known period are not checked', async () => {
    const { client } = createApi([...years(2025, 3), year(2024), year(2024)])
    expect(periodsOf(await client.listRowsSince(annual, { since: 2023 }))).toEqual([2025, 2024])
  })

  test('behavior: an API that sends other rows without end is not read to its end', async () => {
    const rows = [year(2025), ...Array.from({ length: 20_000 }, (_, index) => year(index, { seriesId: 'X' }))]
    const api = createApi(rows)
    const result = await api.client.listRowsSince(annual, { since: 2000, pageLength: 2000 })
    expect([periodsOf(result), result.isComplete]).toEqual([[2025], false])
    expect(api.asked.length).toBeLessThan(60)
  })

  test('behavior: nor is it where rows that do not fit make every page short', async () => {
    const others = Array.from({ length: 3_000 }, (_, index) => year(index, { seriesId: 'X' }))
    const api = createApi([...years(2025, 50), ...others])
    const result = await api.client.listRowsSince(annual, { since: 1000, most: 50 })
    expect([result.rows.length, result.isComplete]).toEqual([50, false])
    expect(api.asked.length).toBeLessThan(30)
  })

  test('behavior: an API that speaks of rows and does not send them', async () => {
    const api = createApi(years(2025, 5), { maxRows: 1 })
    const result = await api.client.listRowsSince(annual)
    expect([periodsOf(result), result.isComplete]).toEqual([[2025], false])
  })

  test('error: an abort', async () => {
    const { client } = createApi(years(2025, 5))
    const reason = new Error('stop')
    const reading = client.listRowsSince(annual, { signal: AbortSignal.abort(reason) })
    expect(await reading.catch((error: unknown) => error)).toBe(reason)
  })
})

describe('listNewestRows', () => {
  test('default: by length, over sockets', async () => {
    await using upstream = startFixtureEia()
    const client = clientOf({ baseUrl: upstream.url })
    const all = await client.listNewestRows(wti, { length: 5 })
    expect(await client.listNewestRows(wti, { length: 1 })).toEqual(all.slice(0, 1))
    const since = await client.listRowsSince(wti, { since: 20261118, pageLength: 2 })
    expect(since.rows.map(({ period }) => period)).toEqual(
      [20261120, 20261119].map((period) => formatPeriod('daily', period) ?? ''),
    )
  })
})
