import { DAY_MS } from '@wattfeed/base'
import type { SeriesQuery } from '@wattfeed/dataset'

const NEWEST_MS = Date.UTC(2026, 10, 20)

/** A dataset of invented series, as `takeSnapshot` takes it. */
export const inventedDataset = {
  dataset: { route: 'petroleum/pri/spt', frequency: 'daily', columns: ['value'], periods: null },
  facets: ['duoarea', 'product', 'process', 'series'],
}

/** The text of a day so many days before the newest. */
const dayText = (age: number): string => new Date(NEWEST_MS - age * DAY_MS).toISOString().slice(0, 10)

const facetsOf = (series: number) => {
  const id = String(series).padStart(5, '0')
  return { duoarea: `R${id}`, product: `EPC${id}`, process: 'PF4', series: `EER_EPC${id}_PF4_R${id}_DPG` }
}

export const inventedSeries = {
  count: 2_000,
  query(series: number, age: number): SeriesQuery {
    const { route, frequency } = inventedDataset.dataset
    return { route, frequency, column: 'value', facets: facetsOf(series), period: dayText(age) }
  },
}

/** Starts an API with so many rows of invented series. It makes each page when it is asked for, and keeps none. */
export function startInventedDataset(total: number): AsyncDisposable & { url: string } {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { searchParams } = new URL(request.url)
      const first = Number(searchParams.get('offset'))
      const length = Math.min(Number(searchParams.get('length')), total - first)
      const data = Array.from({ length }, (_, offset) => rowAt(first + offset))
      return Response.json({ response: { total: String(total), frequency: 'daily', data } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

function rowAt(index: number) {
  const series = index % inventedSeries.count
  const { duoarea, product, process, series: id } = facetsOf(series)
  return {
    period: dayText(Math.floor(index / inventedSeries.count)),
    duoarea,
    'area-name': `Area ${series}`,
    product,
    'product-name': `Product ${series}`,
    process,
    'process-name': 'Spot Price FOB',
    series: id,
    'series-description': `Invented series ${series}, Spot Price FOB (Dollars per Gallon)`,
    value: ((index * 7_919) % 100_000) / 1_000,
    units: '$/GAL',
  }
}
