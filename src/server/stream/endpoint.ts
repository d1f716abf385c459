import { Elysia } from 'elysia'
import { POSITION_RULE, type Position, parsePosition } from '../../live/position.ts'
import { oneOf, type Parse } from '../../runtime/parsers.ts'
import { errorAnswers, exampleReading, jsonAnswer, retryAfterHeader } from '../apiDocs.ts'
import { commonHeaders } from '../headers.ts'
import { parseQuery, QueryError } from '../query.ts'
import type { Asked, StreamHub } from './hub.ts'

/** The path of the stream. */
export const STREAM_PATH = '/v1/stream'

const MAX_IDS = 100

// `X-Accel-Buffering` keeps nginx from collecting what must arrive at once.
const headers = new Headers({
  ...commonHeaders,
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
})

/** `GET /v1/stream`: what both registries log, as it comes. */
export function createStreamEndpoint(streams: Pick<StreamHub, 'open'>) {
  return new Elysia({ name: 'stream' }).get(
    STREAM_PATH,
    async ({ request }) => new Response(await streams.open(parseAsked(request)), { headers }),
    { detail },
  )
}

const feedId: Parse<string> = Object.assign((text: string) => text, { rule: 'the id of a feed' })

const position: Parse<Position> = Object.assign(
  (text: string) => {
    const found = parsePosition(text)
    if (found === null) throw new Error(POSITION_RULE)
    return found
  },
  { rule: POSITION_RULE },
)

const parameters = { id: { each: feedId, max: MAX_IDS }, from: position, snapshot: oneOf(['0', '1']) }

/** @throws {QueryError} */
function parseAsked(request: Request): Asked {
  const { id: ids, from, snapshot } = parseQuery(request.url, parameters)
  return {
    ids: ids.length === 0 ? null : new Set(ids),
    from: parseLastEventId(request.headers.get('last-event-id')) ?? from,
    snapshot: snapshot === '1',
    // A signal takes memory as long as its request lasts, so that most get none.
    hasLeft: () => request.signal.aborted,
  }
}

function parseLastEventId(text: string | null): Position | null {
  // Some clients send it empty before the first event.
  if (text === null || text === '') return null
  const found = parsePosition(text)
  if (found === null) throw new QueryError('Last-Event-ID', text, `it must be ${POSITION_RULE}`)
  return found
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

const parameter = (name: string, description: string, schema: object) => ({
  name,
  in: 'query' as const,
  required: false,
  description,
  schema,
})

const unavailable = jsonAnswer(
  'There are as many streams as may be, or the position was not reached within a minute.',
  'Error',
  { error: 'this server takes no further stream now: try again later, or ask another one' },
  { 'Retry-After': retryAfterHeader },
)

const detail = {
  operationId: 'streamEvents',
  summary: 'Listen to what is attested',
  description:
    'Server-Sent Events without end: `attested` for a value, `feed` for a feed that is new or changed, each once and in the order of its log, `snapshot` and `reset`. The `id` of an event is a position: sent back as `from` or `Last-Event-ID`, to any server of the same registries, it goes on right after it. A comment or an id alone comes every 15 s. Clients that take too little are closed, and resume.',
  tags: ['feeds'],
  parameters: [
    {
      ...parameter('id', 'A feed id, repeated for each; all feeds if left out.', {
        type: 'array',
        items: { type: 'string' },
        maxItems: MAX_IDS,
      }),
      style: 'form' as const,
      explode: true,
    },
    {
      ...parameter(
        'from',
        'The position to go on after; if left out, only what is new comes. Held up to a minute where this server is not there yet.',
        { type: 'string' },
      ),
      example: POSITION,
    },
    parameter(
      'snapshot',
      '`1`: begins with a `snapshot` event for each feed, and then the position as an id alone; where it resumes, only after a `reset`.',
      { type: 'string', enum: ['0', '1'] },
    ),
    {
      name: 'Last-Event-ID',
      in: 'header' as const,
      required: false,
      description: 'The last `id` received; wins over `from`. EventSource sends it by itself.',
      schema: { type: 'string' as const },
    },
  ],
  responses: {
    200: {
      description: 'The events, as they come.',
      content: { 'text/event-stream': { schema: { type: 'string' as const }, example } },
    },
    400: {
      ...errorAnswers[400],
      description: 'A parameter is unknown or malformed, or an id is not registered: `error` names it.',
    },
    500: errorAnswers[500],
    502: errorAnswers[502],
    503: unavailable,
  },
}
