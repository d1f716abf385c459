import { Elysia } from 'elysia'
import { type HistoryItemBody, historyItemsBody } from '../api/schemas.ts'
import type { Client } from '../client/index.ts'
import type { HistoryItem, HistoryPage } from '../history/feedHistory.ts'
import { historiesColumns, historyColumns } from '../tables/columns.ts'
import { historyDetail } from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { fileResponse } from './fileResponse.ts'
import type { ChainHeaders } from './headers.ts'
import type { HistoryAnswer, HistoryAsked } from './historyAnswers.ts'
import {
  createHistoryFile,
  createHistoryMetadata,
  fileDetails,
  historyFileHeaders,
  params,
} from './historyFiles.ts'
import {
  formatHistoryPath,
  type HistoryFormat,
  historySuffixes,
  parseHistoryRequest,
  pinnedQuery,
} from './historyQuery.ts'
import { createHistoryReader, type HistoryPages, type HistoryReaderOptions } from './historyReader.ts'
import { createHistoryTables } from './historyTables.ts'
import { feedIdFromUrl, HISTORY_SUFFIX, urlQuery } from './url.ts'

export interface HistoryOptions extends HistoryReaderOptions {
  client: Pick<Client, 'withSnapshot' | 'snapshot'>
  chainHeaders: ChainHeaders
}

/** `GET /v1/feeds/:id/history`, `.csv` and `.parquet`, `GET /v1/history.csv` and `.parquet`: every value ever attested. */
export function createHistoryEndpoint(options: HistoryOptions) {
  const { client, chainHeaders } = options
  const read = createHistoryReader(options, createAnswer)

  function respond(request: Request, format: HistoryFormat): Promise<Response> {
    const feedId = feedIdFromUrl(request.url, historySuffixes[format])
    const asked = { feedIds: [feedId], format, isTable: false, ...parseHistoryRequest(request.url, format) }
    return client.withSnapshot(async (at) => {
      const { content, next } = await read(at, asked)
      const headers = asked.pin === null ? await chainHeaders(at) : IMMUTABLE
      if (format === 'json') return contentResponse(request, content, headers)
      const response = await fileResponse(request, content, headers)
      // Not kept with the content: the query as sent may be as long as its sender likes.
      const own = historyFileHeaders({
        path: `/v1/feeds/${encodeURIComponent(feedId)}`,
        name: feedId,
        format,
        next: next && formatHistoryPath(feedId, next.query, { format }),
        search: urlQuery(request.url),
      })
      for (const [name, value] of Object.entries(own)) response.headers.set(name, value)
      return response
    })
  }

  const path = `/v1/feeds/:id${HISTORY_SUFFIX}`
  return new Elysia({ name: 'history' })
    .get(path, ({ request }) => respond(request, 'json'), { params, detail: historyDetail })
    .get(`${path}.csv`, ({ request }) => respond(request, 'csv'), { params, detail: fileDetails.csv })
    .get(`${path}.parquet`, ({ request }) => respond(request, 'parquet'), {
      params,
      detail: fileDetails.parquet,
    })
    .use(createHistoryMetadata({ client, chainHeaders }))
    .use(createHistoryTables({ client, chainHeaders, read }))
}

/** A pinned address never shows anything else. */
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' }

async function createAnswer({ pages, next }: HistoryPages, asked: HistoryAsked): Promise<HistoryAnswer> {
  const { format, isTable } = asked
  const [page] = pages
  if (page === undefined) throw new TypeError('an answer without a feed')
  if (format === 'json') return createJson(page, asked, next)
  const columns = isTable ? historiesColumns : historyColumns(page.frequency)
  const content = await createHistoryFile(format, columns, pages)
  const digest = asked.pin === null ? null : pinnedContent(page, checkedItems(page)).digest()
  return { content, digest, next }
}

const checkItems = createBodyCheck(historyItemsBody, 'chain')

const checkedItems = ({ feed_id, items }: HistoryPage): string =>
  checkItems(items.map(toBody), `the history of feed "${feed_id}"`)

const pinnedContent = ({ feed_id, decimals }: HistoryPage, items: string): Content =>
  createContent(`{"feed_id":${JSON.stringify(feed_id)},"decimals":${decimals},"items":${items}}`)

function createJson(
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
  const head = JSON.stringify({ feed_id, decimals, unit, frequency, count }).slice(0, -1)
  const nextPath = next === null ? null : formatHistoryPath(feed_id, next.query)
  const tail = JSON.stringify({ next: nextPath, permalink }).slice(1)
  return { content: createContent(`${head},"items":${items},${tail}`), digest, next }
}

const toBody = (item: HistoryItem): HistoryItemBody => ({
  index: item.index,
  period: item.period,
  period_start: item.period_start,
  value: item.value,
  amount: String(item.amount),
  revision: item.revision,
  source_hash: item.source_hash,
  attester: item.attester,
  attested_at: item.attested_at,
})
