import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type FeedsBody, readingBody } from '../api/schemas.ts'
import { type Client, type Reading, readingToJson, type Snapshot, type StateRoot } from '../client/index.ts'
import {
  chainAnswerHeaders,
  errorAnswers,
  exampleReading,
  ifNoneMatch,
  jsonAnswer,
  notModifiedAnswer,
} from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { FeedNotFoundError } from './errorResponse.ts'
import { asFeedsCsv, feedsCsv, feedsCsvDetail, feedsCsvMetadata, feedsCsvMetadataDetail } from './feedsCsv.ts'
import { fileResponse } from './fileResponse.ts'
import { type AnswerHeaders, type ChainHeaders, versionAt } from './headers.ts'
import { createObjectMemo } from './memo.ts'
import type { Answer } from './methods.ts'
import type { Metrics } from './metrics.ts'
import { parseQuery } from './query.ts'
import { feedIdFromUrl } from './url.ts'

export interface FeedsOptions {
  client: Client
  metrics: Pick<Metrics, 'snapshot'>
  chainHeaders: ChainHeaders
}

/** Answers with readings, each answer at one state root. */
export interface FeedAnswers {
  list: Answer
  csv: Answer
  /** @param feedId decoded */
  feed(feedId: string): Answer
}

type Respond = (request: Request, content: Content, headers: AnswerHeaders) => Response | Promise<Response>

/** All that an answer is made of, but for who asks. */
interface Finished {
  content: Content
  headers: AnswerHeaders
}

export function createFeedAnswers({ client, metrics, chainHeaders }: FeedsOptions): FeedAnswers {
  // Of one state root: until the next one nothing is read or formatted twice.
  let finished: { stateRootHash: string; byPath: Map<string, Finished> } | null = null

  function keep({ stateRootHash }: StateRoot, path: string, made: Finished): void {
    // A version that was not read may be readable the next time.
    if (!('x-wattfeed-version' in made.headers)) return
    if (finished?.stateRootHash !== stateRootHash) finished = { stateRootHash, byPath: new Map() }
    finished.byPath.set(path, made)
  }

  /** @param path names the answer */
  function answer(
    path: string,
    find: (at: Snapshot) => Promise<Content>,
    respond: Respond = contentResponse,
  ): Answer {
    const respondKnown = (request: Request, at: StateRoot): ReturnType<Answer> | null => {
      const made = finished?.stateRootHash === at.stateRootHash && finished.byPath.get(path)
      if (!made) return null
      metrics.snapshot(at)
      return respond(request, made.content, made.headers)
    }
    async function read(request: Request, at: Snapshot): Promise<Response> {
      metrics.snapshot(at)
      const [content, headers] = await Promise.all([find(at), chainHeaders(at)])
      keep(at, path, { content, headers })
      return respond(request, content, headers)
    }
    return (request) => {
      const recent = client.recent()
      const known = recent && respondKnown(request, recent)
      return known ?? client.withSnapshot((at) => respondKnown(request, at) ?? read(request, at))
    }
  }

  return {
    list: answer('/v1/feeds', async (at) => feedsContent(await at.listReadings())),
    csv: answer(
      '/v1/feeds.csv',
      async (at) => feedsCsv(await at.listReadings()),
      (request, content, headers) => fileResponse(request, content, asFeedsCsv(headers)),
    ),
    feed: (feedId) =>
      answer(`/v1/feeds/${feedId}`, async (at) => {
        const reading = await at.getReading(feedId)
        if (reading === null) throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
        return feedContent(reading)
      }),
  }
}

/** `GET /v1/feeds`, `GET /v1/feeds.csv` and `GET /v1/feeds/:id` */
export const createFeeds = (answers: FeedAnswers) =>
  new Elysia({ name: 'feeds' })
    .get('/v1/feeds', ({ request }) => answers.list(request), { detail: listDetail })
    .get(
      '/v1/feeds.csv',
      ({ request }) => {
        parseQuery(request.url, {})
        return answers.csv(request)
      },
      { detail: feedsCsvDetail },
    )
    .get(
      '/v1/feeds.csv-metadata.json',
      ({ request }) => {
        parseQuery(request.url, {})
        return fileResponse(request, feedsCsvMetadata)
      },
      { detail: feedsCsvMetadataDetail },
    )
    .get('/v1/feeds/:id', ({ request }) => answers.feed(feedIdFromUrl(request.url))(request), {
      params: idParameter,
      detail: feedDetail,
    })

const listDetail = {
  operationId: 'listFeeds',
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
  operationId: 'getFeed',
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

// The client returns the same objects while nothing changes on chain, so that texts are kept by object.

/** Formats a reading as JSON, once per object. @throws {BodySchemaError} */
export const feedBody = createObjectMemo((reading: Reading) =>
  checkReading(readingToJson(reading), `the reading of feed "${reading.feed_id}"`),
)

// The engine does not see how much memory answers with an old list hold, and would let hundreds of MB pile up.
const MIN_GC_LENGTH = 1_000_000
const GC_DELAY_MS = 100

/** Formats a list of readings as JSON, once per array. @throws {BodySchemaError} */
export const feedsJson = createObjectMemo((readings: readonly Reading[]) => {
  const text = `{"count":${readings.length},"feeds":[${readings.map(feedBody).join(',')}]}`
  if (text.length > MIN_GC_LENGTH) setTimeout(Bun.gc, GC_DELAY_MS, true)
  return text
})

const feedContent = createObjectMemo((reading: Reading) => createContent(feedBody(reading)))
const feedsContent = createObjectMemo((readings: readonly Reading[]) => createContent(feedsJson(readings)))
