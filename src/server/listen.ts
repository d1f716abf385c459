import { MAX_POSITION_WAIT_MS } from 'wattfeed/internal'
import { serveHttp } from '../runtime/serveHttp.ts'
import { errorAnswer } from './errorAnswer.ts'
import { jsonResponse } from './http/content.ts'
import { urlPath } from './http/paths.ts'
import { IDLE_TIMEOUT_S } from './settings.ts'
import { BEAT_MS } from './stream/clientStream.ts'
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
  idleTimeoutS = IDLE_TIMEOUT_S,
}: {
  fetch: (request: Request) => Response | Promise<Response>
  /** 0 uses any free port. */
  port: number
  host: string
  /** Deadline of a request, in milliseconds. No connection is closed before it. */
  deadlineMs: number
  /** How long a connection without a request stays open at least, in seconds. @default {@link IDLE_TIMEOUT_S} */
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

// A stream may wait for its position, and then sends a heartbeat. One more may be late. This timeout closes the connection of a
// client that reads nothing.
const STREAM_IDLE_S = (MAX_POSITION_WAIT_MS + 2 * BEAT_MS) / 1_000

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
