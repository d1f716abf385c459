import type { Snapshot } from 'wattfeed'
import type { HistoryQuery } from 'wattfeed/history'
import type { HistoryItemBody, HistoryPageBody } from '../../api/schemas.ts'
import type { HistoryReader } from './historyReaders.ts'
import { maxLimits } from './historyRequest.ts'

export interface HistoryRows {
  readonly rows: readonly HistoryItemBody[]
  /** Whether more rows match than these. */
  readonly hasMore: boolean
}

/** Reads rows, at most {@link maxLimits} of JSON, as `GET /v1/feeds/{id}/history` does, with its limits, its queue and its cache, which holds the answers as text. */
export async function readRows(
  read: HistoryReader,
  at: Snapshot,
  feedId: string,
  query: HistoryQuery,
): Promise<HistoryRows> {
  const asked = { feedIds: [feedId], format: 'json', isTable: false, pin: null } as const
  const { content } = await read(at, { ...asked, query: { limit: maxLimits.json, ...query } })
  const { items, next }: HistoryPageBody = JSON.parse(String(content.body))
  return { rows: items, hasMore: next !== null }
}
