import { type Dataset, datasets } from './datasets.ts'

const byRoute: ReadonlyMap<string, Dataset> = new Map(datasets.map((dataset) => [dataset.route, dataset]))

/**
 * The dataset with exactly this route (case-sensitive, as EIA's are), or null.
 *
 * @example
 * ```ts
 * import { findDataset } from './findDataset.ts'
 *
 * findDataset('electricity/retail-sales')?.columns // ['revenue', 'sales', 'price', 'customers']
 * findDataset('electricity') // null: a family, not a dataset
 * ```
 */
export function findDataset(route: string): Dataset | null {
  return byRoute.get(route) ?? null
}
