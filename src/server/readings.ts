import { Elysia } from 'elysia'
import { type ReadingBody, type ReadingsBody, readingBody, readingsBody } from '../api/schemas.ts'
import type { Snapshot } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import type { AnswerAt } from './answerAt.ts'
import { answerSchema } from './answerSchema.ts'
import { chainAnswerHeaders, chainErrors, conditionalHeaders, errorAnswers, feedIds } from './apiDocs.ts'
import { feedBody } from './feeds.ts'
import { fieldsParameter } from './fields.ts'
import { FeedNotFoundError } from './notFound.ts'
import { strictQuery } from './plugins/query.ts'

const FIELDS = Object.keys(readingBody.properties)

const fields = fieldsParameter(FIELDS, {
  description: 'Fields of each reading to return, separated by commas. They keep the order of the reading.',
  examples: ['value,period'],
})

const readingsAnswer = answerSchema('Readings', readingsBody, {
  description: 'One result per requested id.',
  headers: chainAnswerHeaders,
})

const detail = {
  operationId: 'getReadings',
  summary: 'Read several feeds',
  description:
    'The readings of 1 to 100 feeds at one state root, in the requested order. Each result has its own status: 404 if the feed is not registered or has no value, 502 if it could not be read. One bad id does not fail the others. In the query, `+` is a space.',
  tags: ['feeds'],
}

/** `GET /v1/readings`: several feeds at one state root, each with its own status. */
export const createReadings = (answerAt: AnswerAt) =>
  new Elysia({ name: 'readings' }).get(
    '/v1/readings',
    async ({ query: { id: ids, fields }, set }) => {
      const results = await answerAt(set, (at) => Promise.all(ids.map((id) => readResult(at, id, fields))))
      // A failed read may succeed the next time.
      if (results.some(({ status }) => status === 502)) set.headers['cache-control'] = 'no-store'
      return { count: results.length, results }
    },
    {
      ...strictQuery({ id: feedIds, fields }),
      headers: conditionalHeaders,
      response: { 200: readingsAnswer, 400: errorAnswers[400], ...chainErrors },
      detail,
    },
  )

type Result = ReadingsBody['results'][number]

async function readResult(at: Snapshot, id: string, fields: string | undefined): Promise<Result> {
  try {
    const reading = await at.getReading(id)
    if (reading === null) return { feed_id: id, status: 404, error: new FeedNotFoundError(id, null).message }
    return { feed_id: id, status: 200, reading: pick(feedBody(reading), fields) }
  } catch (error) {
    if (error instanceof WattfeedError) return { feed_id: id, status: 502, error: error.message }
    throw error
  }
}

/** Returns the requested fields, in the order of the reading. */
function pick(reading: ReadingBody, fields: string | undefined): Partial<ReadingBody> {
  if (fields === undefined) return reading
  const names = fields.split(',')
  return Object.fromEntries(Object.entries(reading).filter(([name]) => names.includes(name)))
}
