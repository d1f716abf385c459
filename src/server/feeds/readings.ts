import { WattfeedError } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import type { Reading, Snapshot } from 'wattfeed'
import { type ReadingBody, type ReadingsBody, readingBody, readingsBody } from '../../api/schemas.ts'
import type { AnswerAt } from '../answerAt.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedIds,
} from '../http/apiDocs.ts'

import { strictQuery } from '../http/strictQuery.ts'
import { feedNotFoundText } from '../notFound.ts'
import { readingBodyOf } from '../readers/readingBody.ts'
import { fieldsParameter } from './feedFilter.ts'

const fields = fieldsParameter(Object.keys(readingBody.properties), {
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

/** The newest values of several feeds. */
export function readings(answerAt: AnswerAt) {
  const readingsBodyOf = createReadingsBody()
  return new Elysia({ name: 'readings' }).get(
    '/v1/readings',
    async ({ query: { id: ids, fields }, set }) => {
      const found = await answerAt(set, (at) => Promise.all(ids.map((id) => readOrError(at, id))))
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
}

/** A feed as read: null without a value, or why it could not be read. */
type Found = Reading | WattfeedError | null

async function readOrError(at: Snapshot, id: string): Promise<Found> {
  try {
    return await at.getReading(id)
  } catch (error) {
    if (error instanceof WattfeedError) return error
    throw error
  }
}

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

type Result = ReadingsBody['results'][number]

function resultOf(id: string, found: Found, fields: string | undefined): Result {
  if (found === null) return { feed_id: id, status: 404, error: feedNotFoundText(id) }
  if (found instanceof WattfeedError) return { feed_id: id, status: 502, error: found.message }
  try {
    return { feed_id: id, status: 200, reading: pick(readingBodyOf(found), fields) }
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
