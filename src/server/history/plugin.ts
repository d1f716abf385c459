import { Elysia } from 'elysia'
import { type HistoryItemBody, historyBody, historyItemsBody } from '../../api/schemas.ts'
import type { HistoryItem, HistoryPage } from '../../history/feedHistory.ts'
import { historiesColumns, historyColumns } from '../../tables/columns.ts'
import type { AnswerAt } from '../answerAt.ts'
import { answerSchema, createChainDataCheck } from '../http/answerSchema.ts'
import {
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  feedParams,
  fileRequestHeaders,
} from '../http/apiDocs.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { strictQuery } from '../http/query.ts'
import { urlQuery } from '../http/url.ts'
import type { HistoryAnswer, HistoryAsked } from './historyAnswers.ts'
import { createHistoryFile, createHistoryMetadata, fileDetails, historyFileHeaders } from './historyFiles.ts'
import type { HistoryPages, HistoryReader } from './historyReader.ts'
import {
  formatHistoryPath,
  type HistoryFormat,
  type HistoryParameters,
  historyParameters,
  pinnedQuery,
  readHistoryRequest,
} from './historyRequest.ts'
import { createHistoryTables } from './historyTables.ts'

export interface HistoryEndpointOptions {
  answerAt: AnswerAt
  read: HistoryReader
}

interface Context {
  request: Request
  params: { id: string }
  query: HistoryParameters
  set: { headers: Record<string, string | number> }
}

const { 400: badRequest, 404: notFound, 409: otherPin, 429: busy, 503: filling } = errorAnswers

const historyAnswers = {
  200: answerSchema('History', historyBody, { description: 'A page.', headers: contentHeaders }),
  400: badRequest,
  404: notFound,
  409: otherPin,
  429: busy,
  503: filling,
  ...chainErrors,
}

const historyDetail = {
  operationId: 'getHistory',
  summary: 'Read the history of a feed',
  description:
    'All attested values of a feed in the order of attestation, in pages. With `as_of`, `vintages=first` or `vintages=latest`, there is one row per period, in the order of periods. The time of `as_of` is block time, not EIA’s publication time. Periods may have been attested in any order.',
  tags: ['feeds'],
}

export function createHistoryEndpoint({ answerAt, read }: HistoryEndpointOptions) {
  const answerAs = (format: HistoryFormat) => async (context: Context) => {
    const { request, params, query, set } = context
    const asked = { feedIds: [params.id], format, isTable: false, ...readHistoryRequest(query, format) }
    const { content, next } = await answerAt(set, (at) => read(at, asked))
    const headers = asked.pin === null ? headersSet(set) : IMMUTABLE
    if (format === 'json') return contentResponse(request, content, headers)
    // Not cached with the content, because clients choose the length of the query.
    const own = historyFileHeaders({
      path: `/v1/feeds/${encodeURIComponent(params.id)}`,
      name: params.id,
      format,
      next: next && formatHistoryPath(params.id, next.query, { format }),
      search: urlQuery(request.url),
    })
    return fileResponse(request, content, { ...headers, ...own })
  }

  return new Elysia({ name: 'history' })
    .get('/v1/feeds/:id/history', answerAs('json'), {
      params: feedParams,
      ...strictQuery(historyParameters.json),
      headers: conditionalHeaders,
      response: historyAnswers,
      detail: historyDetail,
    })
    .get('/v1/feeds/:id/history.csv', answerAs('csv'), {
      params: feedParams,
      ...strictQuery(historyParameters.csv),
      headers: fileRequestHeaders,
      detail: fileDetails.csv,
    })
    .get('/v1/feeds/:id/history.parquet', answerAs('parquet'), {
      params: feedParams,
      ...strictQuery(historyParameters.parquet),
      headers: fileRequestHeaders,
      detail: fileDetails.parquet,
    })
    .use(createHistoryMetadata(answerAt))
    .use(createHistoryTables({ answerAt, read }))
}

/** A pinned URL always returns the same body. */
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' }

/** Formats the pages of a request, for {@link createHistoryReader}. */
export async function createHistoryAnswer(
  { pages, next }: HistoryPages,
  asked: HistoryAsked,
): Promise<HistoryAnswer> {
  const { format, isTable } = asked
  const [page] = pages
  if (page === undefined) throw new TypeError('the history request has no feed')
  if (format === 'json') return createJson(page, asked, next)
  const columns = isTable ? historiesColumns : historyColumns(page.frequency)
  const content = await createHistoryFile(format, columns, pages)
  const digest = asked.pin === null ? null : pinnedContent(page, checkedItems(page)).digest()
  return { content, digest, next }
}

const checkItems = createChainDataCheck(historyItemsBody)

const checkedItems = ({ feed_id, items }: HistoryPage): HistoryItemBody[] =>
  checkItems(items.map(toBody), `the history of feed "${feed_id}"`)

const pinnedContent = ({ feed_id, decimals }: HistoryPage, items: HistoryItemBody[]): Content =>
  createContent(JSON.stringify({ feed_id, decimals, items }))

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
