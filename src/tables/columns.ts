import type { Reading } from '../client/index.ts'
import type { HistoryItem, HistoryPage } from '../history/feedHistory.ts'
import { isHourly } from '../history/revisions.ts'
import type { Column } from './column.ts'

const period: Column<'period'> = {
  name: 'period',
  type: 'integer',
  description: 'The period as an integer, 20261120 for a day.',
}

const value: Column<'value'> = {
  name: 'value',
  type: 'number',
  description: 'The double nearest to amount / 10^decimals.',
}

const amount: Column<'amount'> = {
  name: 'amount',
  type: 'digits',
  description: 'The exact unscaled value, of up to 512 bits: read it as text.',
}

const sourceHash: Column<'source_hash'> = {
  name: 'source_hash',
  type: 'hash',
  description:
    "First 32 hex digits of the SHA-256 over the canonical JSON of the value's source; empty if the attester wrote anything else.",
}

/** Where several feeds share a table, hours do, too. */
const periodStart: Column<'period_start'> = {
  name: 'period_start',
  type: 'time',
  description:
    'First day of the period, or of an hourly one its time in UTC; empty if the integer is none of the frequency.',
}

const rowColumns = (start: Column<'period_start'>): readonly Column<keyof HistoryItem>[] => [
  { name: 'index', type: 'integer', description: 'In the order of attestation, from 0.' },
  period,
  start,
  value,
  amount,
  {
    name: 'revision',
    type: 'integer',
    description:
      "0 for the period's first print, one more for each other value; the same value attested again keeps it.",
  },
  sourceHash,
  { name: 'attester', type: 'text', description: 'account-hash-… or hash-…' },
  { name: 'attested_at', type: 'time', description: 'Block time.' },
]

/** The columns of one file of a data set: its folder names the feed, and its manifest the unit. */
export const partColumns = rowColumns(periodStart)

/** A row of a history that names its feed. */
export type FeedRow = HistoryItem & Pick<HistoryPage, 'feed_id' | 'unit'>

const feedId: Column<'feed_id'> = {
  name: 'feed_id',
  type: 'text',
  description: 'Case-sensitive; may hold any character.',
}

const feedColumns: readonly Column<'feed_id' | 'unit'>[] = [
  feedId,
  { name: 'unit', type: 'text', description: 'Of the value.' },
]

/** The columns of several feeds' histories. */
export const historiesColumns: readonly Column<keyof FeedRow>[] = [...feedColumns, ...partColumns]

/** The columns of one feed's history: of periods of a day or longer, a date says where they start. */
export const historyColumns = (frequency: string): readonly Column<keyof FeedRow>[] =>
  isHourly(frequency) ? historiesColumns : [...feedColumns, ...rowColumns({ ...periodStart, type: 'date' })]

/** The columns of the newest value of each feed. */
export const feedsColumns: readonly Column<keyof Reading>[] = [
  feedId,
  { name: 'decimals', type: 'integer', description: "How many of the amount's digits follow the point." },
  value,
  amount,
  period,
  sourceHash,
  { name: 'updated_at', type: 'time', description: 'Block time of the attestation.' },
]
