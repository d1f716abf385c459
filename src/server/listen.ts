import { WattfeedError } from '../errors.ts'
import { systemReason } from '../runtime/systemReason.ts'
import { jsonResponse } from './headers.ts'
import { errorAnswer } from './plugins/errors.ts'
import { STREAM_PATH } from './stream/endpoint.ts'
import { urlPath } from './url.ts'

export interface ListenOptions {
  fetch: (request: Request) => Response | Promise<Response>
  /** 0 picks a free one. */
  port: number
  host: string
  /** Limit for an answer, in milliseconds: no connection is closed before. */
  deadlineMs: number
}

/** A listening socket. */
export interface Listener {
  readonly port: number
  /** Stops accepting at once; resolves when the requests in flight are answered. */
  stop(): Promise<void>
  /** Closes every connection. */
  close(): Promise<void>
}

/** The server cannot listen on its address. */
export class ListenError extends WattfeedError {
  static override readonly name = 'ListenError'
  readonly code = 'server_listen'
  readonly retryable = false

  constructor(
    readonly host: string,
    readonly port: number,
    /** The system's error code: `EADDRINUSE`. */
    readonly reason: string,
  ) {
    super(
      `cannot listen on ${host}:${port} (${reason}); set PORT or HOST to a free address, or PORT=0 to use any free port`,
    )
  }
}

// A request for a stream is held up to a minute; later there is a sign of life every 15 s. This closes the connection of
// a client that takes nothing at all.
const STREAM_IDLE_S = 90

// Bun's maximum.
const MAX_IDLE_S = 255

/**
 * Returns Bun's idle timeout in seconds, 0 for none. Bun also closes connections whose request is still waiting for its
 * answer.
 */
export function idleSeconds(deadlineMs: number): number {
  // A request may wait for a state root, and then for its reads there.
  const seconds = Math.ceil((2 * deadlineMs) / 1000) + 5
  return seconds > MAX_IDLE_S ? 0 : seconds
}

function errorResponse(error: unknown): Response {
  const { status, headers, body } = errorAnswer(error)
  return jsonResponse(body, status, headers)
}

/** Starts to listen. @throws {ListenError} */
export function listen({ fetch, port, host, deadlineMs }: ListenOptions): Listener {
  // The router needs absolute URLs; without a usable Host header Bun passes the bare path.
  function fetchAbsolute(request: Request): Response | Promise<Response> {
    const { method, url, headers } = request
    if (!url.startsWith('/')) return fetch(request)
    return fetch(new Request(`http://localhost${url}`, { method, headers }))
  }
  try {
    const server = Bun.serve({
      fetch(request, server) {
        // The default would end it while it waits for what is new.
        if (urlPath(request.url).startsWith(STREAM_PATH)) server.timeout(request, STREAM_IDLE_S)
        return fetchAbsolute(request)
      },
      port,
      hostname: host,
      // Two servers that do not know of each other could silently share a port.
      reusePort: false,
      development: false,
      // Bodies are never read, and Bun discards them. Beyond a limit Bun would answer with an empty 413 without CORS
      // headers.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleSeconds(deadlineMs),
      error: errorResponse,
    })
    return { port: server.port ?? port, stop: () => server.stop(), close: () => server.stop(true) }
  } catch (error) {
    throw new ListenError(host, port, systemReason(error))
  }
}

export interface ShutdownOptions {
  listener: Pick<Listener, 'stop' | 'close'>
  /** Ends what would otherwise never end: the streams. */
  endStreams: () => void
  /** @default a timer */
  wait?: (ms: number) => Promise<void>
}

/** How long requests in flight may still take: containers are killed after ten seconds. */
const GRACE_MS = 8_000

/**
 * Returns a function that stops the server once, however often it is called: it ends the streams, stops accepting, waits for requests in
 * flight up to a limit, and then closes all connections.
 */
export function createShutdown({ listener, endStreams, wait = timer }: ShutdownOptions): () => Promise<void> {
  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    endStreams()
    const answered = listener.stop()
    const inTime = await Promise.race([answered.then(() => true), wait(GRACE_MS).then(() => false)])
    if (!inTime) await listener.close()
  }
  return () => {
    stopped ??= stop()
    return stopped
  }
}

const timer = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
