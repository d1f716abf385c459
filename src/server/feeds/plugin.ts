import { Elysia } from 'elysia'
import type { Reading } from 'wattfeed'
import { type FeedsBody, feedsBody, readingBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedParams,
  fileRequestHeaders,
} from '../http/apiDocs.ts'
import { contentResponse } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { createObjectMemo } from '../http/memo.ts'
import { urlQuery } from '../http/paths.ts'
import { lastQuery, newestOnly, strictQuery } from '../http/strictQuery.ts'
import { readReading } from '../notFound.ts'
import type { HistoryReaders } from '../readers/historyReaders.ts'
import { readingBodyOf } from '../readers/readingBody.ts'
import type { Server } from '../server.ts'
import { feedFilterParameters, filterFeeds } from './feedFilter.ts'
import {
  feedsCsv,
  feedsCsvDetail,
  feedsCsvHeaders,
  feedsCsvMetadata,
  feedsCsvMetadataDetail,
  feedsCsvParameters,
} from './feedsCsv.ts'
import { readings } from './readings.ts'
import { recent } from './recent.ts'

const listDetail = {
  operationId: 'listFeeds',
  summary: 'List all feeds, or those that a filter selects',
  description: [
    'Every registered feed that has a value, in registry order. `q`, `family`, `route`, `frequency` and `unit` filter the list; a feed must match all of them. All feeds are read at one state root, which is fetched after the request arrived.',
    'Parameters that select another time (`as_of`, `period`, `period_from`, `period_to`, `vintages`) are a 400; others are ignored. The last value of a repeated parameter counts, and malformed encoding is never an error.',
  ].join('\n\n'),
  tags: ['feeds'],
}

const feedsAnswer = answerSchema('Feeds', feedsBody, {
  description: 'All readings.',
  headers: chainAnswerHeaders,
})

const feedDetail = {
  operationId: 'getFeed',
  summary: 'Read one feed',
  description:
    'The metadata and newest value of one feed. Parameters that select another time (`as_of`, `period`, `period_from`, `period_to`, `vintages`) are a 400: see /v1/feeds/{id}/history. Others are ignored.',
  tags: ['feeds'],
}

const readingAnswer = answerSchema('Reading', readingBody, {
  description: 'The reading.',
  headers: chainAnswerHeaders,
})

/** The client returns the same list until something changes on chain, and so does this function. */
export const feedsBodyOf = createObjectMemo(
  (readings: readonly Reading[]): FeedsBody => ({
    count: readings.length,
    feeds: readings.map(readingBodyOf),
  }),
)

/** The newest values: of all feeds, of one, of several, and of their newest periods. */
export function feeds(
  { answerAt }: Pick<Server, 'answerAt'>,
  { readNewestPeriods }: Pick<HistoryReaders, 'readNewestPeriods'>,
) {
  return new Elysia({ name: 'feeds' })
    .get(
      '/v1/feeds',
      ({ query, set }) =>
        answerAt(set, async (at) => feedsBodyOf(filterFeeds(await at.listReadings(), query))),
      {
        ...lastQuery(feedFilterParameters),
        ...newestOnly,
        headers: conditionalHeaders,
        response: { 200: feedsAnswer, 400: errorAnswers[400], ...chainErrors },
        detail: listDetail,
      },
    )
    .get(
      '/v1/feeds.csv',
      async ({ request, query: { fields, ...filter }, set }) => {
        const file = await answerAt(set, async (at) =>
          feedsCsv(filterFeeds(await at.listReadings(), filter), { fields }),
        )
        const own = feedsCsvHeaders(urlQuery(request.url))
        return fileResponse(request, file, { ...headersSet(set), ...own })
      },
      { ...strictQuery(feedsCsvParameters), headers: fileRequestHeaders, detail: feedsCsvDetail },
    )
    .get(
      '/v1/feeds.csv-metadata.json',
      ({ request, query }) => contentResponse(request, feedsCsvMetadata(query, urlQuery(request.url))),
      { ...strictQuery(feedsCsvParameters), headers: conditionalHeaders, detail: feedsCsvMetadataDetail },
    )
    .get(
      '/v1/feeds/:id',
      ({ params: { id }, set }) => answerAt(set, async (at) => readingBodyOf(await readReading(at, id))),
      {
        params: feedParams,
        ...newestOnly,
        headers: conditionalHeaders,
        response: { 200: readingAnswer, 400: errorAnswers[400], 404: errorAnswers[404], ...chainErrors },
        detail: feedDetail,
      },
    )
    .use(readings(answerAt))
    .use(recent(answerAt, readNewestPeriods))
}
