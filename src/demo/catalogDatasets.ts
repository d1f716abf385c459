import { type Dataset, datasets } from '../catalog/datasets.ts'
import type { FacetValue } from '../eia/facetValue.ts'
import type { FacetAnswer, UpstreamDataset, UpstreamRow } from './answerEia.ts'
import { knownFacetValues } from './facetValues.ts'
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

const formats: Readonly<Record<string, string>> = {
  annual: 'YYYY',
  quarterly: 'YYYY-"Q"Q',
  monthly: 'YYYY-MM',
  hourly: 'YYYY-MM-DD"T"HH24',
  'local-hourly': 'YYYY-MM-DD"T"HH24TZH',
}

function invent({ route, name, description, frequencies, columns, facets }: Dataset): UpstreamDataset {
  const [defaultFrequency = ''] = frequencies
  const frequency = frequencies.map((id) => ({ id, format: formats[id] ?? 'YYYY-MM-DD' }))
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
      id === 'series' ? listSeries(dataset, values).map(({ series }) => series) : (values.get(id) ?? [])
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

/** The value of each facet; null where a dataset has none. */
export type FacetsOfSeries = Readonly<Record<string, string | null>>

interface NamedSeries {
  series: FacetValue
  facets: FacetsOfSeries
}

/** Lists the series of a dataset with the facet `series`, which alone selects one. */
function listSeries(
  dataset: UpstreamDataset,
  values: ReadonlyMap<string, readonly FacetValue[]>,
): NamedSeries[] {
  const others = dataset.metadata.response.facets.map(({ id }) => id).filter((id) => id !== 'series')
  const rows = new Map(dataset.data.response.data.map((row) => [row.series ?? '', row]))
  const recorded = [...rows].map(
    ([id, row]): NamedSeries => ({
      series: { id, name: row['series-description'] ?? id },
      facets: { ...pick(row, others), series: id },
    }),
  )
  const isRecorded = (facets: FacetsOfSeries): boolean =>
    recorded.some((each) => others.every((id) => each.facets[id] === facets[id]))
  const invented = combine(others.map((id) => [id, values.get(id)?.map((value) => value.id) ?? []]))
    .filter((facets) => !isRecorded(facets))
    .map((facets) => {
      const id = others
        .map((other) => facets[other])
        .toReversed()
        .join('_')
      return { series: { id, name: `Invented series ${id}` }, facets: { ...facets, series: id } }
    })
  return [...recorded, ...invented]
}

const pick = (row: UpstreamRow, ids: readonly string[]): FacetsOfSeries =>
  Object.fromEntries(ids.map((id) => [id, row[id] ?? null]))

/**
 * Lists the series of a dataset that have requested facet values. Where the facet `series` exists, it determines the
 * others; otherwise every combination of values is a series.
 *
 * @param requested values by facet; others are open
 */
export function seriesOfDataset(
  dataset: UpstreamDataset,
  requested: Readonly<Record<string, readonly string[]>>,
): FacetsOfSeries[] {
  const isRequested = (id: string, value: string | null): boolean =>
    requested[id]?.includes(value ?? '') ?? true
  const values = Object.entries(dataset.facets).map(([id, { response }]) => [id, response.facets] as const)
  if (dataset.facets.series !== undefined)
    return listSeries(dataset, new Map(values))
      .map(({ facets }) => facets)
      .filter((facets) => Object.entries(facets).every(([id, value]) => isRequested(id, value)))
  const choices = values.map(([id, all]) => {
    const ids = all.length === 0 ? [null] : all.map((value) => value.id)
    return [id, ids.filter((value) => isRequested(id, value))] as const
  })
  return combine(choices)
}

/** Returns every combination of values. */
const combine = (
  choices: readonly (readonly [id: string, values: readonly (string | null)[]])[],
): FacetsOfSeries[] =>
  choices.reduce<FacetsOfSeries[]>(
    (all, [id, values]) => all.flatMap((facets) => values.map((value) => ({ ...facets, [id]: value }))),
    [{}],
  )
