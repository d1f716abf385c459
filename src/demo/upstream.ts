import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { answerEia, type EiaApi, pathBelowV2, type UpstreamDataset, type UpstreamRow } from './answerEia.ts'

export interface UpstreamOptions {
  /** @default 0, which picks a free one */
  port?: number
  /** Delay of every answer. @default 0 */
  delayMs?: number
  /** The only accepted key. @default null: any that is not empty */
  apiKey?: string | null
  /** Maximum rows of an answer; a warning reports that there were more. @default 5000 */
  maxRows?: number
}

/** A series of a feed. */
export interface UpstreamSeries {
  readonly route: string
  readonly column: string
  readonly facets: Readonly<Record<string, string>>
}

/** A running EIA API. */
export interface Upstream extends AsyncDisposable {
  /** Value for `EIA_BASE_URL`. */
  url: string
  /** Number of requests by route, including refused ones. */
  requests: ReadonlyMap<string, number>
  /** A series' rows with all their columns, newest first. */
  rowsOf(series: UpstreamSeries): UpstreamRow[]
  /**
   * Adds a row to a series, or replaces the one of the same period. Other fields are copied from the series' first row.
   *
   * @throws {Error} when the series has no rows
   */
  setRow(series: UpstreamSeries, row: { period: string; value: string | null }): void
  /** Removes rows that a series selects beside its newest row's, where it leaves a facet open: the agent refuses to choose. */
  keepOneSeries(series: UpstreamSeries): void
  /** Makes the next requests fail. @default of any route, once */
  fail(fault: UpstreamFault, options?: { route?: string; times?: number }): void
  stop(): Promise<void>
}

interface PlannedFault {
  fault: UpstreamFault
  route: string | null
  timesLeft: number
}

/**
 * Starts an EIA API on loopback, with the rows of `fixtures/eia`.
 *
 * @example
 * ```ts
 * await using upstream = startUpstream()
 * const eia = createEiaClient({ baseUrl: upstream.url, apiKey: 'any', requestsPerSecond: 100 })
 * upstream.setRow(series, { period: '2026-11-23', value: '58.02' })
 * ```
 */
export function startUpstream(options: UpstreamOptions = {}): Upstream {
  const { port = 0, delayMs = 0, apiKey = null, maxRows = 5000 } = options
  const datasets = new Map(readUpstreamDatasets().map((dataset) => [dataset.route, dataset]))
  const rows = new Map([...datasets].map(([route, { data }]) => [route, [...data.response.data]]))
  const api: EiaApi = { datasets, rows, apiKey, maxRows }
  const requests = new Map<string, number>()
  const planned: PlannedFault[] = []

  const respond = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const route = routeOf(url)
    requests.set(route, (requests.get(route) ?? 0) + 1)
    const fault = takeFault(planned, route)
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (fault !== null) return fault()
    const { status, body } = answerEia(api, url)
    return answerWith(JSON.stringify(body), { status })()
  }

  // A hanging answer lasts until its client gives up.
  const server = Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 0, fetch: respond })
  const stop = (): Promise<void> => server.stop(true)
  const newestFirst = (series: UpstreamSeries): UpstreamRow[] =>
    rowsOf(rows.get(series.route) ?? [], series).sort((a, b) =>
      (a.period ?? '') < (b.period ?? '') ? 1 : -1,
    )
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    rowsOf: newestFirst,
    keepOneSeries(series) {
      const { route } = series
      const facets = datasets.get(route)?.metadata.response.facets ?? []
      const [newest, ...others] = newestFirst(series)
      const removed = new Set(others.filter((row) => facets.some(({ id }) => row[id] !== newest?.[id])))
      rows.set(
        route,
        (rows.get(route) ?? []).filter((row) => !removed.has(row)),
      )
    },
    setRow: (series, row) => setRow(rows.get(series.route) ?? [], series, row),
    fail: (fault, { route = null, times = 1 }: { route?: string | null; times?: number } = {}) => {
      planned.push({ fault, route, timesLeft: times })
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function routeOf(url: URL): string {
  return pathBelowV2(url).replace(/\/(data|facet(\/[^/]+)?)$/, '')
}

function takeFault(planned: PlannedFault[], route: string): UpstreamFault | null {
  const next = planned.find((fault) => fault.timesLeft > 0 && (fault.route === null || fault.route === route))
  if (next === undefined) return null
  next.timesLeft -= 1
  return next.fault
}

function rowsOf(rows: readonly UpstreamRow[], { facets }: UpstreamSeries): UpstreamRow[] {
  const pinned = Object.entries(facets)
  return rows.filter((row) => pinned.every(([id, facet]) => row[id] === facet))
}

function setRow(
  rows: UpstreamRow[],
  series: UpstreamSeries,
  { period, value }: { period: string; value: string | null },
): void {
  const { route, column } = series
  const ofSeries = rowsOf(rows, series)
  const [template] = ofSeries
  if (template === undefined) throw new Error(`fixtures/eia has no rows of this series of ${route}`)
  const same = ofSeries.find((row) => row.period === period)
  if (same === undefined) rows.push({ ...template, period, [column]: value })
  else rows[rows.indexOf(same)] = { ...same, [column]: value }
}

/** A faulty answer. */
export type UpstreamFault = () => Response | Promise<Response>

/** Returns a fault that answers with this body. @default status 200, JSON */
export const answerWith =
  (
    body: string,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) =>
  (): Response =>
    new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })

const folder = fileURLToPath(new URL('../../fixtures/eia/', import.meta.url))

/** Reads the datasets of the repository's fixtures. */
export function readUpstreamDatasets(): UpstreamDataset[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.sort().map((name): UpstreamDataset => JSON.parse(readFileSync(`${folder}${name}`, 'utf8')))
}
