import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { POSITION_RULE, type Position, parsePosition } from '../../live/position.ts'
import { textOf } from '../../runtime/textTypes.ts'
import { errorAnswers, textAnswers } from '../apiDocs.ts'
import { exampleReading } from '../apiExamples.ts'
import { commonHeaders } from '../headers.ts'
import { QueryError, strictQuery } from '../plugins/query.ts'
import type { StreamHub } from './hub.ts'

/** The path of the stream. */
export const STREAM_PATH = '/v1/stream'

const MAX_IDS = 100

// `X-Accel-Buffering` keeps nginx from collecting what must arrive at once.
const headers = {
  ...commonHeaders,
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const POSITION = '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'

const exampleEvent = {
  ...exampleReading,
  index: 41,
  log: 'AttestationRegistry',
  log_index: 1_203,
  state_root_hash: '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041',
}

const example = `id: ${POSITION}\nevent: attested\ndata: ${JSON.stringify(exampleEvent)}\n\n`

const query = {
  id: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_IDS,
      description: 'A feed id, repeated for each; all feeds if left out.',
    }),
  ),
  from: Type.Optional(
    textOf(POSITION_RULE, (text) => parsePosition(text) ?? undefined, {
      description:
        'The position to resume after; if left out, only new events come. Held up to a minute if this server is not there yet.',
      examples: [POSITION],
    }),
  ),
  snapshot: Type.Optional(
    Type.Union([Type.Literal('0'), Type.Literal('1')], {
      description:
        '`1`: begins with a `snapshot` event for each feed, and then the position as an id alone; after a resume, only after a `reset`.',
    }),
  ),
}

const requestHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'The last `id` received; wins over `from`. EventSource sends it by itself.',
    }),
  ),
})

const detail = {
  operationId: 'streamEvents',
  summary: 'Listen to what is attested',
  description:
    'Server-Sent Events without end: `attested` for a value, `feed` for a feed that is new or changed, each once and in the order of its log, `snapshot` and `reset`. The `id` of an event is a position: sent back as `from` or `Last-Event-ID`, to any server of the same registries, the stream resumes right after it. A comment or an id alone comes every 15 s. Clients that read too slowly are closed, and resume.',
  tags: ['feeds'],
  responses: textAnswers('The events, as they come.', 'text/event-stream', example, {
    400: errorAnswers[400],
    500: errorAnswers[500],
    502: errorAnswers[502],
    503: errorAnswers[503],
  }),
}

/** `GET /v1/stream`: what both registries log, as it comes. */
export const createStreamEndpoint = (streams: Pick<StreamHub, 'open'>) =>
  new Elysia({ name: 'stream' })
    .get(
      STREAM_PATH,
      async ({
        request,
        query: { id: ids = [], from = null, snapshot },
        headers: { 'last-event-id': last },
      }) => {
        const stream = await streams.open({
          ids: ids.length === 0 ? null : new Set(ids),
          from: parseLastEventId(last) ?? from,
          snapshot: snapshot === '1',
          // A signal takes memory as long as its request lasts, so that most get none.
          hasLeft: () => request.signal.aborted,
        })
        return new Response(stream, { headers })
      },
      { ...strictQuery(query), headers: requestHeaders, detail },
    )
    .head(STREAM_PATH, () => new Response(null, { headers }), {
      ...strictQuery(query),
      detail: { hide: true },
    })

/** @throws {QueryError} */
function parseLastEventId(text: string | undefined): Position | null {
  // Some clients send it empty before the first event.
  if (text === undefined || text === '') return null
  const found = parsePosition(text)
  if (found === null) throw new QueryError('Last-Event-ID', text, `it must be ${POSITION_RULE}`)
  return found
}
