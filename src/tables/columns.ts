import type { Reading } from '../client/index.ts'
import type { HistoryItem, HistoryPage } from '../history/feedHistory.ts'
import { isHourly } from '../history/revisions.ts'
import type { Column } from './column.ts'

const period: Column<'period'> = {
  name: 'period',
  type: 'integer',
  description: 'Period as an integer, such as 20261120 for a day.',
}

const value: Column<'value'> = {
  name: 'value',
  type: 'number',
  description: 'The double nearest to amount / 10^decimals.',
}

const amount: Column<'amount'> = {
  name: 'amount',
  type: 'digits',
  description: 'Exact unscaled value of up to 512 bits. Read it as text.',
}

const sourceHash: Column<'source_hash'> = {
  name: 'source_hash',
  type: 'hash',
  description:
    "First 32 hex digits of the SHA-256 of the canonical JSON of the value's source; empty if the attester wrote anything else.",
}

/**
 * What a period covers: its first and last day, or the two instants of an hour, of which the end is exclusive. Both are times in a
 * table of several feeds, which may contain hourly ones.
 */
const covered = (type: 'time' | 'date'): readonly Column<'period_start' | 'period_end'>[] => [
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
  period,
  ...covered(type),
  value,
  amount,
  {
    name: 'revision',
    type: 'integer',
    description:
      '0 for the first value of the period, plus one for each change. Attesting the same value again keeps the number.',
  },
  sourceHash,
  { name: 'attester', type: 'text', description: 'Account or contract: account-hash-… or hash-…' },
  { name: 'attested_at', type: 'time', description: 'Block time.' },
]

/** The columns of one file of a data set. The folder has the feed id, and the manifest the unit. */
export const partColumns = rowColumns('time')

/** A row of a history, with its feed id and unit. */
export type FeedRow = HistoryItem & Pick<HistoryPage, 'feed_id' | 'unit'>

const feedId: Column<'feed_id'> = {
  name: 'feed_id',
  type: 'text',
  description: 'Case-sensitive; may contain any character.',
}

const unit: Column<'unit'> = { name: 'unit', type: 'text', description: 'Unit of the value.' }

const feedColumns: readonly Column<'feed_id' | 'unit'>[] = [feedId, unit]

/** The columns of several feeds' histories. */
export const historiesColumns: readonly Column<keyof FeedRow>[] = [...feedColumns, ...partColumns]

/** The columns of one feed's history. Its periods are days unless the feed is hourly. */
export const historyColumns = (frequency: string): readonly Column<keyof FeedRow>[] =>
  isHourly(frequency) ? historiesColumns : [...feedColumns, ...rowColumns('date')]

const valueColumns: readonly Column<keyof Reading>[] = [
  { name: 'decimals', type: 'integer', description: 'Number of digits of `amount` after the decimal point.' },
  value,
  amount,
  period,
  sourceHash,
  { name: 'updated_at', type: 'time', description: 'Block time of the attestation.' },
]

/** The columns of the newest value of each feed. */
export const feedsColumns: readonly Column<keyof Reading>[] = [feedId, ...valueColumns]

/** The same with the columns that are left out by default. */
export const allFeedsColumns: readonly Column<keyof Reading>[] = [
  feedId,
  { name: 'title', type: 'text', description: 'Title of the feed, for people.' },
  unit,
  { name: 'frequency', type: 'text', description: "Frequency of the values, in EIA's terms." },
  ...valueColumns,
]
