import type { Leaf } from '@wattfeed/dataset'
import type { Column, Row } from './column.ts'

const own = ['column', 'period', 'value', 'unit', 'number', 'leaf_index']

/** The table's column of a facet: its id, after `facet_` where a table may have another column with this name. */
const nameOf = (facet: string): string => (own.includes(facet) ? `facet_${facet}` : facet)

/** The columns of a table of leaves with these facets. */
export const leafColumns = (facets: readonly string[]): Column[] => [
  ...['column', ...[...facets].sort().map(nameOf), 'period'].map(textColumn),
  { ...textColumn('value'), type: 'figure' },
  textColumn('unit'),
]

const textColumn = (name: string): Column => ({ name, type: 'text', description: '' })

/** The same, with the double nearest to each value, and its index in the dataset. */
export const indexedColumns = (facets: readonly string[]): Column[] => [
  ...leafColumns(facets),
  { name: 'number', type: 'number', description: '' },
  { name: 'leaf_index', type: 'integer', description: '' },
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
