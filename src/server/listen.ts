import { WattfeedError } from '../errors.ts'
import { systemReason } from '../runtime/systemReason.ts'
import { errorResponse } from './errorResponse.ts'

export interface ListenOptions {
  fetch: (request: Request) => Response | Promise<Response>
  /** 0 takes a free one. */
  port: number
  host: string
  /** The longest that an answer may take, in milliseconds: no connection is closed before. */
  deadlineMs: number
}

/** What accepts connections. */
export interface Listener {
  /** The port that it listens on. */
  readonly port: number
  /** Stops accepting at once; resolves when what is in flight is answered. */
  stop(): Promise<void>
  /** Closes every connection. */
  close(): Promise<void>
}

/** The server cannot listen where it was told to. */
export class ListenError extends WattfeedError {
  static override readonly name = 'ListenError'
  readonly code = 'server_listen'
  readonly retryable = false

  constructor(
    readonly host: string,
    readonly port: number,
    /** The system's word for it: `EADDRINUSE`. */
    readonly reason: string,
  ) {
    super(
      `cannot listen on ${host}:${port} (${reason}): set PORT or HOST to a free address, PORT=0 takes a free port`,
    )
  }
}

// The longest that Bun can be told.
const MAX_IDLE_S = 255

/**
 * After how many seconds Bun may close a connection on which nothing came or went, 0 for never: it does so
 * while a request waits for its answer, too.
 */
export function idleSeconds(deadlineMs: number): number {
  // A request may wait for a state root, and then for what it reads at it.
  const seconds = Math.ceil((2 * deadlineMs) / 1000) + 5
  return seconds > MAX_IDLE_S ? 0 : seconds
}

/** Starts to listen. @throws {ListenError} */
export function listen({ fetch, port, host, deadlineMs }: ListenOptions): Listener {
  try {
    const server = Bun.serve({
      fetch,
      port,
      hostname: host,
      // With it two servers would share a port without a word.
      reusePort: false,
      development: false,
      // No body is read here, whatever its length, and Bun drops what is not read. Beyond a limit Bun would answer
      // itself, with an empty 413 that no page may read.
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
  /** Resolves after so many milliseconds. @default a timer */
  wait?: (ms: number) => Promise<void>
}

/** How long requests in flight may take: containers are killed after ten seconds. */
const GRACE_MS = 8_000

/**
 * Makes what stops the server, once however often it is called: it accepts nothing more, gives what is in
 * flight the time it may take, and closes what is still open then.
 */
export function createShutdown({ listener, wait = timer }: ShutdownOptions): () => Promise<void> {
  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
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
