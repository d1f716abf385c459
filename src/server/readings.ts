import { Elysia } from 'elysia'
import { type ReadingsBody, readingBody } from '../api/schemas.ts'
import type { Client, Reading, Snapshot } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import type { Parse } from '../runtime/parsers.ts'
import {
  chainAnswerHeaders,
  errorAnswers,
  exampleReading,
  ifNoneMatch,
  jsonAnswer,
  notModifiedAnswer,
} from './apiDocs.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { FeedNotFoundError } from './errorResponse.ts'
import { feedBody } from './feeds.ts'
import type { AnswerHeaders, ChainHeaders } from './headers.ts'
import { createObjectMemo, createTextMemo } from './memo.ts'
import type { Metrics } from './metrics.ts'
import { assertFeedIds, feedIds, parseQuery } from './query.ts'
import { urlQuery } from './url.ts'

export interface ReadingsOptions {
  client: Pick<Client, 'withSnapshot'>
  metrics: Pick<Metrics, 'snapshot'>
  chainHeaders: ChainHeaders
}

const MAX_REMEMBERED_QUERIES = 100

/** `GET /v1/readings`: the readings of some feeds, at one state root, each with a status of its own. */
export function createReadings({ client, metrics, chainHeaders }: ReadingsOptions) {
  const remembered = createTextMemo<Asked>(MAX_REMEMBERED_QUERIES)
  return new Elysia({ name: 'readings' }).get(
    '/v1/readings',
    ({ request }) => {
      const asked = remembered(urlQuery(request.url), () => parseAsked(request.url))
      return client.withSnapshot(async (at) => {
        metrics.snapshot(at)
        const [answer, headers] = await Promise.all([asked(at), chainHeaders(at)])
        return contentResponse(request, answer.content, answer.hasFailed ? notStored(headers) : headers)
      })
    },
    { detail },
  )
}

// What failed may succeed the next time.
const notStored = createObjectMemo(
  (headers: AnswerHeaders): AnswerHeaders => ({ ...headers, 'cache-control': 'no-store' }),
)

/** Null if there is none, an error if it could not be read. */
type Found = Reading | null | WattfeedError

/** Answers a query at a snapshot. */
type Asked = (at: Snapshot) => Promise<Answer>

interface Answer {
  content: Content
  hasFailed: boolean
}

/**
 * Parses a query. Its answer is put together again only when another reading is found, and nothing is read at a state root
 * that every feed was read at: what is absent may have been hidden by a node, and is read again.
 *
 * @throws {QueryError}
 */
function parseAsked(url: string): Asked {
  const { id: ids, fields } = parseQuery(url, { id: feedIds, fields: readingFields })
  assertFeedIds(ids)
  let last: { found: readonly Found[]; answer: Answer; wholeAt: string | null } | null = null
  return async (at) => {
    if (last?.wholeAt === at.stateRootHash) return last.answer
    const found = await readAll(at, ids)
    const isSame = last?.found.every((each, index) => each === found[index])
    const answer = last && isSame ? last.answer : format(ids, found, fields)
    const isWhole = !answer.hasFailed && !found.includes(null)
    last = { found, answer, wholeAt: isWhole ? at.stateRootHash : null }
    return answer
  }
}

const FIELDS = Object.keys(readingBody.properties)
const FIELDS_RULE = `one or more of ${FIELDS.join(', ')}, with commas between them`

const readingFields: Parse<ReadonlySet<string>> = Object.assign(
  (text: string) => {
    const names = text.split(',')
    if (!names.every((name) => FIELDS.includes(name))) throw new Error(FIELDS_RULE)
    return new Set(names)
  },
  { rule: FIELDS_RULE },
)

const readAll = (at: Snapshot, ids: readonly string[]): Promise<Found[]> =>
  Promise.all(ids.map((id) => at.getReading(id).catch(ownError)))

/** Returns an error that wattfeed threw on purpose. */
function ownError(error: unknown): WattfeedError {
  if (error instanceof WattfeedError) return error
  throw error
}

function format(ids: readonly string[], found: readonly Found[], fields: ReadonlySet<string> | null): Answer {
  const results = ids.map((id, index) => formatResult(id, found[index] ?? null, fields))
  return {
    content: createContent(
      `{"count":${results.length},"results":[${results.map(({ text }) => text).join(',')}]}`,
    ),
    hasFailed: results.some(({ status }) => status === 502),
  }
}

function formatResult(id: string, found: Found, fields: ReadonlySet<string> | null) {
  const withStatus = (status: 200 | 404 | 502, key: 'reading' | 'error', json: string) => ({
    status,
    text: `{"feed_id":${JSON.stringify(id)},"status":${status},"${key}":${json}}`,
  })
  const failed = (status: 404 | 502, { message }: Error) =>
    withStatus(status, 'error', JSON.stringify(message))
  if (found === null) return failed(404, new FeedNotFoundError(id, null))
  if (found instanceof WattfeedError) return failed(502, found)
  try {
    return withStatus(200, 'reading', readingJson(found, fields))
  } catch (error) {
    return failed(502, ownError(error))
  }
}

/** Formats the fields of a reading that are asked for, in the reading's order. @throws {BodySchemaError} */
function readingJson(reading: Reading, fields: ReadonlySet<string> | null): string {
  const text = feedBody(reading)
  if (fields === null) return text
  return JSON.stringify(
    Object.fromEntries(Object.entries(JSON.parse(text)).filter(([name]) => fields.has(name))),
  )
}

const exampleReadings: ReadingsBody = {
  count: 2,
  results: [
    {
      feed_id: exampleReading.feed_id,
      status: 200,
      reading: { value: exampleReading.value, period: exampleReading.period },
    },
    {
      feed_id: 'EIA.NO.SUCH.FEED',
      status: 404,
      error: new FeedNotFoundError('EIA.NO.SUCH.FEED', null).message,
    },
  ],
}

const detail = {
  operationId: 'getReadings',
  summary: 'Read some feeds',
  description:
    'The readings of 1 to 100 feeds, all of one state root and in the order asked for; an id that is asked for twice is answered twice. Each has a status of its own: 404 if it is not registered or has no value, 502 if it could not be read, so that one bad id does not fail the others. The query is form-encoded: `+` is a space.',
  tags: ['feeds'],
  parameters: [
    {
      name: 'id',
      in: 'query' as const,
      required: true,
      description: 'A feed id, repeated for each.',
      schema: {
        type: 'array' as const,
        items: { type: 'string' as const },
        minItems: 1,
        maxItems: feedIds.max,
      },
      style: 'form' as const,
      explode: true,
      example: [exampleReading.feed_id, 'EIA.NO.SUCH.FEED'],
    },
    {
      name: 'fields',
      in: 'query' as const,
      required: false,
      description: 'The parts of each reading to answer; their order stays that of the reading.',
      schema: { type: 'array' as const, items: { type: 'string' as const, enum: FIELDS }, minItems: 1 },
      style: 'form' as const,
      explode: false,
      example: ['value', 'period'],
    },
    ifNoneMatch,
  ],
  responses: {
    200: jsonAnswer('What was found of each.', 'Readings', exampleReadings, chainAnswerHeaders),
    304: notModifiedAnswer,
    400: {
      ...errorAnswers[400],
      description:
        'A parameter is unknown, missing, malformed or too often there: `error` names it and its rule.',
    },
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}
