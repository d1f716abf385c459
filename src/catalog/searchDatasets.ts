import { type Dataset, datasets } from './datasets.ts'

export interface DatasetSearch {
  /** Case-sensitive beginning of the route; an empty one does not filter. */
  family?: string | undefined
  /** Part of the route, name or description in any letter case; an empty one does not filter. */
  q?: string | undefined
}

// Lower-casing alone is a full case-insensitive match only because the catalog's texts are ASCII
// (`parseCatalog` sees to it): Greek sigmas and the like would need case folding.
const searchable = datasets.map((dataset) => ({
  dataset,
  // Apart, not joined: `q` may hold any character, so no separator could keep it from matching across.
  texts: [dataset.route, dataset.name, dataset.description].map((text) => text.toLowerCase()),
}))

/**
 * Datasets of a family of routes whose route, name or description holds `q`, in the catalog's order.
 *
 * @example
 * ```ts
 * import { searchDatasets } from './searchDatasets.ts'
 *
 * searchDatasets().length // 232
 * searchDatasets({ family: 'petroleum/', q: 'Cushing' }).map((dataset) => dataset.route) // ['petroleum/stoc/cu']
 * ```
 */
export function searchDatasets({ family = '', q = '' }: DatasetSearch = {}): readonly Dataset[] {
  const needle = q.toLowerCase()
  return searchable
    .filter(
      ({ dataset, texts }) => dataset.route.startsWith(family) && texts.some((text) => text.includes(needle)),
    )
    .map(({ dataset }) => dataset)
}
