import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Client, Reading, Snapshot } from '../client/index.ts'
import {
  chainAnswerHeaders,
  errorAnswers,
  exampleReading,
  ifNoneMatch,
  jsonAnswer,
  notModifiedAnswer,
} from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { FeedNotFoundError } from './errorResponse.ts'
import { createChainHeaders, isNotModified, jsonResponse } from './headers.ts'
import type { Metrics } from './metrics.ts'
import { type FeedsBody, type ReadingBody, readingBody } from './schemas.ts'
import { feedIdFromUrl } from './url.ts'

export interface FeedsOptions {
  client: Client
  metrics: Pick<Metrics, 'snapshot'>
}

/** `GET /v1/feeds` and `GET /v1/feeds/:id`: readings, each answer at one state root. */
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

// `Any` documents the parameter without checking it: `feedIdFromUrl` decodes the id instead of the router, with better
// errors.
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

const checkReading = createBodyCheck(readingBody, 'chain')

// Field order is part of the API, so it does not depend on the client's objects.
const toBody = (reading: Reading): ReadingBody => ({
  feed_id: reading.feed_id,
  decimals: reading.decimals,
  unit: reading.unit,
  title: reading.title,
  source: reading.source,
  route: reading.route,
  frequency: reading.frequency,
  description: reading.description,
  value: reading.value,
  amount: String(reading.amount),
  period: reading.period,
  source_hash: reading.source_hash,
  updated_at: reading.updated_at,
})

// The client returns the same objects while nothing changes on chain, so texts are cached by object.
const feedTexts = new WeakMap<Reading, string>()
const feedsTexts = new WeakMap<readonly Reading[], string>()

/** Formats a reading as JSON, once per object. @throws {BodySchemaError} */
export function feedBody(reading: Reading): string {
  const known = feedTexts.get(reading)
  if (known !== undefined) return known
  const text = checkReading(toBody(reading), `the reading of feed "${reading.feed_id}"`)
  feedTexts.set(reading, text)
  return text
}

// The engine does not see how much memory answers with an old list hold, and would let hundreds of MB pile up.
const MIN_GC_LENGTH = 1_000_000
const GC_DELAY_MS = 100

/** Formats a list of readings as JSON, once per array. @throws {BodySchemaError} */
export function feedsJson(readings: readonly Reading[]): string {
  const known = feedsTexts.get(readings)
  if (known !== undefined) return known
  const text = `{"count":${readings.length},"feeds":[${readings.map(feedBody).join(',')}]}`
  feedsTexts.set(readings, text)
  if (text.length > MIN_GC_LENGTH) setTimeout(Bun.gc, GC_DELAY_MS, true)
  return text
}
