import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { recentBody } from '../../api/schemas.ts'
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
import type { NewestPeriodsReader } from '../readers/newestPeriods.ts'

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

/** The newest periods of several feeds. */
export const recent = (answerAt: AnswerAt, readNewestPeriods: NewestPeriodsReader) =>
  new Elysia({ name: 'recent' }).get(
    '/v1/recent',
    async ({ query: { id: ids, periods = DEFAULT_PERIODS }, set }) => {
      const results = [...(await answerAt(set, (at) => readNewestPeriods(at, ids, periods)))]
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
