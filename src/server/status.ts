import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Client, Reading } from '../client/index.ts'
import { type FeedState, type FeedStatus, feedStates, statusOf } from '../status/feedStatus.ts'
import { chainAnswerHeaders, errorAnswers, exampleReading, jsonAnswer } from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { createContent } from './content.ts'
import { FeedNotFoundError } from './errorResponse.ts'
import { createGaps } from './gaps.ts'
import { type AnswerHeaders, type ChainHeaders, versionAt } from './headers.ts'
import { createObjectMemo } from './memo.ts'
import type { Metrics } from './metrics.ts'
import { parseQuery } from './query.ts'
import { type StatusBody, type StatusesBody, statusBody, statusesBody } from './schemas.ts'
import { feedIdFromUrl, STATUS_SUFFIX } from './url.ts'

export interface StatusOptions {
  client: Pick<Client, 'withSnapshot'>
  metrics: Pick<Metrics, 'snapshot' | 'followStates'>
  chainHeaders: ChainHeaders
  /** Epoch milliseconds. */
  now: () => number
}

/**
 * `GET /v1/status` and `GET /v1/feeds/:id/status`: whether feeds have what EIA should have published by now. It changes
 * with the time alone, so that it has no ETag and is not stored.
 */
export function createStatus({ client, metrics, chainHeaders, now }: StatusOptions) {
  metrics.followStates(followStates({ client, now }))
  const gaps = createGaps(client)
  return new Elysia({ name: 'status' })
    .get(
      '/v1/status',
      ({ request }) => {
        parseQuery(request.url, {})
        return client.withSnapshot(async (at) => {
          metrics.snapshot(at)
          const [readings, headers] = await Promise.all([at.listReadings(), chainHeaders(at)])
          const time = now()
          const feeds = readings.map(
            (reading): StatusBody => ({ ...prepared(reading)(time), gaps: copyOf(gaps.peek(reading)) }),
          )
          gaps.fill(readings)
          const text = checkStatuses({ count: feeds.length, feeds }, 'the status of all feeds')
          return answer(request, text, headers)
        })
      },
      { detail: listDetail },
    )
    .get(
      `/v1/feeds/:id${STATUS_SUFFIX}`,
      ({ request }) => {
        const feedId = feedIdFromUrl(request.url, STATUS_SUFFIX)
        parseQuery(request.url, {})
        return client.withSnapshot(async (at) => {
          metrics.snapshot(at)
          const [reading, headers] = await Promise.all([at.getReading(feedId), chainHeaders(at)])
          if (reading === null) throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
          const found = copyOf(await gaps.read(at, reading))
          const status: StatusBody = { ...prepared(reading)(now()), gaps: found }
          const text = checkStatus(status, `the status of feed "${feedId}"`)
          return answer(request, text, headers)
        })
      },
      { params, detail },
    )
}

const copyOf = (gaps: readonly number[] | null): number[] | null => gaps && [...gaps]

const checkStatus = createBodyCheck(statusBody, 'chain')
const checkStatuses = createBodyCheck(statusesBody, 'chain')

// The client returns the same objects while nothing changes on chain: only the time is looked at anew.
const prepared = createObjectMemo((reading: Reading): ((now: number) => FeedStatus) => statusOf(reading))

/** As other answers, but without an ETag. */
async function answer(request: Request, text: string, extra: AnswerHeaders): Promise<Response> {
  const form = await createContent(text).formFor(request)
  const headers = new Headers(form.headers({ ...extra, 'cache-control': 'no-store' }))
  headers.delete('etag')
  return new Response(form.body, { headers })
}

/**
 * Returns a function that counts the feeds in each state, of the list that was read last; null before the first. Each call
 * has the list read anew for the next one, so that nothing waits for a node.
 */
function followStates({ client, now }: Pick<StatusOptions, 'client' | 'now'>) {
  let last: readonly Reading[] | null = null
  let isReading = false
  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    // What cannot be read is /ready's matter: the last list stays.
    last = await client.withSnapshot((at) => at.listReadings()).catch(() => last)
    isReading = false
  }
  return (): Readonly<Record<FeedState, number>> | null => {
    void read()
    if (last === null) return null
    const counts = { current: 0, due: 0, late: 0, stale: 0, unknown: 0 }
    const time = now()
    for (const each of last) counts[prepared(each)(time).state] += 1
    return counts
  }
}

const params = Type.Object({
  id: Type.Any({ type: 'string', description: 'The feed id, as for /v1/feeds/{id}.' }),
})

const exampleStatus: StatusBody = {
  feed_id: 'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
  frequency: 'weekly',
  period: 20261113,
  period_end: '2026-11-13',
  attested_at: 1795102272040,
  age_ms: 254927960,
  cadence: {
    rule: 'natural-gas-storage',
    valid_from: '2015-11-06',
    basis: 'EIA’s notice of 5 November 2015 (ir.eia.gov/ngs/notice.html)',
  },
  expected_period: 20261113,
  due_at: 1795102200000,
  next_due_at: 1795626000000,
  max_age_ms: 716400000,
  state: 'current',
  gaps: [],
}

const headersOfStatus = {
  'X-Casper-State-Root': chainAnswerHeaders['X-Casper-State-Root'],
  'X-Wattfeed-Version': chainAnswerHeaders['X-Wattfeed-Version'],
}

const queryError = { ...errorAnswers[400], description: 'There is a query; or the path does not decode.' }

const listDetail = {
  operationId: 'listStatus',
  summary: 'Whether feeds are up to date',
  description:
    'Every feed of /v1/feeds against the calendar of EIA’s releases, all of one state root: advice, not a judgement. docs/status.md has the states and the rules.',
  tags: ['feeds'],
  responses: {
    200: jsonAnswer(
      'All statuses.',
      'Statuses',
      { count: 1, feeds: [exampleStatus] } satisfies StatusesBody,
      headersOfStatus,
    ),
    400: queryError,
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}

const detail = {
  operationId: 'getStatus',
  summary: 'Whether a feed is up to date',
  description: `The newest value's age and how old it may be (\`max_age_ms\`), what EIA should have published by now, and the state: ${feedStates.join(', ')}. Of \`${exampleReading.feed_id}\` and all others; not stored, no ETag.`,
  tags: ['feeds'],
  responses: {
    200: jsonAnswer('The status.', 'Status', exampleStatus, headersOfStatus),
    400: queryError,
    404: errorAnswers[404],
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}
