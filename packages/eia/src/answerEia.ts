import { envelopeOf } from './api/eiaEnvelope.ts'
import { type EiaParameters, type EiaSort, parseEiaParameters } from './api/eiaParameters.ts'
import {
  type EiaAnswer,
  incompleteReturn,
  notFound,
  refuse,
  refuseKey,
  refuseOption,
  refuseOptions,
} from './api/eiaRefusals.ts'
import { findRouteLevel, type RouteText } from './api/routeLevel.ts'
import type { FacetValue } from './facetValue.ts'

/** A row with all of its dataset's columns, their units and its facets. */
export type UpstreamRow = Record<string, string | null>

export interface FacetAnswer {
  readonly response: { readonly totalFacets: number; readonly facets: readonly FacetValue[] }
}

/** A dataset of the loopback API, with EIA's response bodies: a file in `fixtures/eia`, or an invented one. */
export interface UpstreamDataset {
  readonly route: string
  readonly metadata: {
    readonly response: {
      readonly name?: string
      readonly description?: string
      readonly frequency: readonly { readonly id: string; readonly format?: string }[]
      readonly facets: readonly { readonly id: string }[]
      readonly data: Readonly<Record<string, unknown>>
      readonly defaultFrequency: string
    }
  }
  readonly facets: Readonly<Record<string, FacetAnswer>>
  /** Response to `/v2/{route}/data` with all rows, all of one frequency. */
  readonly data: {
    readonly response: {
      readonly dateFormat: string
      readonly frequency: string
      readonly data: readonly UpstreamRow[]
      readonly description: string
    }
  }
}

/** The rows that a request selects. */
export interface RequestedRows {
  frequency: string
  /** Values by facet; others are open. */
  facets: Readonly<Record<string, readonly string[]>>
}

export interface EiaApi {
  datasets: ReadonlyMap<string, UpstreamDataset>
  rows: ReadonlyMap<string, readonly UpstreamRow[]>
  /** Returns the invented rows of a dataset, in any order. @default none */
  invent?: (dataset: UpstreamDataset, requested: RequestedRows) => readonly UpstreamRow[]
  /** The only accepted key; null accepts any. */
  apiKey: string | null
  /** Maximum number of rows in a response. EIA's limit is 5000. */
  maxRows: number
}

/**
 * Responds like EIA's API: it also rejects invalid requests and echoes the API key.
 *
 * @param header - the header `X-Params`; null without one
 */
export function answerEia(api: EiaApi, url: URL, header: string | null = null): EiaAnswer {
  const parameters = parseEiaParameters(url.searchParams, header)
  if (parameters === null) return refuse('Invalid X-Params provided.')
  const refusal = refuseKeyOf(api, parameters)
  if (refusal !== null) return refusal
  const path = pathBelowV2(url)
  const answer = answerPath(api, path, parameters)
  if (answer.status !== 200) return answer
  return { status: 200, body: { ...Object(answer.body), ...envelopeOf(path, parameters) } }
}

export function pathBelowV2(url: URL): string {
  return url.pathname.replace(/^\/v2(?:\/|$)/, '').replace(/\/+$/, '')
}

function refuseKeyOf({ apiKey }: EiaApi, { api_key = '' }: EiaParameters): EiaAnswer | null {
  const where = 'Get one at https://api.eia.gov:443'
  if (api_key === '') return refuseKey('API_KEY_MISSING', `No api_key was supplied. ${where}`)
  if (apiKey === null || api_key === apiKey) return null
  return refuseKey('API_KEY_INVALID', `An invalid api_key was supplied. ${where}`)
}

function answerPath(api: EiaApi, path: string, parameters: EiaParameters): EiaAnswer {
  const [, route = '', rest = ''] = /^(.*?)(\/data|\/facet(?:\/[^/]+)?)?$/.exec(path) ?? []
  const dataset = api.datasets.get(route)
  if (dataset !== undefined) return answerDataset(api, dataset, rest, parameters)
  const level = findRouteLevel(path, api.datasets.keys(), (below) => textOf(api, below))
  return level === null ? notFound : { status: 200, body: { response: level } }
}

