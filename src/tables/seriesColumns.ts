import type { Leaf } from '@wattfeed/dataset'
import type { Column, Row } from './column.ts'

const own = ['column', 'period', 'value', 'unit']

/** The table's column of a facet: its id, after `facet_` where the table has another column with this name. */
const nameOf = (facet: string): string => (own.includes(facet) ? `facet_${facet}` : facet)

/** The columns of a table of leaves with these facets. */
export const seriesColumns = (facets: readonly string[]): Column[] =>
  ['column', ...[...facets].sort().map(nameOf), 'period', 'value', 'unit'].map((name) => ({
    name,
    type: name === 'value' ? 'figure' : 'text',
    description: '',
  }))

/** The row of a leaf in a table with {@link seriesColumns}. */
export function seriesRow({ column, facets, period, value, unit }: Omit<Leaf, 'route' | 'frequency'>): Row {
  const ofFacets = Object.entries(facets).map(([id, facet]) => [nameOf(id), facet] as const)
  return { ...Object.fromEntries(ofFacets), column, period, value, unit }
}
