import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import type { FeedHistory } from './readHistory.ts'

const head = ['number', 'period', 'value', 'attested', 'source hash', 'attester']

/** A feed's history for people. */
export function formatHistory({ feed_id, unit, count, values }: FeedHistory): string {
  const rows = values.map(({ index, period, value, timestamp, source_hash, attester }) => [
    String(index),
    String(period),
    value,
    formatTime(timestamp),
    source_hash,
    attester,
  ])
  const title = `${printable(feed_id)} in ${printable(unit)}: ${values.length} of ${count} values`
  return rows.length === 0 ? title : `${title}\n${formatTable([head, ...rows])}`
}

/** A block's time is whatever the chain holds, also what no date can be. */
const formatTime = (timestamp: number): string => {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString()
}
