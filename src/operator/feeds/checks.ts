import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { type Dataset, findDataset } from '../../catalog/datasets.ts'

/** The checks of a configured feed, in order. */
export type CheckName =
  | 'dataset'
  | 'frequency'
  | 'column'
  | 'facets'
  | 'series'
  | 'facet_values'
  | 'newest_period'
  | 'upstream_unit'

/** The result of a check. */
export interface Check {
  check: CheckName
  /** `skipped`: something it needs was missing. */
  state: 'passed' | 'failed' | 'skipped'
  /** What was found, in words. */
  detail: string
}

/** The part of a feed that is checked. */
export type CheckedSelection = Pick<FeedConfig, 'route' | 'column' | 'facets' | 'upstream_unit'> & {
  frequency: string
}

const createCheck =
  (state: Check['state']) =>
  (check: CheckName, detail: string): Check => ({ check, state, detail })

export const passed = createCheck('passed')
export const failed = createCheck('failed')
export const skipped = createCheck('skipped')

/** Checks a feed against the catalog, without network. */
export function checkCatalog(config: CheckedSelection): Check[] {
  const dataset = findDataset(config.route)
  if (dataset === null) {
    const why = 'the dataset is not known'
    return [
      failed('dataset', `the catalog has no dataset ${config.route}; "new" lists those that it has`),
      skipped('frequency', why),
      skipped('column', why),
      skipped('facets', why),
    ]
  }
  return [
    passed('dataset', dataset.name),
    checkWord('frequency', config.frequency, dataset.frequencies),
    checkWord('column', config.column, dataset.columns),
    checkFacets(config, dataset),
  ]
}

function checkWord(check: 'frequency' | 'column', word: string, words: readonly string[]): Check {
  return words.includes(word)
    ? passed(check, word)
    : failed(check, `the dataset has no ${check} ${word}; it has ${words.join(', ')}`)
}

function checkFacets({ facets }: CheckedSelection, dataset: Dataset): Check {
  const unknown = Object.keys(facets).filter((facet) => !dataset.facets.includes(facet))
  if (unknown.length === 0) return passed('facets', Object.keys(facets).join(', ') || 'none is needed')
  const known = dataset.facets.length === 0 ? 'none' : dataset.facets.join(', ')
  return failed('facets', `the dataset has no facet ${unknown.join(', ')}; it has ${known}`)
}

/** A facet that by itself selects one series. */
const SERIES_FACET = 'series'

type Selection = Pick<FeedConfig, 'route' | 'facets'>

/** Lists facets that are left open and may match several series; null if the dataset is unknown. */
export function openFacets({ route, facets }: Selection): string[] | null {
  const dataset = findDataset(route)
  if (dataset === null) return null
  return SERIES_FACET in facets ? [] : dataset.facets.filter((facet) => !(facet in facets))
}

/**
 * Checks that facets select one series. If some are left open, it depends on `isUnique`: whether EIA has one row for the
 * newest period; null if unknown.
 */
export function checkSeries(selection: Selection, isUnique: boolean | null): Check {
  const open = openFacets(selection)
  if (open?.length === 0) return passed('series', howPinned(selection.facets))
  const left = open === null ? 'the facets of the dataset are not known' : `${open.join(', ')} left open`
  if (isUnique === null) return skipped('series', `${left}: only EIA knows whether that is one series`)
  return isUnique
    ? passed('series', `${left}, and EIA has one row a period`)
    : failed('series', `${left}, and EIA has more than one series`)
}

function howPinned(facets: FeedConfig['facets']): string {
  if (SERIES_FACET in facets) return `named by ${SERIES_FACET}=${facets[SERIES_FACET]}`
  return Object.keys(facets).length === 0 ? 'the dataset is one series' : 'every facet is pinned'
}
