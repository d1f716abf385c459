import { defineError, systemReason } from '@wattfeed/base'

export const ListenError = defineError(
  'ListenError',
  'server_listen',
  (facts: {
    host: string
    port: number
    /** The system's error code, such as `EADDRINUSE`. */
    reason: string
  }) =>
    `cannot listen on ${facts.host}:${facts.port} (${facts.reason}); set PORT or HOST to a free address, or PORT=0 to use any free port`,
)

type HttpOptions = Bun.Serve.Options<undefined> & { port: number; hostname: string }

export function serveHttp(options: HttpOptions): Bun.Server<undefined> {
  try {
    // Otherwise two independent servers could silently share a port.
    return Bun.serve({ ...options, reusePort: false })
  } catch (error) {
    throw new ListenError({ host: options.hostname, port: options.port, reason: systemReason(error) })
  }
}
