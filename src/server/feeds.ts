import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Client, Snapshot } from '../client/index.ts'
import { chainAnswerHeaders, errorAnswers, ifNoneMatch, jsonAnswer, notModifiedAnswer } from './apiDocs.ts'
import { createChainHeaders } from './chainHeaders.ts'
import { isNotModified } from './etag.ts'
import { exampleReading } from './exampleReading.ts'
import { feedBody, feedsJson } from './feedBody.ts'
import { feedIdFromUrl } from './feedIdFromUrl.ts'
import { FeedNotFoundError } from './feedNotFound.ts'
import { jsonResponse } from './jsonResponse.ts'
import type { Metrics } from './metrics.ts'
import type { FeedsBody } from './schemas.ts'

export interface FeedsOptions {
  client: Client
  metrics: Pick<Metrics, 'snapshot'>
}

/** `GET /v1/feeds` and `GET /v1/feeds/:id`: readings, each answer of one state root. */
export function createFeeds({ client, metrics }: FeedsOptions) {
  const chainHeaders = createChainHeaders()

  const read = <T>(use: (at: Snapshot) => Promise<T>): Promise<T> =>
    client.withSnapshot((at) => {
      metrics.snapshot(at)
      return use(at)
    })

  const answer = (at: Snapshot, request: Request, text: string): Response => {
    const { etag, headers } = chainHeaders(at.stateRootHash)
    return isNotModified(request, etag)
      ? new Response(null, { status: 304, headers })
      : jsonResponse(text, 200, headers)
  }

  return new Elysia({ name: 'feeds' })
    .get(
      '/v1/feeds',
      ({ request }) => read(async (at) => answer(at, request, feedsJson(await at.listReadings()))),
      { detail: listDetail },
    )
    .get(
      '/v1/feeds/:id',
      ({ request }) => {
        const feedId = feedIdFromUrl(request.url)
        return read(async (at) => {
          const reading = await at.getReading(feedId)
          if (reading === null) throw new FeedNotFoundError(feedId, at.stateRootHash)
          return answer(at, request, feedBody(reading))
        })
      },
      { params: idParameter, detail: feedDetail },
    )
}

const listDetail = {
  summary: 'List all feeds',
  description:
    'Every feed that is registered and has a value, in registry order: all of one state root, fetched after the request arrived.',
  tags: ['feeds'],
  parameters: [ifNoneMatch],
  responses: {
    200: jsonAnswer(
      'All readings.',
      'Feeds',
      { count: 1, feeds: [exampleReading] } satisfies FeedsBody,
      chainAnswerHeaders,
    ),
    304: notModifiedAnswer,
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}

// `Any` documents the parameter and checks nothing: the router's own decoding of it is not used, and fails where
// `feedIdFromUrl` has something better to say.
const idParameter = Type.Object({
  id: Type.Any({
    type: 'string',
    description:
      'The feed id: case-sensitive, any characters, percent-encoded UTF-8 (`%2F` is a slash, `+` a plus). It is decoded once. An unencoded slash makes another path. The empty id and the ids `.` and `..` cannot be asked for, since URL parsers resolve them away even when encoded; the list shows them.',
    examples: [exampleReading.feed_id],
  }),
})

const feedDetail = {
  summary: 'Read one feed',
  description: 'Metadata and newest value of one feed. Takes If-None-Match, as the list does.',
  tags: ['feeds'],
  responses: {
    200: jsonAnswer('The reading.', 'Reading', exampleReading, chainAnswerHeaders),
    304: notModifiedAnswer,
    400: errorAnswers[400],
    404: errorAnswers[404],
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}
