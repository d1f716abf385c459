import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { findDataset } from '../../catalog/datasets.ts'
import { type Check, failed, passed, skipped } from './check.ts'

/** The facet that names a series of its own wherever a dataset has it. */
const SERIES_FACET = 'series'

type Selection = Pick<FeedConfig, 'route' | 'facets'>

/** Facets that are left open and may let more than one series through; null where the dataset is not known. */
export function openFacets({ route, facets }: Selection): string[] | null {
  const dataset = findDataset(route)
  if (dataset === null) return null
  return SERIES_FACET in facets ? [] : dataset.facets.filter((facet) => !(facet in facets))
}

/**
 * Whether facets select one series. Where some are left open, `isUnique` decides: whether EIA has one row for the
 * newest period, null where that is not known.
 */
export function checkSeries(selection: Selection, isUnique: boolean | null): Check {
  const open = openFacets(selection)
  if (open?.length === 0) return passed('series', howPinned(selection.facets))
  const left = open === null ? 'the facets of the dataset are not known' : `${open.join(', ')} left open`
  if (isUnique === null) return skipped('series', `${left}: only EIA tells whether that is one series`)
  return isUnique
    ? passed('series', `${left}, and EIA has one row a period`)
    : failed('series', `${left}, and EIA has more than one series`)
}

function howPinned(facets: FeedConfig['facets']): string {
  if (SERIES_FACET in facets) return `named by ${SERIES_FACET}=${facets[SERIES_FACET]}`
  return Object.keys(facets).length === 0 ? 'the dataset is one series' : 'every facet is pinned'
}
