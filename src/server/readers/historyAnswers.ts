import type { HistoryItem, HistoryPage } from 'wattfeed/history'
import { type HistoryItemBody, historyItemsBody } from '../../api/schemas.ts'
import type { Column } from '../../tables/column.ts'
import { type FeedRow, historiesColumns, historyColumns } from '../../tables/columns.ts'
import { CSV_TYPE } from '../../tables/csv.ts'
import { encodeTable } from '../../tables/encodeTable.ts'
import { PARQUET_TYPE } from '../../tables/parquet.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { type Content, createContent } from '../http/content.ts'
import {
  type FileFormat,
  formatHistoryPath,
  type HistoryFormat,
  type HistoryRequest,
  pinnedQuery,
} from './historyRequest.ts'

export interface HistoryAsked extends HistoryRequest {
  readonly feedIds: readonly string[]
  readonly format: HistoryFormat
  /** Whether this is the table of several feeds, even if only one is requested. */
  readonly isTable: boolean
}

/** A response, and the request of its next page. */
export interface HistoryAnswer {
  readonly content: Content
  /** Digest of the items for `pin`; null if it was not needed. */
  readonly digest: string | null
  /** The request of the next page; null on the last. */
  readonly next: Pick<HistoryAsked, 'feedIds' | 'query'> | null
}

/** The pages of one answer, one per feed that has rows in it. */
export interface HistoryPages {
  readonly pages: readonly HistoryPage[]
  readonly next: HistoryAnswer['next']
}

export async function formatHistory(
  { pages, next }: HistoryPages,
  asked: HistoryAsked,
): Promise<HistoryAnswer> {
  const { format, isTable } = asked
  const [page] = pages
  if (page === undefined) throw new TypeError('the history request has no feed')
  if (format === 'json') return formatJson(page, asked, next)
  const columns = isTable ? historiesColumns : historyColumns(page.frequency)
  const content = await createHistoryFile(format, columns, pages)
  const digest = asked.pin === null ? null : pinnedContent(page, checkedItems(page)).digest()
  return { content, digest, next }
}

const types: Record<FileFormat, string> = { csv: CSV_TYPE, parquet: PARQUET_TYPE }

const createHistoryFile = async (
  format: FileFormat,
  columns: readonly Column<keyof FeedRow>[],
  pages: readonly HistoryPage[],
): Promise<Content> =>
  createContent(await encodeTable({ format, columns, rows: pages.flatMap(rowsOf) }), types[format])

const rowsOf = ({ feed_id, unit, items }: HistoryPage): FeedRow[] =>
  items.map((item) => ({ feed_id, unit, ...item }))

const checkItems = createBodyCheck(historyItemsBody, ChainDataError)

const checkedItems = ({ feed_id, items }: HistoryPage): HistoryItemBody[] =>
  checkItems(items.map(toBody), `the history of feed "${feed_id}"`)

const pinnedContent = ({ feed_id, decimals }: HistoryPage, items: HistoryItemBody[]): Content =>
  createContent(JSON.stringify({ feed_id, decimals, items }))

function formatJson(
  page: HistoryPage,
  { query, pin }: HistoryAsked,
  next: HistoryAnswer['next'],
): HistoryAnswer {
  const { feed_id, decimals, unit, frequency, count } = page
  const items = checkedItems(page)
  const pinned = pinnedContent(page, items)
  const digest = pinned.digest()
  if (pin !== null) return { content: pinned, digest, next }
  const indices = page.items.map(({ index }) => index)
  const permalink = formatHistoryPath(feed_id, pinnedQuery(query, count, indices), { pin: digest })
  const nextPath = next === null ? null : formatHistoryPath(feed_id, next.query)
  const body = { feed_id, decimals, unit, frequency, count, items, next: nextPath, permalink }
  return { content: createContent(JSON.stringify(body)), digest, next }
}

const toBody = (item: HistoryItem): HistoryItemBody => ({
  index: item.index,
  period: item.period,
  period_start: item.period_start,
  period_end: item.period_end,
  value: item.value,
  amount: String(item.amount),
  revision: item.revision,
  source_hash: item.source_hash,
  attester: item.attester,
  attested_at: item.attested_at,
})
