import { searchWords } from '@wattfeed/eia/catalog'
import type { DatasetBody } from '../../../../api/schemas.ts'
import { families } from '../../data/families.ts'

export type Dataset = { readonly [Member in keyof DatasetBody]: Readonly<DatasetBody[Member]> }

/** Titles of the segments of a route below its family. */
const segmentTitles: Readonly<Record<string, string>> = {
  cons: 'Consumption and sales',
  crd: 'Crude oil reserves and production',
  enr: 'Exploration and reserves',
  move: 'Imports, exports and movements',
  pnp: 'Refining and processing',
  pri: 'Prices',
  prod: 'Production',
  rto: 'Grid, hourly and daily',
  shipments: 'Shipments',
  'state-electricity-profiles': 'State profiles',
  stoc: 'Stocks',
  stor: 'Storage',
  sum: 'Summary',
}

/** Returns the title of a segment at this depth of its route. The first one is EIA's family. */
export const titleOf = (segment: string, depth: number): string | undefined =>
  depth === 0 ? families.get(segment) : segmentTitles[segment]

/** Returns the datasets whose name, route, titles of segments, frequencies, columns or facets contain every word. */
export function searchDatasets(datasets: readonly Dataset[], words: string): readonly Dataset[] {
  const wanted = searchWords(words)
  if (wanted.length === 0) return datasets
  return datasets.filter((dataset) => wanted.every((word) => searchedText(dataset).includes(word)))
}

const texts = new WeakMap<Dataset, string>()

/** Returns what the search looks through, in lower case. */
export function searchedText(dataset: Dataset): string {
  const known = texts.get(dataset)
  if (known !== undefined) return known
  const { route, name, frequencies, columns, facets } = dataset
  const titles = route.split('/').map(titleOf)
  const text = [route, name, ...titles, ...frequencies, ...columns, ...facets].join('\n').toLowerCase()
  texts.set(dataset, text)
  return text
}
