import { describe, expect, test } from 'bun:test'
import { encodePeriod } from '@wattfeed/eia'
import { datasets } from '@wattfeed/eia/catalog'
import { answerEia, type UpstreamDataset } from '../../../packages/eia/src/answerEia.ts'
import type { EiaAnswer } from '../../../packages/eia/src/api/eiaRefusals.ts'
import { parsePage, rowsOfSeries, type Series } from '../../../packages/eia/src/series.ts'
import { inventRows } from '../../../src/demo/standIn/inventRows.ts'
import { seriesOfDataset } from '../../../src/demo/standIn/seriesOfDataset.ts'
import { createUpstream } from '../../../src/demo/standIn/upstream.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'

const flagship = await loadFeeds(null)
const recorded = createUpstream()
const whole = createUpstream(flagship)

const NOW = Date.UTC(2026, 10, 27, 12)

const ask = (path: string, { api } = whole): EiaAnswer =>
  answerEia(api, new URL(`http://127.0.0.1/v2/${path}${path.includes('?') ? '&' : '?'}api_key=key`))

function askSeries({ route, frequency, column, facets }: Omit<Series, 'openFacets'>, upstream = whole) {
  const pinned = Object.entries(facets).map(([id, value]) => `&facets[${id}][]=${encodeURIComponent(value)}`)
  const sort = '&sort[0][column]=period&sort[0][direction]=desc'
  return ask(`${route}/data?frequency=${frequency}&data[]=${column}${pinned.join('')}${sort}`, upstream)
}

function datasetOf(route: string): UpstreamDataset {
  const dataset = whole.api.datasets.get(route)
  if (dataset === undefined) throw new Error(`there is no ${route}`)
  return dataset
}

const texas: Series = {
  route: 'electricity/retail-sales',
  frequency: 'monthly',
  column: 'price',
  facets: { stateid: 'TX', sectorid: 'RES' },
}

describe('an upstream for the whole catalog', () => {
  test('default: a series of every dataset and frequency has rows of its own', () => {
    const faults: unknown[] = []
    for (const { route, frequencies, columns, facets: ids } of datasets) {
      const { facets } = datasetOf(route)
      const pinned = (ids.includes('series') ? ['series'] : ids).flatMap((id): [string, string][] => {
        const value = facets[id]?.response.facets.at(-1)?.id
        return value === undefined ? [] : [[id, value]]
      })
      for (const [index, frequency] of frequencies.entries()) {
        const column = columns[index % columns.length] ?? ''
        const series = { route, frequency, column, facets: Object.fromEntries(pinned), openFacets: ids }
        const { body, status } = askSeries(series)
        const rows = rowsOfSeries(parsePage(body, series, status), series)
        if (rows.length < 5 || rows.some(({ value }) => !(Number(value) > 0))) faults.push([series, rows])
        for (const { period } of rows) encodePeriod(frequency, period)
      }
    }
    expect(faults).toEqual([])
  })

  test('behavior: a facet lists exactly the values that have rows', () => {
    for (const { route, facets: ids } of datasets) {
      const dataset = datasetOf(route)
      const series = seriesOfDataset(dataset, {})
      for (const id of ids) {
        const listed = dataset.facets[id]?.response.facets.map((value) => value.id) ?? []
        const found = new Set(series.map((facets) => facets[id]).filter((value) => typeof value === 'string'))
        expect([route, id, listed.toSorted()]).toEqual([route, id, [...found].sort()])
      }
    }
  })

  test('behavior: the flagship feeds get the answers of fixtures/eia', () => {
    for (const feed of flagship) expect(askSeries(feed)).toEqual(askSeries(feed, recorded))
  })

  test('behavior: invented rows are marked', () => {
    const marked = (answer: EiaAnswer) => JSON.stringify(answer.body).includes('They are not EIA statistics.')
    expect(marked(askSeries(texas))).toBe(true)
    expect(flagship.filter((feed) => marked(askSeries(feed)))).toEqual([])
  })

  test('behavior: a series has the units and the magnitude of its dataset', () => {
    const [row] = Object(askSeries(texas).body).response.data
    expect(row).toMatchObject({
      stateid: 'TX',
      stateDescription: 'Texas',
      'price-units': 'cents per kilowatt-hour',
    })
    expect(Number(row.price)).toBeGreaterThan(8)
    expect(Number(row.price)).toBeLessThan(30)
  })

  test('behavior: `series` alone selects a series, recorded or invented', () => {
    const gasoline = { route: 'petroleum/pri/gnd', frequency: 'weekly', column: 'value' }
    const rowsOf = (series: string, frequency = 'weekly') =>
      Object(askSeries({ ...gasoline, frequency, facets: { series } }).body).response.data
    const invented = rowsOf('PTE_EPM0_R10')
    expect(invented[0]).toMatchObject({ duoarea: 'R10', product: 'EPM0', process: 'PTE' })
    expect(new Set(invented.map(({ period }: { period: string }) => period)).size).toBe(invented.length)
    // A recorded series also has its other frequencies.
    expect(rowsOf('EMM_EPM0_PTE_NUS_DPG', 'annual')[0]).toMatchObject({ duoarea: 'NUS', product: 'EPM0' })
  })

  test('error: what EIA refuses is refused', () => {
    const route = 'coal/exports-imports-quantity-price'
    expect(ask('coal/nothing/data').status).toBe(500)
    expect(ask(`${route}/data?frequency=hourly`).status).toBe(400)
    expect(ask(`${route}/data?frequency=annual&data[]=value`).status).toBe(400)
    expect(ask(`${route}/data?frequency=annual&facets[series][]=A`).status).toBe(400)
    expect(ask(`${route}/facet/series`).status).toBe(400)
    const unknown = ask(`${route}/data?frequency=annual&data[]=price&facets[countryId][]=XX`)
    expect([unknown.status, Object(unknown.body).response.total]).toEqual([200, '0'])
  })
})

describe('inventRows', () => {
  const monthly = { frequency: 'monthly', facets: { stateid: ['TX'], sectorid: ['RES'] } }

  test('default: the newest periods that are due, always the same', () => {
    const rows = inventRows(datasetOf(texas.route), monthly, NOW)
    expect(rows.slice(0, 2).map(({ period }) => period)).toEqual(['2026-08', '2026-07'])
    const later = inventRows(datasetOf(texas.route), monthly, Date.UTC(2027, 5, 1))
    expect(later[0]?.period).toBe('2027-03')
    expect(later.find(({ period }) => period === '2026-08')).toEqual(rows[0])
  })

  test('behavior: markets have no prices on weekends', () => {
    const rows = inventRows(datasetOf('petroleum/pri/spt'), { frequency: 'daily', facets: {} }, NOW)
    expect(rows.filter(({ period }) => new Date(period ?? '').getUTCDay() % 6 === 0)).toEqual([])
  })
})
