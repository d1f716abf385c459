import { Elysia } from 'elysia'
import { type FeedsBody, feedsBody, readingBody } from '../../api/schemas.ts'
import { type Reading, readingToJson } from '../../client/index.ts'
import type { AnswerAt } from '../answerAt.ts'
import { answerSchema, createChainDataCheck } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedParams,
  fileRequestHeaders,
} from '../http/apiDocs.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { headersSet, versionAt } from '../http/headers.ts'
import { createObjectMemo } from '../http/memo.ts'
import { lastQuery, strictQuery } from '../http/query.ts'
import { urlQuery } from '../http/url.ts'
import { FeedNotFoundError } from '../notFound.ts'
import { feedFilterParameters, filterFeeds } from './feedFilter.ts'
import {
  feedsCsv,
  feedsCsvDetail,
  feedsCsvHeaders,
  feedsCsvMetadata,
  feedsCsvMetadataDetail,
  feedsCsvParameters,
} from './feedsCsv.ts'

const checkReading = createChainDataCheck(readingBody)

// The client returns the same objects until something changes on chain, and so do these functions.

export const feedBody = createObjectMemo((reading: Reading) =>
  checkReading(readingToJson(reading), `the reading of feed "${reading.feed_id}"`),
)

export const feedsBodyOf = createObjectMemo(
  (readings: readonly Reading[]): FeedsBody => ({ count: readings.length, feeds: readings.map(feedBody) }),
)

const listDetail = {
  operationId: 'listFeeds',
  summary: 'List all feeds, or those that a filter selects',
  description:
    'Every registered feed that has a value, in registry order. `q`, `family`, `route`, `frequency` and `unit` filter the list; a feed must match all of them. Other parameters are ignored. The last value of a repeated parameter counts, and malformed encoding is never an error. All feeds are read at one state root, which is fetched after the request arrived.',
  tags: ['feeds'],
}

const feedDetail = {
  operationId: 'getFeed',
  summary: 'Read one feed',
  description: 'The metadata and newest value of one feed.',
  tags: ['feeds'],
}

const feedsAnswer = answerSchema('Feeds', feedsBody, {
  description: 'All readings.',
  headers: chainAnswerHeaders,
})
const readingAnswer = answerSchema('Reading', readingBody, {
  description: 'The reading.',
  headers: chainAnswerHeaders,
})

export const createFeeds = (answerAt: AnswerAt) =>
  new Elysia({ name: 'feeds' })
    .get(
      '/v1/feeds',
      ({ query, set }) =>
        answerAt(set, async (at) => feedsBodyOf(filterFeeds(await at.listReadings(), query))),
      {
        ...lastQuery(feedFilterParameters),
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
      ({ request, query }) => fileResponse(request, feedsCsvMetadata(query, urlQuery(request.url))),
      { ...strictQuery(feedsCsvParameters), headers: conditionalHeaders, detail: feedsCsvMetadataDetail },
    )
    .get(
      '/v1/feeds/:id',
      ({ params: { id }, set }) =>
        answerAt(set, async (at) => {
          const reading = await at.getReading(id)
          if (reading === null) throw new FeedNotFoundError(id, at.stateRootHash, await versionAt(at))
          return feedBody(reading)
        }),
      {
        params: feedParams,
        headers: conditionalHeaders,
        response: { 200: readingAnswer, 400: errorAnswers[400], 404: errorAnswers[404], ...chainErrors },
        detail: feedDetail,
      },
    )
