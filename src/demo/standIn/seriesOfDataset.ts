import type { FacetValue } from '@wattfeed/eia'
import type { UpstreamDataset, UpstreamRow } from '@wattfeed/eia/internal'

/** The value of each facet; null where a dataset has none. */
export type FacetsOfSeries = Readonly<Record<string, string | null>>

interface NamedSeries {
  series: FacetValue
  facets: FacetsOfSeries
}

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
    return listNamedSeries(dataset, new Map(values))
      .map(({ facets }) => facets)
      .filter((facets) => Object.entries(facets).every(([id, value]) => isRequested(id, value)))
  const choices = values.map(([id, all]) => {
    const ids = all.length === 0 ? [null] : all.map((value) => value.id)
    return [id, ids.filter((value) => isRequested(id, value))] as const
  })
  return combine(choices)
}

/**
 * Lists the series of a dataset with the facet `series`, which alone selects one: the recorded ones, and one for every other
 * combination of values.
 */
export function listNamedSeries(
  dataset: UpstreamDataset,
  values: ReadonlyMap<string, readonly FacetValue[]>,
): NamedSeries[] {
  const others = dataset.metadata.response.facets.map(({ id }) => id).filter((id) => id !== 'series')
  const reversed = others.toReversed()
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
      const id = reversed.map((other) => facets[other]).join('_')
      return { series: { id, name: `Invented series ${id}` }, facets: { ...facets, series: id } }
    })
  return [...recorded, ...invented]
}

const pick = (row: UpstreamRow, ids: readonly string[]): FacetsOfSeries =>
  Object.fromEntries(ids.map((id) => [id, row[id] ?? null]))

/** Returns every combination of values. */
const combine = (
  choices: readonly (readonly [id: string, values: readonly (string | null)[]])[],
): FacetsOfSeries[] =>
  choices.reduce<FacetsOfSeries[]>(
    (all, [id, values]) => all.flatMap((facets) => values.map((value) => ({ ...facets, [id]: value }))),
    [{}],
  )
