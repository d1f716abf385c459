import type { DatasetSeries } from '@wattfeed/dataset'
import { FACET_PARAMETER } from 'wattfeed/internal'

export const SERIES_PATH = '/explorer/series'

/** Returns the parameters that name a series in an address. */
export const seriesPairs = ({ route, frequency, column, facets }: DatasetSeries): [string, string][] => [
  ['route', route],
  ['frequency', frequency],
  ['column', column],
  ...Object.entries(facets).map(([id, code]): [string, string] => [`${FACET_PARAMETER}${id}`, code ?? '']),
]

/** More than any dataset has. */
const MAX_FACETS = 50

/** Returns the series that an address names; null if a part is missing or there twice. */
export function seriesOf(query: URLSearchParams): DatasetSeries | null {
  const only = (name: string): string | null => {
    const [text = '', ...others] = query.getAll(name)
    return others.length > 0 || text === '' || text.includes('\0') ? null : text
  }
  const [route, frequency, column] = [only('route'), only('frequency'), only('column')]
  if (route === null || frequency === null || column === null) return null
  const names = [...query.keys()].filter((name) => name.startsWith(FACET_PARAMETER))
  if (names.length === 0 || names.length > MAX_FACETS || new Set(names).size < names.length) return null
  const facets = names.map((name) => [name.slice(FACET_PARAMETER.length), query.get(name) || null] as const)
  return { route, frequency, column, facets: Object.fromEntries(facets) }
}

/** Names a series by its codes, which differ, and then by its dataset: `value, RWTC: Spot Prices`. */
export const seriesTitle = (datasetName: string, { column, facets }: DatasetSeries): string =>
  `${[column, ...Object.values(facets).map((code) => code ?? 'none')].join(', ')}: ${datasetName}`
