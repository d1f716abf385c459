import type { Reading } from 'wattfeed'
import type { HistoryItem, HistoryPage } from 'wattfeed/history'
import { type FieldKind, fieldMeanings, isHourly, type ReadingField, readingFields } from 'wattfeed/internal'
import type { Column, ColumnType } from './column.ts'

const columnTypes: Readonly<Record<FieldKind, ColumnType>> = {
  text: 'text',
  hash: 'hash',
  address: 'text',
  u8: 'integer',
  u64: 'integer',
  time: 'time',
  u512: 'digits',
  double: 'number',
}

/** The columns of fields of a reading, in this order. */
const columnsOf = <Name extends ReadingField>(...names: readonly Name[]): readonly Column<Name>[] =>
  names.map((name) => {
    const { json = '', column = json } = fieldMeanings[name]
    return { name, type: columnTypes[readingFields[name]], description: column }
  })

/**
 * What a period covers: its first and last day, or the two instants of an hour, of which the end is exclusive. Both are times in a
 * table of several feeds, which may contain hourly ones. In the words of the JSON (`src/api/schemas.ts`), with empty cells for null.
 */
export const covered = (type: 'time' | 'date'): readonly Column<'period_start' | 'period_end'>[] => [
  {
    name: 'period_start',
    type,
    description:
      'First day that the period covers, or the start of its hour in UTC; empty if the integer is not a period of this frequency.',
  },
  {
    name: 'period_end',
    type,
    description:
      'Last day that the period covers (inclusive), or the end of its hour in UTC (exclusive); empty with period_start.',
  },
]

const rowColumns = (type: 'time' | 'date'): readonly Column<keyof HistoryItem>[] => [
  { name: 'index', type: 'integer', description: 'Index in the order of attestation, from 0.' },
  ...columnsOf('period'),
  ...covered(type),
  ...columnsOf('value', 'amount'),
  {
    name: 'revision',
    type: 'integer',
    description:
      '0 for the first value of the period, plus one for each change: another amount, or another root of a dataset. Attesting the same value again keeps the number.',
  },
  ...columnsOf('source_hash'),
  { name: 'attester', type: 'text', description: 'Account or contract: account-hash-… or hash-…' },
  { name: 'attested_at', type: 'time', description: 'Block time.' },
]

/** The columns of one file of a data set. The folder has the feed id, and the manifest the unit. */
export const partColumns = rowColumns('time')

/** A row of a history, with its feed id and unit. */
export type FeedRow = HistoryItem & Pick<HistoryPage, 'feed_id' | 'unit'>

const feedColumns = columnsOf('feed_id', 'unit')

/** The columns of several feeds' histories. */
export const historiesColumns: readonly Column<keyof FeedRow>[] = [...feedColumns, ...partColumns]

/** The columns of one feed's history. Its periods are days unless the feed is hourly. */
export const historyColumns = (frequency: string): readonly Column<keyof FeedRow>[] =>
  isHourly(frequency) ? historiesColumns : [...feedColumns, ...rowColumns('date')]

const valueColumns = ['decimals', 'value', 'amount', 'period', 'source_hash', 'updated_at'] as const

/** The columns of the newest value of each feed. */
export const feedsColumns: readonly Column<keyof Reading>[] = columnsOf('feed_id', ...valueColumns)

/** The same with the columns that are left out by default. */
export const allFeedsColumns: readonly Column<keyof Reading>[] = columnsOf(
  'feed_id',
  'title',
  'unit',
  'frequency',
  ...valueColumns,
)
