import type { Leaf, LeafKey } from '@wattfeed/dataset'
import type { EiaClient } from '@wattfeed/eia'
import { clientOf } from '@wattfeed/eia/testing/eiaClientOf'
import { answerEia, type UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import { spot } from './datasetApi.ts'

export const spotFacets = ['duoarea', 'process', 'product', 'series']

/** EIA's API in memory, with rows that may change before any answer. */
export interface MemoryEia {
  readonly eia: EiaClient
  /** Its current rows. */
  rows: readonly UpstreamRow[]
  /** The requests for rows. */
  readonly requests: URL[]
}

/** Creates an API of a dataset, spot prices by default, that sends at most `maxRows` rows of a page. */
export function createMemoryEia(
  rows: readonly UpstreamRow[],
  {
    maxRows = 5_000,
    route = spot.route,
    before = () => undefined,
  }: {
    maxRows?: number
    route?: string
    /** Called before each answer with rows, with the number of the request, from 1. What it returns is sent instead. */
    before?: (number: number, api: MemoryEia, url: URL) => Response | undefined
  } = {},
): MemoryEia {
  const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
  const eia = clientOf({
    baseUrl: 'http://eia',
    async fetch(text) {
      const url = new URL(text)
      if (url.pathname.endsWith('/data')) {
        api.requests.push(url)
        const sent = before(api.requests.length, api, url)
        if (sent !== undefined) return sent
      }
      const { status, body } = answerEia(
        { datasets, rows: new Map([[route, api.rows]]), apiKey: null, maxRows },
        url,
      )
      return Response.json(body, { status })
    },
  })
  const api: MemoryEia = { eia, rows, requests: [] }
  return api
}

/** The key of a row of spot prices. */
export const keyOf = ({ period, ...row }: UpstreamRow): LeafKey => ({
  ...{ route: spot.route, frequency: spot.frequency, column: 'value' },
  facets: Object.fromEntries(spotFacets.map((id) => [id, row[id] || null])),
  period: period ?? '',
})

/** Its leaf. */
export const leafOf = (row: UpstreamRow): Leaf => ({
  ...keyOf(row),
  ...{ value: row.value ?? null, unit: row.units ?? null },
})
