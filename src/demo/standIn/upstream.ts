import { HOUR_MS } from '@wattfeed/base'
import { MAX_PAGE_ROWS } from '@wattfeed/eia'
import { answerEia, type EiaApi, type UpstreamDataset, type UpstreamRow } from '@wattfeed/eia/internal'
import type { SeriesConfig } from '../../feeds/file/feedConfig.ts'
import { catalogDatasets } from './catalogDatasets.ts'
import { inventRows } from './inventRows.ts'
import { upstreamDatasets } from './upstreamDatasets.ts'

/** The stand-in accepts any key. This one is no part of a word in the data, where a key would be redacted. */
export const DEMO_API_KEY = 'invented-key'

export interface UpstreamSeries {
  readonly route: string
  readonly column: string
  readonly facets: Readonly<Record<string, string>>
}

/** The data of an EIA API, with methods to change it. */
export interface Upstream {
  api: EiaApi
  /** Returns the rows of a series with all their columns, newest first. */
  listRows(series: UpstreamSeries): UpstreamRow[]
  /**
   * Adds a row to a series, or replaces the row of the same period. Copies the other fields from the series' first row.
   *
   * @throws {Error} when the series has no rows
   */
  setRow(series: UpstreamSeries, row: { period: string; value: string | null }): void
  /** Removes rows whose facets differ from the newest row's. The agent rejects a selection of several series. */
  keepOneSeries(series: UpstreamSeries): void
  /** Removes a series' rows of other periods. */
  keepPeriods(series: UpstreamSeries, isKept: (period: string) => boolean): void
}

/** An EIA API on loopback. */
export interface RunningUpstream extends Upstream, AsyncDisposable {
  url: string
}

/**
 * Starts an EIA API on a free loopback port. It accepts any API key that is not empty. The parameter is that of
 * {@link createUpstream}.
 */
export function startUpstream(flagship: readonly SeriesConfig[] | null = null): RunningUpstream {
  const upstream = createUpstream(flagship)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { status, body } = answerEia(upstream.api, new URL(request.url), request.headers.get('x-params'))
      return Response.json(body, { status })
    },
  })
  return {
    ...upstream,
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/**
 * Creates an upstream with the rows of `fixtures/eia`.
 *
 * @param flagship if given, the upstream also has an invented row for every other series of the catalog. These feeds keep
 *   the rows of `fixtures/eia` alone.
 */
export function createUpstream(flagship: readonly SeriesConfig[] | null = null): Upstream {
  const all = flagship === null ? upstreamDatasets : catalogDatasets()
  const datasets = new Map(all.map((dataset) => [dataset.route, dataset]))
  const rows = new Map(all.map(({ route, data }) => [route, [...data.response.data]]))
  const inventOnce = rememberLast(inventRows)
  const invent: EiaApi['invent'] = (dataset, requested) => {
    const { route, data } = dataset
    const isStored = requested.frequency === data.response.frequency
    const isTaken = createTaken(dataset, (isStored && rows.get(route)) || [])
    const own = flagship?.filter((feed) => feed.route === route && feed.frequency === requested.frequency)
    return inventOnce(dataset, requested, Date.now()).filter(
      (row) => !own?.some((feed) => rowsMatching([row], feed).length > 0) && !isTaken(row),
    )
  }
  const newestFirst = (series: UpstreamSeries): UpstreamRow[] =>
    rowsMatching(rows.get(series.route) ?? [], series).sort((a, b) =>
      (a.period ?? '') < (b.period ?? '') ? 1 : -1,
    )
  const remove = ({ route }: UpstreamSeries, removed: ReadonlySet<UpstreamRow>): void => {
    const left = rows.get(route)?.filter((row) => !removed.has(row))
    rows.set(route, left ?? [])
  }
  return {
    api: { datasets, rows, apiKey: null, maxRows: MAX_PAGE_ROWS, ...(flagship === null ? {} : { invent }) },
    listRows: newestFirst,
    keepOneSeries(series) {
      const facets = datasets.get(series.route)?.metadata.response.facets ?? []
      const [newest, ...others] = newestFirst(series)
      remove(series, new Set(others.filter((row) => facets.some(({ id }) => row[id] !== newest?.[id]))))
    },
    keepPeriods(series, isKept) {
      remove(series, new Set(newestFirst(series).filter(({ period }) => !isKept(period ?? ''))))
    },
    setRow: (series, row) => setRow(rows.get(series.route) ?? [], series, row),
  }
}

/** Keeps the rows of the last request until the next hour: all pages of a dataset are of the same rows. */
function rememberLast(invent: typeof inventRows): typeof inventRows {
  let last: { key: string; rows: UpstreamRow[] } | null = null
  return (dataset, requested, now) => {
    const key = JSON.stringify([dataset.route, requested, Math.floor(now / HOUR_MS)])
    if (last?.key !== key) last = { key, rows: invent(dataset, requested, now) }
    return last.rows
  }
}

/** Returns a function that tells whether a row's series already has its period. */
function createTaken(
  { metadata }: UpstreamDataset,
  rows: readonly UpstreamRow[],
): (row: UpstreamRow) => boolean {
  const ids = ['period', ...metadata.response.facets.map(({ id }) => id)]
  const keyOf = (row: UpstreamRow): string => JSON.stringify(ids.map((id) => row[id] ?? null))
  const taken = new Set(rows.map(keyOf))
  return (row) => taken.has(keyOf(row))
}

function rowsMatching(rows: readonly UpstreamRow[], { facets }: UpstreamSeries): UpstreamRow[] {
  const pinned = Object.entries(facets)
  return rows.filter((row) => pinned.every(([id, facet]) => row[id] === facet))
}

function setRow(
  rows: UpstreamRow[],
  series: UpstreamSeries,
  { period, value }: { period: string; value: string | null },
): void {
  const { route, column } = series
  const ofSeries = rowsMatching(rows, series)
  const [template] = ofSeries
  if (template === undefined)
    throw new Error(`fixtures/eia has no rows of ${route} for the facets of this series`)
  const same = ofSeries.find((row) => row.period === period)
  if (same === undefined) rows.push({ ...template, period, [column]: value })
  else rows[rows.indexOf(same)] = { ...same, [column]: value }
}
