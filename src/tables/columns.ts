import type { Reading } from '../client/index.ts'
import type { HistoryItem } from '../history/feedHistory.ts'
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

/** The columns of one feed's history. A data set of several feeds has the id in the path of each file. */
export const historyColumns: readonly Column<keyof HistoryItem>[] = [
  { name: 'index', type: 'integer', description: 'In the order of attestation, from 0.' },
  period,
  {
    name: 'period_start',
    type: 'text',
    description:
      'First day of the period, or of an hourly one its time in UTC; empty if the integer is none of the frequency.',
  },
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
  { name: 'attested_at', type: 'time', description: 'Block time in epoch milliseconds.' },
]

/** The columns of the newest value of each feed. */
export const feedsColumns: readonly Column<keyof Reading>[] = [
  { name: 'feed_id', type: 'text', description: 'Case-sensitive; may hold any character.' },
  { name: 'decimals', type: 'integer', description: "How many of the amount's digits follow the point." },
  value,
  amount,
  period,
  sourceHash,
  { name: 'updated_at', type: 'time', description: 'Block time of the attestation, in epoch milliseconds.' },
]
