import type { FacetValue } from '@wattfeed/eia'
import { type Dataset, datasets } from '@wattfeed/eia/catalog'
import { eiaFrequency, type FacetAnswer, type UpstreamDataset } from '@wattfeed/eia/internal'
import { knownFacetValues } from './facetValues.ts'
import { listNamedSeries } from './seriesOfDataset.ts'
import { upstreamDatasets } from './upstreamDatasets.ts'

/** The unit of columns that `fixtures/eia` does not have. EIA's is not known here. */
export const INVENTED_UNIT = 'invented unit'

/**
 * Returns all datasets of the catalog: those of `fixtures/eia`, and invented ones. The facets list every value that has
 * rows: known codes of EIA, or else invented ones such as `DEMO1`.
 */
export function catalogDatasets(): UpstreamDataset[] {
  const recorded = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
  return datasets.map((dataset) => withAllValues(recorded.get(dataset.route) ?? invent(dataset)))
}

function invent({ route, name, description, frequencies, columns, facets }: Dataset): UpstreamDataset {
  const [defaultFrequency = ''] = frequencies
  const frequency = frequencies.map((id) => ({ id, format: eiaFrequency(id).format }))
  const metadata = {
    id: route.split('/').at(-1),
    name,
    description,
    frequency,
    facets: facets.map((id) => ({ id, description: id })),
    data: Object.fromEntries(columns.map((column) => [column, { units: INVENTED_UNIT }])),
    defaultFrequency,
  }
  const response = { dateFormat: '', frequency: defaultFrequency, data: [], description }
  return { route, metadata: { response: metadata }, facets: {}, data: { response } }
}

function withAllValues(dataset: UpstreamDataset): UpstreamDataset {
  const ids = dataset.metadata.response.facets.map(({ id }) => id)
  const values = new Map(ids.map((id) => [id, listValues(dataset, id)]))
  const facets: Record<string, FacetAnswer> = {}
  for (const id of ids) {
    const all =
      id === 'series' ? listNamedSeries(dataset, values).map(({ series }) => series) : (values.get(id) ?? [])
    facets[id] = { response: { totalFacets: all.length, facets: all } }
  }
  return { ...dataset, facets }
}

/** Datasets with more facets have one invented value for each, because every combination of values has rows. */
const MANY_FACETS = 5

function listValues({ route, metadata, facets }: UpstreamDataset, id: string): readonly FacetValue[] {
  const recorded = facets[id]?.response.facets
  const known = knownFacetValues(route, id)
  if (recorded === undefined) return known ?? inventValues(id, metadata.response.facets.length)
  const isSameCode = known?.some((value) => recorded.some((each) => each.id === value.id)) ?? false
  const others = isSameCode ? (known ?? []) : []
  return [...recorded, ...others.filter((value) => !recorded.some((each) => each.id === value.id))]
}

const inventValues = (id: string, facetCount: number): FacetValue[] =>
  [1, 2]
    .slice(0, facetCount > MANY_FACETS ? 1 : 2)
    .map((number) => ({ id: `DEMO${number}`, name: `Invented value ${number} of ${id}` }))