/** EIA's texts of the levels are not known here. */
function textOf({ datasets }: EiaApi, route: string): RouteText {
  const id = route.slice(route.lastIndexOf('/') + 1)
  const { name = id, description = id } = datasets.get(route)?.metadata.response ?? {}
  return { name, description }
}

function answerDataset(
  api: EiaApi,
  dataset: UpstreamDataset,
  rest: string,
  parameters: EiaParameters,
): EiaAnswer {
  if (rest === '') return { status: 200, body: dataset.metadata }
  if (rest === '/data') return answerData(api, dataset, parameters)
  const ids = dataset.metadata.response.facets.map(({ id }) => id)
  if (rest === '/facet')
    return { status: 200, body: { response: { totalFacetOptions: ids.length, facetOptions: ids } } }
  const id = decodeURIComponent(rest.slice('/facet/'.length))
  if (!ids.includes(id)) return refuseOption('facet', id, ids)
  return { status: 200, body: dataset.facets[id] }
}

function answerData(api: EiaApi, dataset: UpstreamDataset, parameters: EiaParameters): EiaAnswer {
  const { metadata, data, route } = dataset
  const refusal = refuseOptions(parameters, {
    frequencies: metadata.response.frequency.map(({ id }) => id),
    columns: Object.keys(metadata.response.data),
    facets: metadata.response.facets.map(({ id }) => id),
  })
  if (refusal !== null) return refusal
  const { frequency = metadata.response.defaultFrequency, facets = {}, sort = [] } = parameters
  const isMatching = (row: UpstreamRow) =>
    (parameters.start === undefined || (row.period ?? '') >= parameters.start) &&
    (parameters.end === undefined || (row.period ?? '') <= parameters.end) &&
    Object.entries(facets).every(([id, values]) => values.includes(row[id] ?? ''))
  const stored = frequency === data.response.frequency ? (api.rows.get(route) ?? []) : []
  const invented = (api.invent?.(dataset, { frequency, facets }) ?? []).filter(isMatching)
  const matching = [...stored.filter(isMatching), ...invented]
  const start = Number(parameters.offset ?? 0)
  const length = Math.min(Number(parameters.length ?? api.maxRows), api.maxRows)
  const page = sortRows(api, matching, sort).slice(start, start + length)
  const unrequested = Object.keys(metadata.response.data).filter((id) => !parameters.data?.includes(id))
  const warnings = [
    ...(matching.length > api.maxRows ? [incompleteReturn(api.maxRows)] : []),
    ...(invented.length > 0 ? [inventedRows] : []),
  ]
  const response = {
    ...(warnings.length > 0 ? { warnings } : {}),
    total: String(matching.length),
    dateFormat: metadata.response.frequency.find(({ id }) => id === frequency)?.format ?? '',
    frequency,
    data: page.map((row) => withoutColumns(row, unrequested)),
    description: data.response.description,
  }
  return { status: 200, body: { response } }
}

/** The rows that an API has sorted last. So all pages of a large dataset are sorted once. */
const lastSorted = new WeakMap<
  EiaApi,
  { rows: readonly UpstreamRow[]; sort: string; sorted: UpstreamRow[] }
>()

function sortRows(api: EiaApi, rows: readonly UpstreamRow[], by: readonly EiaSort[]): readonly UpstreamRow[] {
  const sort = JSON.stringify(by)
  const last = lastSorted.get(api)
  // A row that is changed elsewhere than in its values is another object.
  const isSame = last?.sort === sort && last.rows.length === rows.length
  if (isSame && rows.every((row, index) => row === last.rows[index])) return last.sorted
  const sorted = rows.toSorted((a, b) => {
    for (const { column = '', direction = 'asc' } of by) {
      const [left, right] = [a[column] ?? '', b[column] ?? '']
      if (left !== right) return left < right === (direction === 'asc') ? -1 : 1
    }
    return 0
  })
  lastSorted.set(api, { rows, sort, sorted })
  return sorted
}

function withoutColumns(row: UpstreamRow, columns: readonly string[]): UpstreamRow {
  const isLeftOut = (key: string) => columns.some((column) => key === column || key === `${column}-units`)
  return Object.fromEntries(Object.entries(row).filter(([key]) => !isLeftOut(key)))
}

const inventedRows = {
  warning: 'invented rows',
  description:
    'Rows of this answer are invented, for practice on a local chain. They are not EIA statistics.',
}
