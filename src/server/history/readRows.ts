import type { HistoryItemBody, HistoryPageBody } from '../../api/schemas.ts'
import type { Snapshot } from '../../client/index.ts'
import type { HistoryQuery } from '../../history/historyQuery.ts'
import type { HistoryReader } from './historyReaders.ts'

export interface HistoryRows {
  readonly rows: readonly HistoryItemBody[]
  /** Whether more rows match than these. */
  readonly hasMore: boolean
}

/** Maximum number of rows, and their default number. */
const MAX_ROWS = 1_000

/** Reads rows as `GET /v1/feeds/{id}/history` does, with its limits, its queue and its cache, which holds the answers as text. */
export async function readRows(
  read: HistoryReader,
  at: Snapshot,
  feedId: string,
  query: HistoryQuery,
): Promise<HistoryRows> {
  const asked = { feedIds: [feedId], format: 'json', isTable: false, pin: null } as const
  const { content } = await read(at, { ...asked, query: { limit: MAX_ROWS, ...query } })
  const { items, next }: HistoryPageBody = JSON.parse(String(content.body))
  return { rows: items, hasMore: next !== null }
}
