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

export interface EiaAnswer {
  status: number
  body: unknown
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

const VERSIONS = { apiVersion: '2.1.8', ExcelAddInVersion: '2.1.0' }

/** Responds like EIA's API: it also rejects invalid requests and echoes the API key. */
export function answerEia(api: EiaApi, url: URL): EiaAnswer {
  const parameters = parseEiaParameters(url.searchParams)
  const refusal = refuseKey(api, parameters)
  if (refusal !== null) return refusal
  const path = pathBelowV2(url)
  const [, route = '', rest = ''] = /^(.*?)(\/data|\/facet(?:\/[^/]+)?)?$/.exec(path) ?? []
  const dataset = api.datasets.get(route)
  // EIA responds with this status, although the code in the body differs.
  if (dataset === undefined) return { status: 500, body: { error: 'Not found.', code: 404 } }
  const answer = answerDataset(api, dataset, rest, parameters)
  if (answer.status !== 200) return answer
  const request = { command: `/v2/${path}/`, params: parameters }
  return { status: 200, body: { ...Object(answer.body), request, ...VERSIONS } }
}

export function pathBelowV2(url: URL): string {
  return url.pathname.replace(/^\/v2\//, '').replace(/\/+$/, '')
}

function refuseKey({ apiKey }: EiaApi, { api_key = '' }: EiaParameters): EiaAnswer | null {
  const refuse = (code: string, words: string): EiaAnswer => ({
    status: 403,
    body: { error: { code, message: `${words} Get one at https://api.eia.gov:443` } },
  })
  if (api_key === '') return refuse('API_KEY_MISSING', 'No api_key was supplied.')
  if (apiKey !== null && api_key !== apiKey)
    return refuse('API_KEY_INVALID', 'An invalid api_key was supplied.')
  return null
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
  if (!ids.includes(id)) return refuseOption('facet', 'facets', id, ids)
  return { status: 200, body: dataset.facets[id] }
}

function answerData(api: EiaApi, dataset: UpstreamDataset, parameters: EiaParameters): EiaAnswer {
  const refusal = refuseData(dataset, parameters)
  if (refusal !== null) return refusal
  const { metadata, data, route } = dataset
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

/** Refuses a frequency, column or facet that the dataset does not have; null if it has them all. */
function refuseData({ metadata }: UpstreamDataset, parameters: EiaParameters): EiaAnswer | null {
  const { frequency, data = [], facets = {} } = parameters
  const frequencies = metadata.response.frequency.map(({ id }) => id)
  if (frequency !== undefined && !frequencies.includes(frequency))
    return refuseOption('frequency', 'frequencies', frequency, frequencies)
  const columns = Object.keys(metadata.response.data)
  const column = data.find((id) => !columns.includes(id))
  if (column !== undefined) return refuseOption('data', 'data', column, columns)
  const facetIds = metadata.response.facets.map(({ id }) => id)
  const facet = Object.keys(facets).find((id) => !facetIds.includes(id))
  return facet === undefined ? null : refuseOption('facet', 'facets', facet, facetIds)
}

function refuseOption(kind: string, kinds: string, given: string, valid: readonly string[]): EiaAnswer {
  const names = new Intl.ListFormat('en').format(valid.map((id) => `'${id}'`))
  const error = `Invalid ${kind} '${given}' provided. The only valid ${kinds} are ${names}.`
  return { status: 400, body: { error, code: 400 } }
}

/** The rows that an API has sorted last. So all pages of a large dataset are sorted once. */
const lastSorted = new WeakMap<
  EiaApi,
  { rows: readonly UpstreamRow[]; sort: string; sorted: UpstreamRow[] }
>()

function sortRows(
  api: EiaApi,
  rows: readonly UpstreamRow[],
  by: readonly { column?: string; direction?: string }[],
): readonly UpstreamRow[] {
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

function incompleteReturn(maxRows: number) {
  return {
    warning: 'incomplete return',
    description: `The API can only return ${maxRows} rows in JSON format. Constrain the request, or use offset.`,
  }
}

const inventedRows = {
  warning: 'invented rows',
  description:
    'Rows of this answer are invented, for practice on a local chain. They are not EIA statistics.',
}

/** The query of a request, as EIA's API parses and echoes it. */
export interface EiaParameters {
  frequency?: string
  data?: string[]
  facets?: Record<string, string[]>
  sort?: { column?: string; direction?: string }[]
  offset?: string
  length?: string
  /** The first period to return. */
  start?: string
  /** The last period to return. */
  end?: string
  api_key?: string
}

const plain = ['frequency', 'offset', 'length', 'start', 'end', 'api_key'] as const

const isPlain = (name: string): name is (typeof plain)[number] => plain.some((each) => each === name)

/** Parses `data[0]=…`, `facets[id][]=…`, `sort[0][column]=…` and the plain parameters; ignores others. */
function parseEiaParameters(query: URLSearchParams): EiaParameters {
  const parameters: EiaParameters = {}
  for (const [name, value] of query) {
    const [, list = name, first = '', second = ''] = /^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?$/.exec(name) ?? []
    if (isPlain(list)) parameters[list] = value
    if (list === 'data') {
      parameters.data ??= []
      parameters.data.push(value)
    }
    if (list === 'facets') {
      parameters.facets ??= {}
      parameters.facets[first] ??= []
      parameters.facets[first].push(value)
    }
    if (list === 'sort' && (second === 'column' || second === 'direction')) {
      parameters.sort ??= []
      const rank = Number(first)
      parameters.sort[rank] = { ...parameters.sort[rank], [second]: value }
    }
  }
  return parameters
}
