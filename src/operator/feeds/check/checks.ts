import { type Dataset, findDataset, openFacets, SERIES_FACET } from '@wattfeed/eia/catalog'
import { type DatasetConfig, datasetOf, type SeriesConfig } from '../../../feeds/file/feedConfig.ts'

export type CheckName =
  | 'dataset'
  | 'frequency'
  | 'column'
  | 'facets'
  | 'series'
  | 'facet_values'
  | 'newest_period'
  | 'upstream_unit'

export interface Check {
  check: CheckName
  /** `warned`: not wrong, but worth a look. `skipped`: something it needs was missing. */
  state: 'passed' | 'warned' | 'failed' | 'skipped'
  detail: string
}

export type CheckedSelection = Pick<SeriesConfig, 'route' | 'column' | 'facets' | 'upstream_unit'> & {
  frequency: string
}

const createCheck =
  (state: Check['state']) =>
  (check: CheckName, detail: string): Check => ({ check, state, detail })

export const passed = createCheck('passed')
export const warned = createCheck('warned')
export const failed = createCheck('failed')
export const skipped = createCheck('skipped')

/** Checks a feed against the catalog, without network. */
export const checkCatalog = (config: CheckedSelection): Check[] =>
  checkKnown(config.route, (dataset) => [
    checkWord('frequency', config.frequency, dataset.frequencies),
    checkWord('column', config.column, dataset.columns),
    checkFacets(config, dataset),
  ])

/** Checks a dataset's feed against the catalog. What EIA has is not asked: that is the whole dataset. */
export const checkDataset = (config: DatasetConfig): Check[] => [
  ...checkKnown(config.route, (dataset) => [
    checkWord('frequency', config.frequency, dataset.frequencies),
    ...datasetOf(config).columns.map((column) => checkWord('column', column, dataset.columns)),
    passed('facets', `every one: ${dataset.facets.join(', ') || 'the dataset has none'}`),
  ]),
  skipped('newest_period', 'only the catalog is asked for a dataset; "datasets snapshot" reads it from EIA'),
]

function checkKnown(route: string, check: (dataset: Dataset) => Check[]): Check[] {
  const dataset = findDataset(route)
  if (dataset !== null) return [passed('dataset', dataset.name), ...check(dataset)]
  const why = 'the dataset is not known'
  return [
    failed('dataset', `the catalog has no dataset ${route}; "feeds datasets" lists those that it has`),
    skipped('frequency', why),
    skipped('column', why),
    skipped('facets', why),
  ]
}

function checkWord(check: 'frequency' | 'column', word: string, words: readonly string[]): Check {
  return words.includes(word)
    ? passed(check, word)
    : failed(check, `the dataset has no ${check} ${word}; it has ${words.join(', ')}`)
}

function checkFacets({ facets }: CheckedSelection, dataset: Dataset): Check {
  const unknown = Object.keys(facets).filter((facet) => !dataset.facets.includes(facet))
  if (unknown.length === 0) return passed('facets', Object.keys(facets).join(', ') || 'no facet is pinned')
  const known = dataset.facets.length === 0 ? 'none' : dataset.facets.join(', ')
  return failed('facets', `the dataset has no facet ${unknown.join(', ')}; it has ${known}`)
}

type Selection = Pick<SeriesConfig, 'route' | 'facets'>

/** Lists facets that are left open and may match several series; null if the dataset is unknown. */
export function listOpenFacets({ route, facets }: Selection): string[] | null {
  const dataset = findDataset(route)
  return dataset && openFacets(dataset.facets, facets)
}

/** Checks that facets select one series, without EIA. If some are left open, only EIA's rows can show it. */
export function checkPinned(selection: Selection): Check {
  const left = describeOpenFacets(selection)
  return left === null
    ? passed('series', howPinned(selection))
    : skipped('series', `${left}: only the rows of EIA show whether that is one series`)
}

export function describeOpenFacets(selection: Selection): string | null {
  const open = listOpenFacets(selection)
  if (open === null) return 'the facets of the dataset are not known'
  return open.length === 0 ? null : `${open.join(', ')} left open`
}

export function howPinned({ facets }: Selection): string {
  if (SERIES_FACET in facets) return `selected by ${SERIES_FACET}=${facets[SERIES_FACET]}`
  return Object.keys(facets).length === 0 ? 'the dataset is one series' : 'every facet is pinned'
}

const MAX_VALUES = 10

/** Lists values of a facet as text, as many as fit on a line. */
export function formatValues(values: readonly (string | null)[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => value ?? 'none')
  const more = values.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
