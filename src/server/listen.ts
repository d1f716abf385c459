import { serveHttp } from '../runtime/serveHttp.ts'
import { GRACE_MS } from '../runtime/stopSignal.ts'
import { errorAnswer } from './errorAnswer.ts'
import { jsonResponse } from './http/content.ts'
import { urlPath } from './http/paths.ts'
import { STREAM_PATH } from './stream/plugin.ts'

export interface Listener {
  readonly port: number
  /** Stops accepting connections. Resolves when the requests in flight are answered. */
  stop(): Promise<void>
  /** Closes every connection. */
  close(): Promise<void>
}

/** Starts listening. @throws {ListenError} when the address is not available. */
export function listen({
  fetch,
  port,
  host,
  deadlineMs,
  idleTimeoutS = 75,
}: {
  fetch: (request: Request) => Response | Promise<Response>
  /** 0 uses any free port. */
  port: number
  host: string
  /** Deadline of a request, in milliseconds. No connection is closed before it. */
  deadlineMs: number
  /** How long a connection without a request stays open at least, in seconds. @default 75 */
  idleTimeoutS?: number
}): Listener {
  // The router needs absolute URLs. Without a usable Host header, Bun passes only the path. The body can be left out: only MCP
  // reads one, and it rejects such a request.
  function fetchAbsolute(request: Request): Response | Promise<Response> {
    const { method, url, headers } = request
    if (!url.startsWith('/')) return fetch(request)
    return fetch(new Request(`http://localhost${url}`, { method, headers }))
  }
  const server = serveHttp({
    fetch(request, server) {
      // The default timeout would close a quiet stream.
      if (urlPath(request.url).startsWith(STREAM_PATH)) server.timeout(request, STREAM_IDLE_S)
      return fetchAbsolute(request)
    },
    port,
    hostname: host,
    development: false,
    // Bun discards request bodies, which are never read. Above a limit, it would return an empty 413 without CORS headers.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds({ deadlineMs, idleTimeoutS }),
    error: errorResponse,
  })
  return { port: server.port ?? port, stop: () => server.stop(), close: () => server.stop(true) }
}

// A stream may start after up to a minute (`MAX_POSITION_WAIT_MS`), and then sends a heartbeat every 15 s (`BEAT_MS`). This timeout
// closes the connection of a client that reads nothing.
const STREAM_IDLE_S = 90

// Bun's maximum.
const MAX_IDLE_S = 255

// Bun looks at connections every 4 s, and closes one up to 4 s before its timeout.
const EARLY_S = 4

/** Returns the idle timeout for Bun in seconds, 0 for none. Bun also applies it to connections with a request in flight. */
export function idleSeconds({
  deadlineMs,
  idleTimeoutS,
}: {
  deadlineMs: number
  idleTimeoutS: number
}): number {
  // A request may wait for a state root, and then for its reads.
  const seconds = Math.max(idleTimeoutS + EARLY_S, Math.ceil((2 * deadlineMs) / 1000) + 5)
  return seconds > MAX_IDLE_S ? 0 : seconds
}

function errorResponse(error: unknown): Response {
  const { status, headers, body } = errorAnswer(error)
  return jsonResponse(body, status, headers)
}

/**
 * Returns a function that stops the server. It ends the streams, stops accepting connections, waits {@link GRACE_MS} for
 * requests in flight, and closes the remaining connections. Repeated calls wait for the first.
 */
export function createShutdown(
  listener: Pick<Listener, 'stop' | 'close'>,
  endStreams: () => void,
  wait: (ms: number) => Promise<void> = timer,
): () => Promise<void> {
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
