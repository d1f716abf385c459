import { Elysia } from 'elysia'
import { resolvePeriods } from 'wattfeed/internal'
import { historyBody } from '../../api/schemas.ts'
import { printableJson } from '../../runtime/printable.ts'
import { CSVW_TYPE } from '../../tables/csvw.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  feedParams,
  fileRequestHeaders,
  historyErrors,
} from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { urlQuery } from '../http/paths.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { feedNotFound } from '../notFound.ts'
import type { HistoryReaders } from '../readers/historyReaders.ts'
import {
  formatHistoryPath,
  type HistoryFormat,
  type HistoryParameters,
  historyParameters,
  readHistoryRequest,
} from '../readers/historyRequest.ts'
import type { Server } from '../server.ts'
import {
  fileDetails,
  historyFileHeaders,
  historyMetadata,
  metadataDetail,
  metadataOf,
} from './historyFiles.ts'
import { historyTables } from './historyTables.ts'

interface Context {
  request: Request
  params: { id: string }
  query: HistoryParameters
  set: { headers: Record<string, string | number> }
}

const historyAnswers = {
  200: answerSchema('History', historyBody, { description: 'A page.', headers: contentHeaders }),
  ...historyErrors,
  409: errorAnswers[409],
  ...chainErrors,
}

const historyDetail = {
  operationId: 'getHistory',
  summary: 'Read the history of a feed',
  description:
    'All attested values of a feed in the order of attestation, in pages. With `as_of`, `vintages=first` or `vintages=latest`, there is one row per period, in the order of periods. The time of `as_of` is block time, not EIA’s publication time. Periods may have been attested in any order.',
  tags: ['feeds'],
}

/** All attested values, of one feed or several. */
export function history(
  { answerAt }: Pick<Server, 'answerAt'>,
  { readHistory }: Pick<HistoryReaders, 'readHistory'>,
) {
  const answerAs = (format: HistoryFormat) => async (context: Context) => {
    const { request, params, query, set } = context
    const asked = { feedIds: [params.id], format, isTable: false, ...readHistoryRequest(query, format) }
    const { content, next } = await answerAt(set, (at) => readHistory(at, asked))
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
    .get(
      `/v1/feeds/:id${historyMetadata}`,
      async ({ request, params: { id }, query, set }) => {
        const asked = readHistoryRequest(query, 'csv')
        const metadata = await answerAt(set, async (at) => {
          const feed = (await at.getReading(id)) ?? (await at.getFeed(id))
          if (feed === null) throw await feedNotFound(at, id)
          resolvePeriods(asked.query, feed)
          return metadataOf({ ...feed, feed_id: id }, urlQuery(request.url))
        })
        const content = createContent(printableJson(JSON.stringify(metadata)), CSVW_TYPE)
        return contentResponse(request, content, headersSet(set))
      },
      {
        params: feedParams,
        ...strictQuery(historyParameters.csv),
        headers: conditionalHeaders,
        detail: metadataDetail,
      },
    )
    .use(historyTables(answerAt, readHistory))
}

/** A pinned URL always returns the same body. */
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' }
