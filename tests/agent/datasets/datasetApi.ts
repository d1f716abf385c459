import { join } from 'node:path'
import { encodeKey, type Leaf } from '@wattfeed/dataset'
import { writeTree } from '@wattfeed/dataset/disk'
import { clientOf } from '@wattfeed/eia/testing/eiaClientOf'
import { createFolder } from '@wattfeed/testing/folder'
import { compareBytes } from '../../../packages/dataset/src/bytes.ts'
import { answerEia, type EiaApi, type UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { type SnapshotOptions, takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'

export const spot = {
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  columns: ['value'],
  periods: null,
} as const
const spotFacets = ['series', 'duoarea', 'product', 'process']

/** A row of spot prices, as EIA's API sends it. */
export const spotRow = (period: string, series: string, value: string | null = '1.50'): UpstreamRow => ({
  ...{ period, duoarea: 'NUS', 'area-name': 'U.S.', product: 'EPD2', 'product-name': 'Diesel' },
  ...{ process: 'PF4', 'process-name': 'Spot', series, 'series-description': 'invented', value },
  units: '$/GAL',
})

/** Rows of some series on some days of November, newest first. */
export const spotRows = (days: readonly number[], series: readonly string[]): UpstreamRow[] =>
  days.flatMap((day) =>
    series.map((id) => spotRow(`2026-11-${String(day).padStart(2, '0')}`, id, `${day}.${id.length}0`)),
  )

/** The leaf of a row of spot prices. */
const leafOf = ({ period, value = null, units = null, ...row }: UpstreamRow): Leaf => ({
  ...{ route: spot.route, frequency: spot.frequency, column: 'value' },
  facets: Object.fromEntries(spotFacets.map((id) => [id, row[id] ?? null])),
  ...{ period: period ?? '', value, unit: units },
})

/** The root of the tree with these rows of spot prices, each once. */
export async function rootOf(rows: readonly UpstreamRow[]): Promise<string> {
  using folder = createFolder('in memory')
  const leaves = new Map(rows.map(leafOf).map((leaf) => [encodeKey(leaf).toHex(), leaf]))
  const sorted = [...leaves.values()].sort((a, b) => compareBytes(encodeKey(a), encodeKey(b)))
  return (await writeTree(join(folder.path, 'tree'), sorted)).root
}

/** EIA's API on loopback, with rows that may change before any answer. */
export interface DatasetApi extends AsyncDisposable {
  readonly url: string
  /** Its current rows. */
  rows: readonly UpstreamRow[]
  /** Offsets of the pages that were requested, and `newest` for a request of one row. */
  readonly requests: (number | 'newest')[]
  /** Called before an answer that has no rows; what it returns is sent instead. */
  answerMetadata: (url: URL) => Response | undefined
}

function answered(api: EiaApi, url: URL): Response {
  const { status, body } = answerEia(api, url)
  return Response.json(body, { status })
}

/** Starts an API that sends at most `maxRows` rows of a page. */
export function startDatasetApi(
  rows: readonly UpstreamRow[],
  {
    maxRows = 4,
    route = spot.route,
    before = () => undefined,
  }: {
    maxRows?: number
    route?: string
    /** Called before each answer with rows, with the number of the request, from 1. What it returns is sent instead. */
    before?: (number: number, api: DatasetApi) => Response | undefined
  } = {},
): DatasetApi {
  const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const url = new URL(request.url)
      const metadata = { datasets, rows: new Map(), apiKey: null, maxRows }
      if (!url.pathname.endsWith('/data')) return api.answerMetadata(url) ?? answered(metadata, url)
      const isNewest = url.searchParams.get('length') === '1'
      api.requests.push(isNewest ? 'newest' : Number(url.searchParams.get('offset')))
      const sent = before(api.requests.length, api)
      if (sent !== undefined) return sent
      return answered({ ...metadata, rows: new Map([[route, api.rows]]) }, url)
    },
  })
  const api: DatasetApi = {
    url: `http://127.0.0.1:${server.port}`,
    rows,
    requests: [],
    answerMetadata: () => undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return api
}

/** Takes a snapshot of spot prices, and lists what it says. */
export async function takeFrom(
  api: Pick<DatasetApi, 'url'>,
  out: string,
  options: Partial<SnapshotOptions> = {},
) {
  const said: string[] = []
  const taken = await takeSnapshot({
    eia: clientOf({ baseUrl: api.url }),
    dataset: spot,
    facets: spotFacets,
    out,
    now: () => 1_795_000_000_000,
    minPauseMs: 0,
    onProgress: (step) => {
      if (step.step !== 'check') said.push(step.step === 'again' ? step.why : step.step)
    },
    ...options,
  })
  return { ...taken, said }
}
