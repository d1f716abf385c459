import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import { createMcpCalls, createMcpServer, type McpLimits } from './createMcpServer.ts'
import { McpForbiddenError } from './errors.ts'
import type { McpSources } from './sources.ts'

export interface McpSettings {
  /** Host names that a request may have in Host. */
  allowedHosts: readonly string[]
  /** Host names that a request may have in Origin. Programs other than browsers send none. */
  allowedOrigins: readonly string[]
  /** @default the defaults of {@link McpLimits} */
  limits?: McpLimits | undefined
}

export interface McpHandlerOptions extends McpSettings {
  sources: McpSources
  /** The origin of this server; null if it does not know it. */
  publicOrigin: string | null
  /** Called with each error of a call. */
  onError: (error: unknown) => void
}

/** Maximum size of a request body, in bytes. The longest valid call has a tenth of it. */
const MAX_BODY_BYTES = 65_536

/** Creates the handler of `POST /mcp`. Each request has a server object of its own. */
export function createHandler(options: McpHandlerOptions): (request: Request) => Promise<Response> {
  const { sources, publicOrigin, onError, limits } = options
  const calls = createMcpCalls(limits)
  const allowedHosts = [...options.allowedHosts]
  const allowedOrigins = [...options.allowedOrigins]
  const { fetch } = createMcpHandler(
    () =>
      createMcpServer({
        sources,
        place: { proofOrigin: publicOrigin, trustedBlockHash: null, isOwnMachine: false },
        calls,
        onError,
      }),
    { maxRequestBodySize: MAX_BODY_BYTES },
  )
  return async (request) => {
    const host = request.headers.get('host')
    if (!validateHostHeader(host, allowedHosts).ok) throw new McpForbiddenError('Host', host)
    const origin = request.headers.get('origin')
    if (!validateOriginHeader(origin, allowedOrigins).ok) throw new McpForbiddenError('Origin', origin)
    return fetch(request)
  }
}
