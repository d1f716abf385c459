import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import {
  feedsBody,
  type ReadingBody,
  type ReadingsBody,
  readingBody,
  readingsBody,
  recentBody,
} from '../../api/schemas.ts'
import type { Reading, Snapshot } from '../../client/index.ts'
import { WattfeedError } from '../../errors.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedIds,
  feedParams,
  fileRequestHeaders,
} from '../http/apiDocs.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { urlQuery } from '../http/paths.ts'
import { answerSchema, lastQuery, strictQuery } from '../http/strictSchemas.ts'
import { feedNotFoundText, readReading } from '../answerAt.ts'
import type { Server } from '../server.ts'
import { feedBody, feedsBodyOf } from './feedBody.ts'
import { feedFilterParameters, fieldsParameter, filterFeeds } from './feedFilter.ts'
import {
  feedsCsv,
  feedsCsvDetail,
  feedsCsvHeaders,
  feedsCsvMetadata,
  feedsCsvMetadataDetail,
  feedsCsvParameters,
} from './feedsCsv.ts'

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

const FIELDS = Object.keys(readingBody.properties)

const fields = fieldsParameter(FIELDS, {
  description: 'Fields of each reading to return, separated by commas. They keep the order of the reading.',
  examples: ['value,period'],
})

const readingsAnswer = answerSchema('Readings', readingsBody, {
  description: 'One result per requested id.',
  headers: chainAnswerHeaders,
})

const readingsDetail = {
  operationId: 'getReadings',
  summary: 'Read several feeds',
  description:
    'The readings of 1 to 100 feeds at one state root, in the requested order. Each result has its own status: 404 if the feed is not registered or has no value, 502 if it could not be read. One bad id does not fail the others. In the query, `+` is a space.',
  tags: ['feeds'],
}

/** A feed as read: null without a value, or why it could not be read. */
type Found = Reading | WattfeedError | null

/** Number of recent requests whose bodies are kept. */
const MAX_KEPT = 32

/** Creates a function that formats what was read, once for each request as long as its feeds do not change. */
function createReadingsBody() {
  const kept = new LRUCache<string, { found: readonly Found[]; body: ReadingsBody }>({ max: MAX_KEPT })
  return (ids: readonly string[], fields: string | undefined, found: readonly Found[]): ReadingsBody => {
    const name = JSON.stringify([ids, fields])
    const last = kept.get(name)
    if (last?.found.every((each, index) => each === found[index])) return last.body
    const results = ids.map((id, index) => resultOf(id, found[index] ?? null, fields))
    const body = { count: results.length, results }
    kept.set(name, { found, body })
    return body
  }
}

const DEFAULT_PERIODS = 60
const MAX_PERIODS = 120

const recentAnswer = answerSchema('Recent', recentBody, {
  description: 'One result per requested id.',
  headers: chainAnswerHeaders,
})

const periodsSchema = Type.Integer({
  minimum: 1,
  maximum: MAX_PERIODS,
  description: `Maximum number of periods per feed; default ${DEFAULT_PERIODS}.`,
})

const recentDetail = {
  operationId: 'getRecent',
  summary: 'Read the newest periods of several feeds',
  description:
    'The newest periods of 1 to 100 feeds at one state root, with the latest attested value of each period. Each result has its own status: 404 if the feed is not registered, 502 if it could not be read. It is 503 while the server still reads the history, and 429 if too many are waiting.',
  tags: ['feeds'],
}

/** The newest values: of all feeds, of one, of several, and of their newest periods. */
export function feeds({ answerAt, readRecent }: Server) {
  const readingsBodyOf = createReadingsBody()
  return new Elysia({ name: 'feeds' })
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
        answerAt(set, async (at) => feedBody(await readReading(at, id))),
      {
        params: feedParams,
        headers: conditionalHeaders,
        response: { 200: readingAnswer, 400: errorAnswers[400], 404: errorAnswers[404], ...chainErrors },
        detail: feedDetail,
      },
    )
    .get(
      '/v1/readings',
      async ({ query: { id: ids, fields }, set }) => {
        const found = await answerAt(set, (at) => Promise.all(ids.map((id) => find(at, id))))
        const body = readingsBodyOf(ids, fields, found)
        // A failed read may succeed the next time.
        if (body.results.some(({ status }) => status === 502)) set.headers['cache-control'] = 'no-store'
        return body
      },
      {
        ...strictQuery({ id: feedIds, fields }),
        headers: conditionalHeaders,
        response: { 200: readingsAnswer, 400: errorAnswers[400], ...chainErrors },
        detail: readingsDetail,
      },
    )
    .get(
      '/v1/recent',
      async ({ query: { id: ids, periods = DEFAULT_PERIODS }, set }) => {
        const results = [...(await answerAt(set, (at) => readRecent(at, ids, periods)))]
        // A retry may return the values.
        if (results.some(({ status }) => status !== 200 && status !== 404))
          set.headers['cache-control'] = 'no-store'
        return { count: results.length, results }
      },
      {
        ...strictQuery({ id: feedIds, periods: Type.Optional(periodsSchema) }),
        headers: conditionalHeaders,
        response: { 200: recentAnswer, 400: errorAnswers[400], ...chainErrors },
        detail: recentDetail,
      },
    )
}

async function find(at: Snapshot, id: string): Promise<Found> {
  try {
    return await at.getReading(id)
  } catch (error) {
    if (error instanceof WattfeedError) return error
    throw error
  }
}

type Result = ReadingsBody['results'][number]

function resultOf(id: string, found: Found, fields: string | undefined): Result {
  if (found === null) return { feed_id: id, status: 404, error: feedNotFoundText(id) }
  if (found instanceof WattfeedError) return { feed_id: id, status: 502, error: found.message }
  try {
    return { feed_id: id, status: 200, reading: pick(feedBody(found), fields) }
  } catch (error) {
    if (error instanceof WattfeedError) return resultOf(id, error, fields)
    throw error
  }
}

/** Returns the requested fields, in the order of the reading. */
function pick(reading: ReadingBody, fields: string | undefined): Partial<ReadingBody> {
  if (fields === undefined) return reading
  const names = fields.split(',')
  return Object.fromEntries(Object.entries(reading).filter(([name]) => names.includes(name)))
}
