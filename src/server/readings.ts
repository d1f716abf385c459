import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ReadingBody, type ReadingsBody, readingBody, readingsBody } from '../api/schemas.ts'
import type { Snapshot } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import type { AnswerAt } from './answerAt.ts'
import { answerSchema } from './answerSchema.ts'
import { chainAnswerHeaders, chainErrors, conditionalHeaders, errorAnswers, feedIds } from './apiDocs.ts'
import { feedBody } from './feeds.ts'
import { FeedNotFoundError } from './notFound.ts'
import { strictQuery } from './plugins/query.ts'

const FIELDS = Object.keys(readingBody.properties)

const fieldsSchema = Type.String({
  pattern: `^(${FIELDS.join('|')})(,(${FIELDS.join('|')}))*$`,
  description:
    'The parts of each reading to answer, with commas between them; their order stays that of the reading.',
  examples: ['value,period'],
  error: `one or more of ${FIELDS.join(', ')}, with commas between them`,
})

const readingsAnswer = answerSchema('Readings', readingsBody, {
  description: 'What was found of each.',
  headers: chainAnswerHeaders,
})

const detail = {
  operationId: 'getReadings',
  summary: 'Read some feeds',
  description:
    'The readings of 1 to 100 feeds, all of one state root and in the order asked for; an id that is asked for twice is answered twice. Each has a status of its own: 404 if it is not registered or has no value, 502 if it could not be read, so that one bad id does not fail the others. The query is form-encoded: `+` is a space.',
  tags: ['feeds'],
}

/** `GET /v1/readings`: the readings of some feeds, at one state root, each with a status of its own. */
export const createReadings = (answerAt: AnswerAt) =>
  new Elysia({ name: 'readings' }).get(
    '/v1/readings',
    async ({ query: { id: ids, fields }, set }) => {
      const results = await answerAt(set, (at) => Promise.all(ids.map((id) => readResult(at, id, fields))))
      // What failed may succeed the next time.
      if (results.some(({ status }) => status === 502)) set.headers['cache-control'] = 'no-store'
      return { count: results.length, results }
    },
    {
      ...strictQuery({ id: feedIds, fields: Type.Optional(fieldsSchema) }),
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

/** Returns the fields that are asked for, in the reading's order. */
function pick(reading: ReadingBody, fields: string | undefined): Partial<ReadingBody> {
  if (fields === undefined) return reading
  const names = fields.split(',')
  return Object.fromEntries(Object.entries(reading).filter(([name]) => names.includes(name)))
}
