import {
  createMcpHandler,
  isJSONRPCNotification,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpServer,
  readRequestBody,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import Negotiator from 'negotiator'
import { createMcpCalls, createMcpServer, type McpLimits } from './createMcpServer.ts'
import { McpForbiddenError, McpNotAcceptableError } from './errors.ts'
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
  const createServer = () =>
    createMcpServer({
      sources,
      place: { proofOrigin: publicOrigin, trustedBlockHash: null, isOwnMachine: false },
      calls,
      onError,
    })
  const { fetch } = createMcpHandler(createServer, { legacy: 'reject', maxRequestBodySize: MAX_BODY_BYTES })
  const stream = legacyStatelessFallback(createServer, undefined, { maxRequestBodySize: MAX_BODY_BYTES })

  /** Answers by the protocols of 2025, of which the library knows only clients that name both types. */
  async function answer2025(request: Request): Promise<Response> {
    const types = acceptedTypes(request)
    if (types.length === 0 && !(await isNotification(request.clone())))
      throw new McpNotAcceptableError(request.headers.get('accept') ?? '')
    const headers = new Headers(request.headers)
    headers.set('accept', `${JSON_TYPE}, ${STREAM_TYPE}`)
    const known = new Request(request, { headers })
    return types.includes(JSON_TYPE) ? answerJson(createServer(), known) : stream(known)
  }

  return async (request) => {
    const host = request.headers.get('host')
    if (!validateHostHeader(host, allowedHosts).ok) throw new McpForbiddenError('Host', host)
    const origin = request.headers.get('origin')
    if (!validateOriginHeader(origin, allowedOrigins).ok) throw new McpForbiddenError('Origin', origin)
    return (await isLegacyRequest(request)) ? answer2025(request) : fetch(request)
  }
}

const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'

/** Returns which of the two types of answers a client accepts. @see https://www.rfc-editor.org/rfc/rfc9110#field.accept */
function acceptedTypes({ headers }: Request): string[] {
  const accept = headers.get('accept') || undefined
  return new Negotiator({ headers: { accept } }).mediaTypes([JSON_TYPE, STREAM_TYPE])
}

/** Whether a message has no answer, so that there is no type to negotiate. */
async function isNotification(request: Request): Promise<boolean> {
  const body = await readRequestBody(request, MAX_BODY_BYTES)
  try {
    return !body.tooLarge && isJSONRPCNotification(JSON.parse(body.text))
  } catch {
    return false
  }
}

async function answerJson(server: McpServer, request: Request): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: MAX_BODY_BYTES,
  })
  await server.connect(transport)
  request.signal.addEventListener('abort', () => void server.close(), { once: true })
  try {
    return await transport.handleRequest(request)
  } finally {
    await server.close()
  }
}
