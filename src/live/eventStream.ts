import { limitTime } from '../async/limitTime.ts'
import type { AbortSignalLike } from '../async/webTypes.ts'
import { readText, uncompressed } from '../bytes/readText.ts'
import { parseRetryAfter } from '../bytes/retryAfter.ts'
import type { Fetch } from '../casper/rpc/postJson.ts'
import { WattfeedError } from '../errors.ts'

/** A server's stream could not be opened, or broke; not `retryable` if the server refuses it or sends something else. */
export class StreamError extends WattfeedError {
  static override readonly name = 'StreamError'
  readonly code = 'stream'

  constructor(
    /** What happened, without the server's URL. */
    readonly reason: string,
    readonly retryable: boolean,
    /** The HTTP status, or null if there was none. */
    readonly status: number | null = null,
    /** The server's `Retry-After` in milliseconds, or null if it sent none. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`the stream failed: ${reason}`)
  }
}

/** A block of an event stream: an event, or an id alone. */
export interface Frame {
  /** Null if the block has none. */
  readonly id: string | null
  /** Null if the block has no data, and so is no event. */
  readonly event: string | null
  readonly data: string
}

export interface EventStreamOptions {
  fetch: Fetch
  /** Sent in addition to those of every event stream. */
  headers: Record<string, string>
  /** Limit for the answer to begin, in milliseconds. */
  connectTimeoutMs: number
  /** Limit for silence, in milliseconds. */
  silenceTimeoutMs: number
  signal: AbortSignalLike
}

/** Limit for one event, in characters: a server may send one that never ends. */
const MAX_EVENT_LENGTH = 1_000_000
const MAX_ERROR_BYTES = 65_536
const MAX_RETRY_AFTER_MS = 300_000

/**
 * Reads an event stream until the server ends it, one chunk at a time: the frames that it completes, which may be none.
 * Nothing is read before it is asked for, so a slow reader slows the server down. Leaving the loop closes the connection.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @throws {StreamError}
 * @throws the signal's reason if it aborts.
 */
export async function* readEventStream(
  url: string,
  options: EventStreamOptions,
): AsyncGenerator<readonly Frame[], void> {
  const { silenceTimeoutMs: timeoutMs, signal } = options
  const error = () => new StreamError(`no sign of life for ${timeoutMs} ms`, true)
  const connection = new AbortController()
  try {
    const { body } = await open(url, connection.signal, options)
    const parse = createFrameParser()
    const reader = body?.getReader()
    const read = async () => (await reader?.read().catch(() => fail('the connection broke')))?.value
    for (;;) {
      const chunk = await limitTime({ timeoutMs, error, signal }, read)
      if (chunk === undefined) return
      yield parse(chunk)
    }
  } finally {
    connection.abort()
  }
}

function fail(reason: string): never {
  throw new StreamError(reason, true)
}

function open(url: string, connection: AbortSignal, options: EventStreamOptions): Promise<Response> {
  const { connectTimeoutMs: timeoutMs, signal } = options
  const error = () => new StreamError(`no answer within ${timeoutMs} ms`, true)
  return limitTime({ timeoutMs, error, signal }, async () => {
    const headers = { ...options.headers, ...uncompressed.headers, accept: 'text/event-stream' }
    const request = { method: 'GET', headers, signal: connection }
    const response = await options.fetch(url, request).catch(() => fail('the server cannot be reached'))
    if (response.status !== 200) throw await statusError(response)
    const type = response.headers.get('content-type') ?? 'no content type'
    if (!/^text\/event-stream *(;|$)/i.test(type))
      throw new StreamError(`the answer is ${type} instead of an event stream; check the URL`, false, 200)
    return response
  })
}

/** Tells a refusal, which another attempt would only meet again, from a server that is busy, starting or gone. */
async function statusError(response: Response): Promise<StreamError> {
  const { status, headers } = response
  const isRetryable = status >= 500 || [408, 425, 429].includes(status)
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), MAX_RETRY_AFTER_MS)
  return new StreamError(`HTTP ${status}${await messageOf(response)}`, isRetryable, status, retryAfterMs)
}

/** What the server says in its error, after a colon; empty if it says nothing that can be read. */
async function messageOf(response: Response): Promise<string> {
  try {
    const { error } = JSON.parse(await readText(response, MAX_ERROR_BYTES, Error))
    return typeof error === 'string' ? `: ${error}` : ''
  } catch {
    return ''
  }
}

/** Fields of a block so far, as they are written. */
interface Block {
  id: string | null
  event: string
  /** Each line with an end. */
  data: string
}

/**
 * Returns a function from chunks, wherever they are cut, to the frames that they complete.
 *
 * Hand-written because the usual library, eventsource-parser, needs Node.js 22; a test compares the two.
 *
 * @throws {StreamError} from that function, when an event is too long.
 */
export function createFrameParser(): (chunk: Uint8Array) => readonly Frame[] {
  const decoder = new TextDecoder()
  const begun = (): Block => ({ id: null, event: '', data: '' })
  let [line, block, isAfterCr] = ['', begun(), false]
  return (chunk) => {
    const frames: Frame[] = []
    const text = decoder.decode(chunk, { stream: true })
    // The CR has ended the line already, so as not to wait for the next chunk.
    const lines = (isAfterCr ? text.replace(/^\n/, '') : text).split(/\r\n|\r|\n/)
    if (text !== '') isAfterCr = text.endsWith('\r')
    line += lines[0]
    for (const next of lines.slice(1)) {
      if (line !== '') readField(line, block)
      else {
        const { id, event, data } = block
        if (data !== '') frames.push({ id, event: event || 'message', data: data.slice(0, -1) })
        else if (id !== null) frames.push({ id, event: null, data })
        block = begun()
      }
      line = next
    }
    if (line.length + block.data.length <= MAX_EVENT_LENGTH) return frames
    throw new StreamError(`an event has more than ${MAX_EVENT_LENGTH} characters`, false)
  }
}

/** Unknown fields are ignored, as are comments, whose field is empty. */
function readField(line: string, block: Block): void {
  const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
  if (field === 'data') block.data += `${value}\n`
  else if (field === 'event') block.event = value
  else if (field === 'id' && !value.includes('\0')) block.id = value
}
