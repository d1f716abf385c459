import { Elysia } from 'elysia'
import type { Reading } from 'wattfeed'
import { type StatusBody, type StatusesBody, statusBody, statusesBody } from '../../api/schemas.ts'
import { feedStates } from '../../feeds/status/feedStatus.ts'
import { answerSchema } from '../http/answerSchema.ts'
import { chainErrors, errorAnswers, feedParams, unstoredHeaders } from '../http/apiDocs.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { readReading } from '../notFound.ts'
import type { NewestValuesReader } from '../readers/newestValues.ts'
import { statusAt } from '../readers/statusAt.ts'
import type { Server } from '../server.ts'
import { registerStateGauge } from './stateGauge.ts'

const checkStatus = createBodyCheck(statusBody, ChainDataError)

const UNSTORED = { 'cache-control': 'no-store' }

const listDetail = {
  operationId: 'listStatus',
  summary: 'Check whether feeds are up to date',
  description:
    'Compares every feed of /v1/feeds with EIA’s release calendar, at one state root and at most a second ago. The result is advice. docs/status.md explains the states and the rules.',
  tags: ['feeds'],
}

const detail = {
  operationId: 'getStatus',
  summary: 'Check whether a feed is up to date',
  description: `The age of the newest value and its maximum (\`max_age_ms\`), the period that EIA should have published by now, and the state: ${feedStates.join(', ')}. Not cached, without an ETag.`,
  tags: ['feeds'],
}

const statusAnswer = answerSchema('Status', statusBody, {
  description: 'The status.',
  headers: unstoredHeaders,
})
const statusesAnswer = answerSchema('Statuses', statusesBody, {
  description: 'All statuses.',
  headers: unstoredHeaders,
})

const bodyOf = (reading: Reading, time: number, found: readonly number[] | null): StatusBody =>
  checkStatus(
    { ...statusAt(reading, time), gaps: found && [...found] },
    `the status of feed "${reading.feed_id}"`,
  )

/** Creates a function that formats the list once for the requests of a second, at the time of the first of them. */
function createListBody({ peekGaps }: NewestValuesReader) {
  let last: Readonly<{ readings: readonly Reading[]; second: number; body: StatusesBody }> | null = null
  return (readings: readonly Reading[], time: number, protocol_version: string | null): StatusesBody => {
    const second = Math.floor(time / 1_000)
    if (last?.readings === readings && last.second === second) return last.body
    const feeds = readings.map((reading) => bodyOf(reading, time, peekGaps(reading)))
    const body = { count: feeds.length, protocol_version, feeds }
    last = { readings, second, body }
    return body
  }
}

/**
 * `GET /v1/status` and `GET /v1/feeds/:id/status`: whether feeds have the values that EIA should have published by now. The
 * result changes with time, so it has no ETag and is not cached.
 */
export function status({ client, answerAt, metrics, now }: Server, newest: NewestValuesReader) {
  registerStateGauge({ client, metrics, now })
  const listBodyOf = createListBody(newest)

  return new Elysia({ name: 'status' })
    .get(
      '/v1/status',
      async ({ set }) => {
        const readings = await answerAt(set, (at) => at.listReadings())
        Object.assign(set.headers, UNSTORED)
        const body = listBodyOf(readings, now(), client.status().protocolVersion)
        newest.fill(readings)
        return body
      },
      {
        ...strictQuery({}),
        response: { 200: statusesAnswer, 400: errorAnswers[400], ...chainErrors },
        detail: listDetail,
      },
    )
    .get(
      '/v1/feeds/:id/status',
      async ({ params: { id }, set }) => {
        const body = await answerAt(set, async (at) => {
          const reading = await readReading(at, id)
          const found = await newest.readGaps(at, reading)
          return bodyOf(reading, now(), found)
        })
        Object.assign(set.headers, UNSTORED)
        return body
      },
      {
        params: feedParams,
        ...strictQuery({}),
        response: { 200: statusAnswer, 400: errorAnswers[400], 404: errorAnswers[404], ...chainErrors },
        detail,
      },
    )
}
