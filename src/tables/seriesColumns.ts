import { isHourly } from 'wattfeed/internal'
import type { Column } from './column.ts'
import { covered } from './columns.ts'

/** A value of a series of a dataset. */
export interface SeriesRow {
  readonly period: string
  readonly period_start: string | null
  readonly period_end: string | null
  readonly value: string | null
  readonly number: number | null
  readonly unit: string | null
  readonly leaf_index: number
}

/** The columns of what a leaf says of a value. */
export const valueColumns = {
  period: { name: 'period', type: 'text', description: "EIA's text of the period." },
  value: {
    name: 'value',
    type: 'figure',
    description:
      'The value as EIA sent it, with every digit; empty if it is withheld. EIA also withholds values by a text, such as w or NA.',
  },
  number: {
    name: 'number',
    type: 'number',
    description: 'The double nearest to the value; empty if it is not a number.',
  },
  unit: { name: 'unit', type: 'text', description: 'Empty if the row has none.' },
  leaf_index: { name: 'leaf_index', type: 'integer', description: 'Index of the value in the dataset.' },
} as const satisfies Readonly<Record<string, Column>>

/** The columns of a series of a dataset. Its periods are days unless it is hourly. */
export const seriesColumns = (frequency: string): readonly Column<keyof SeriesRow>[] => [
  valueColumns.period,
  ...covered(isHourly(frequency) ? 'time' : 'date'),
  valueColumns.value,
  valueColumns.number,
  valueColumns.unit,
  valueColumns.leaf_index,
]
