import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { POSITION_RULE } from 'wattfeed/internal'
import { type Position, parsePosition } from 'wattfeed/live'
import { textOf } from '../../runtime/settings/textTypes.ts'
import { chainErrors, errorAnswers, exampleHistory, exampleReading, textAnswers } from '../http/apiDocs.ts'
import { commonHeaders } from '../http/headers.ts'
import { QueryError, strictQuery } from '../http/strictQuery.ts'
import type { Server } from '../server.ts'
import { createStreamHub } from './hub.ts'

export const STREAM_PATH = '/v1/stream'

const MAX_IDS = 100

// `X-Accel-Buffering` disables buffering in nginx.
const headers = {
  ...commonHeaders,
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const POSITION = '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'

const exampleEvent = {
  ...exampleReading,
  index: exampleHistory.count - 1,
  log: 'AttestationRegistry',
  log_index: 1_203,
  state_root_hash: '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041',
}

const example = `id: ${POSITION}\nevent: attested\ndata: ${JSON.stringify(exampleEvent)}\n\n`

const query = {
  id: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_IDS,
      description: 'Feed id. Repeat the parameter for more feeds; default all feeds.',
    }),
  ),
  from: Type.Optional(
    textOf(POSITION_RULE, (text) => parsePosition(text) ?? undefined, {
      description:
        'Position to resume after; by default, only new events are sent. If this server has not reached the position, the request waits up to a minute.',
      examples: [POSITION],
    }),
  ),
  snapshot: Type.Optional(
    Type.Union([Type.Literal('0'), Type.Literal('1')], {
      description:
        'With `1`, the stream starts with a `snapshot` event for each feed, followed by the position in a block with only an `id`. When resuming, these are only sent after a `reset`.',
    }),
  ),
}

const requestHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description:
        'The last `id` received. It takes precedence over `from`. EventSource sends it automatically.',
    }),
  ),
})

const detail = {
  operationId: 'streamEvents',
  summary: 'Stream new values',
  description: [
    'Server-Sent Events: `attested` for a value, `feed` for a new or changed feed, `snapshot` and `reset`. Each event is sent once, in the order of its log. The `id` of an event is a position. To resume after that event, send it as `from` or `Last-Event-ID` to any server of the same registries.',
    'The server sends a comment or a block with only an `id` every 15 s. It closes streams whose clients read too slowly; they can resume.',
  ].join('\n\n'),
  tags: ['feeds'],
  responses: textAnswers('The events.', 'text/event-stream', example, {
    400: errorAnswers[400],
    503: errorAnswers[503],
    ...chainErrors,
  }),
}

/** The events of both registries. */
export const stream = (
  server: Pick<Server, 'client' | 'metrics' | 'log' | 'now'>,
  streams = createStreamHub(server),
) =>
  new Elysia({ name: 'stream' })
    .get(
      STREAM_PATH,
      async ({
        request,
        query: { id: ids = [], from = null, snapshot },
        headers: { 'last-event-id': last },
      }) => {
        const body = await streams.open({
          ids: ids.length === 0 ? null : new Set(ids),
          from: parseLastEventId(last) ?? from,
          snapshot: snapshot === '1',
          // A signal uses memory for the whole stream, so it is only created when needed.
          hasLeft: () => request.signal.aborted,
        })
        return new Response(body, { headers })
      },
      { ...strictQuery(query), headers: requestHeaders, detail },
    )
    .head(STREAM_PATH, () => new Response(null, { headers }), {
      ...strictQuery(query),
      detail: { hide: true },
    })

/** @throws {QueryError} when the header is malformed. */
function parseLastEventId(text: string | undefined): Position | null {
  // Some clients send an empty header before the first event.
  if (text === undefined || text === '') return null
  const found = parsePosition(text)
  if (found === null) throw new QueryError('Last-Event-ID', text, `it must be ${POSITION_RULE}`)
  return found
}
