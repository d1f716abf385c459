/**
 * The datasets of EIA's API v2, offline. For Bun, Node.js and browsers.
 *
 * @module @wattfeed/eia/catalog
 */
export { InvalidArgumentError } from '@wattfeed/base'
export { type Dataset, type DatasetSearch, datasets, findDataset, searchDatasets } from './datasets.ts'
export { openFacets, SERIES_FACET, seriesFirst } from './openFacets.ts'
export { searchWords } from './searchWords.ts'
