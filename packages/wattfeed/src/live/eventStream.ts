import {
  type AbortSignalLike,
  codeOfError,
  type Fetch,
  limitTime,
  parseRetryAfter,
  readText,
  tlsFault,
  uncompressed,
  WattfeedError,
} from '@wattfeed/base'

/**
 * A server's event stream could not be opened, or broke. Not `retryable` if the server rejects the request, or is not a
 * wattfeed server.
 *
 * @example
 * ```ts
 * import { StreamError, watchServer } from 'wattfeed/live'
 *
 * try {
 *   for await (const item of watchServer('https://feeds.example.com')) console.log(item)
 * } catch (error) {
 *   if (!(error instanceof StreamError)) throw error
 *   console.error(error.status, error.reason)
 * }
 * ```
 */
export class StreamError extends WattfeedError {
  static override readonly name = 'StreamError'
  readonly code = 'stream'

  constructor(
    /** The failure, without the server's URL. */
    readonly reason: string,
    /** Whether another attempt can succeed. */
    readonly retryable: boolean,
    /** HTTP status of the response; null if there was none. */
    readonly status: number | null = null,
    /** `Retry-After` of the response in milliseconds; null if there was none. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`event stream failed: ${reason}`)
  }
}

/** A block of an event stream: an event, or only an id. */
export interface Frame {
  /** Null if the block has none. */
  readonly id: string | null
  /** Null if the block has no data, and is therefore not an event. */
  readonly event: string | null
  readonly data: string
}

export interface EventStreamOptions {
  fetch: Fetch
  /** Additional headers. */
  headers: Record<string, string>
  /** Timeout of the response headers, in milliseconds. */
  connectTimeoutMs: number
  /** Maximum silence, in milliseconds. */
  silenceTimeoutMs: number
  signal: AbortSignalLike
}

/** Maximum length of an event in characters, because a server may send one that never ends. */
const MAX_EVENT_LENGTH = 1_000_000
const MAX_ERROR_BYTES = 65_536
const MAX_RETRY_AFTER_MS = 300_000

/**
 * Reads an event stream until the server ends it. Yields the frames of one chunk at a time, which may be none. Reads the
 * next chunk only on demand, so a slow reader applies back pressure. Leaving the loop closes the connection.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @throws {@link StreamError} when the stream cannot be opened, stalls, breaks or is malformed.
 * @throws The signal's reason when it aborts.
 */
export async function* readEventStream(
  url: string,
  options: EventStreamOptions,
): AsyncGenerator<readonly Frame[], void> {
  const { silenceTimeoutMs: timeoutMs, signal } = options
  const error = () => new StreamError(`no data for ${timeoutMs} ms`, true)
  const connection = new AbortController()
  try {
    const { body } = await open(url, connection.signal, options)
    const parse = createFrameParser()
    const reader = body?.getReader()
    const read = async () => (await reader?.read().catch(() => fail('connection lost')))?.value
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
  const error = () => new StreamError(`no response within ${timeoutMs} ms`, true)
  return limitTime({ timeoutMs, error, signal }, async () => {
    const headers = { ...options.headers, ...uncompressed.headers, accept: 'text/event-stream' }
    const request = { method: 'GET', headers, signal: connection }
    const response = await options.fetch(url, request).catch((error: unknown) => {
      const tls = tlsFault(codeOfError(error))
      return fail(`cannot connect to the server${tls === null ? '' : `: ${tls}`}`)
    })
    if (response.status !== 200) throw await statusError(response)
    const type = response.headers.get('content-type') ?? 'no content type'
    if (!/^text\/event-stream *(;|$)/i.test(type))
      throw new StreamError(`expected an event stream but got ${type}; check the URL`, false, 200)
    return response
  })
}

/** Creates the error of a status: retryable if the server is busy, starting or unreachable. */
async function statusError(response: Response): Promise<StreamError> {
  const { status, headers } = response
  const isRetryable = status >= 500 || [408, 425, 429].includes(status)
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), MAX_RETRY_AFTER_MS)
  return new StreamError(`HTTP ${status}${await messageOf(response)}`, isRetryable, status, retryAfterMs)
}

/** Returns the message of the server's JSON error after a colon; empty if there is none. */
async function messageOf(response: Response): Promise<string> {
  try {
    const { error } = JSON.parse(await readText(response, MAX_ERROR_BYTES, (reason) => new Error(reason)))
    return typeof error === 'string' ? `: ${error}` : ''
  } catch {
    return ''
  }
}

/** Fields of an incomplete block. */
interface Block {
  id: string | null
  event: string
  /** Each line ends with a line feed. */
  data: string
}

/**
 * Returns a function that takes chunks, cut anywhere, and returns the frames that they complete.
 *
 * Hand-written because the usual library, eventsource-parser, needs Node.js 22; a test compares the two.
 *
 * @throws {@link StreamError} from that function, when an event is too long.
 */
export function createFrameParser(): (chunk: Uint8Array) => readonly Frame[] {
  const decoder = new TextDecoder()
  const begun = (): Block => ({ id: null, event: '', data: '' })
  let [line, block, isAfterCr] = ['', begun(), false]
  return (chunk) => {
    const frames: Frame[] = []
    const text = decoder.decode(chunk, { stream: true })
    // A CR ends the line immediately, so a LF at the start of the next chunk belongs to it.
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

/** Ignores unknown fields and comments, whose field is empty. */
function readField(line: string, block: Block): void {
  const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
  if (field === 'data') block.data += `${value}\n`
  else if (field === 'event') block.event = value
  else if (field === 'id' && !value.includes('\0')) block.id = value
}
