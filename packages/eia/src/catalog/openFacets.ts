/** A facet that by itself selects one series. */
export const SERIES_FACET = 'series'

/** Lists the facets of a dataset that are left open, so that several series may match. */
export const openFacets = (facets: readonly string[], pinned: Readonly<Record<string, string>>): string[] =>
  Object.hasOwn(pinned, SERIES_FACET) ? [] : facets.filter((facet) => !Object.hasOwn(pinned, facet))

/** Orders facets as they are best chosen: `series` suffices alone. */
export const seriesFirst = (facets: readonly string[]): string[] =>
  facets.toSorted((one, other) => Number(other === SERIES_FACET) - Number(one === SERIES_FACET))
