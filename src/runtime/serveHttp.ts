import { WattfeedError } from '../errors.ts'
import { systemReason } from './systemReason.ts'

/** The server cannot listen on its address. */
export class ListenError extends WattfeedError {
  static override readonly name = 'ListenError'
  readonly code = 'server_listen'
  readonly retryable = false

  constructor(
    readonly host: string,
    readonly port: number,
    /** The system's error code, such as `EADDRINUSE`. */
    readonly reason: string,
  ) {
    super(
      `cannot listen on ${host}:${port} (${reason}); set PORT or HOST to a free address, or PORT=0 to use any free port`,
    )
  }
}

/** Options of Bun's server, with its address. */
type HttpOptions = Bun.Serve.Options<undefined> & { port: number; hostname: string }

/** Starts listening. @throws {ListenError} when the address is not available. */
export function serveHttp(options: HttpOptions): Bun.Server<undefined> {
  try {
    // Otherwise two independent servers could silently share a port.
    return Bun.serve({ ...options, reusePort: false })
  } catch (error) {
    throw new ListenError(options.hostname, options.port, systemReason(error))
  }
}
