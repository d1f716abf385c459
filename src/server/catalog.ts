import { type Dataset, datasets, searchDatasets } from '../catalog/datasets.ts'

/** What the server needs of the catalog. */
export interface Catalog {
  readonly datasets: readonly Dataset[]
  /** Datasets whose route begins with `family` and that hold `q`; an empty one does not filter. */
  searchDatasets(filter: { family: string; q: string }): readonly Dataset[]
}

/** The catalog that is compiled in. */
export const builtInCatalog: Catalog = { datasets, searchDatasets }
