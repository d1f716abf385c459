import type { Leaf } from '@wattfeed/dataset'
import type { Column, Row } from './column.ts'
import { valueColumns } from './seriesColumns.ts'

const own = ['column', 'period', 'value', 'unit', 'number', 'leaf_index']

/** The table's column of a facet: its id, after `facet_` where a table may have another column with this name. */
const nameOf = (facet: string): string => (own.includes(facet) ? `facet_${facet}` : facet)

/** The columns of a table of leaves with these facets. */
export const leafColumns = (facets: readonly string[]): Column[] => [
  { name: 'column', type: 'text', description: "EIA's id of the column." },
  ...[...facets].sort().map(facetColumn),
  valueColumns.period,
  valueColumns.value,
  valueColumns.unit,
]

const facetColumn = (facet: string): Column => ({
  name: nameOf(facet),
  type: 'text',
  description: `EIA's code of the facet ${facet}; empty for rows without one.`,
})

/** The same, with the double nearest to each value, and its index in the dataset. */
export const indexedColumns = (facets: readonly string[]): Column[] => [
  ...leafColumns(facets),
  valueColumns.number,
  valueColumns.leaf_index,
]

/** The row of a leaf in a table with {@link leafColumns}. */
export function leafRow({ column, facets, period, value, unit }: Omit<Leaf, 'route' | 'frequency'>): Row {
  const ofFacets = Object.entries(facets).map(([id, facet]) => [nameOf(id), facet] as const)
  return { ...Object.fromEntries(ofFacets), column, period, value, unit }
}

/** The row of a leaf in a table with {@link indexedColumns}. */
export const indexedRow = (leaf: Omit<Leaf, 'route' | 'frequency'> & { readonly index: number }): Row => ({
  ...leafRow(leaf),
  number: numberOf(leaf.value),
  leaf_index: leaf.index,
})

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Returns the double nearest to a value; null if it is withheld or another text. */
function numberOf(value: string | null): number | null {
  const number = value !== null && NUMBER.test(value) ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : null
}
