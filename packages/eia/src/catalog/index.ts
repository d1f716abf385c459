export { type Dataset, datasets, findDataset, searchDatasets } from './datasets.ts'
export { openFacets, SERIES_FACET, seriesFirst } from './openFacets.ts'
export { searchWords } from './searchWords.ts'
