import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import Negotiator from 'negotiator'
import { logError } from '../errorAnswer.ts'
import { defineHttpError } from '../http/httpError.ts'
import type { Server } from '../server.ts'
import { createMcpCalls, type McpLimits } from './callLimits.ts'
import { createMcpServer } from './createMcpServer.ts'
import type { McpSources } from './sources.ts'

const McpForbiddenError = defineHttpError(
  'McpForbiddenError',
  'mcp_forbidden',
  (facts: {
    header: 'Host' | 'Origin'
    /** As sent; null if it is missing. */
    value: string | null
  }) => {
    const setting = facts.header === 'Host' ? 'MCP_ALLOWED_HOSTS' : 'MCP_ALLOWED_ORIGINS'
    return `POST /mcp does not allow the ${facts.header} ${facts.value === null ? '(none)' : JSON.stringify(facts.value.slice(0, 100))}; the operator can add its host name to ${setting}`
  },
  { status: 403 },
)

const McpNotAcceptableError = defineHttpError(
  'McpNotAcceptableError',
  'mcp_not_acceptable',
  (facts: {
    /** As sent. */
    accept: string
  }) =>
    `POST /mcp answers with application/json, which the Accept ${JSON.stringify(facts.accept.slice(0, 100))} rules out; add it, or omit the header`,
  { status: 406 },
)

export interface McpSettings {
  /** Host names that a request may have in Host. */
  allowedHosts: readonly string[]
  /** Host names that a request may have in Origin. Programs other than browsers send none. */
  allowedOrigins: readonly string[]
  limits?: McpLimits | undefined
}

/** Maximum size of a request body, in bytes. The longest valid call has a tenth of it. */
const MAX_BODY_BYTES = 65_536

const bodyLimit = { maxRequestBodySize: MAX_BODY_BYTES }

/** Creates the handler of `POST /mcp`. Each request has a server object of its own. */
export function createHandler(
  { client, network, now, site, log }: Server,
  readers: Pick<McpSources, 'readHistory' | 'series'>,
  settings: McpSettings,
): (request: Request) => Promise<Response> {
  const run = createMcpCalls(settings.limits)
  const [allowedHosts, allowedOrigins] = [[...settings.allowedHosts], [...settings.allowedOrigins]]
  const place = { proofOrigin: site.origin, trustedBlockHash: null, isOwnMachine: false }
  const sources = { client, network, now, ...readers }
  const onError = (error: unknown): void => logError(log, error)
  const createServer = () => createMcpServer({ sources, place, run, onError })
  const { fetch } = createMcpHandler(createServer, { legacy: 'reject', ...bodyLimit })
  return async (request) => {
    const host = request.headers.get('host')
    if (!validateHostHeader(host, allowedHosts).ok)
      throw new McpForbiddenError({ header: 'Host', value: host })
    const origin = request.headers.get('origin')
    if (!validateOriginHeader(origin, allowedOrigins).ok)
      throw new McpForbiddenError({ header: 'Origin', value: origin })
    const isOf2025 = await isLegacyRequest(request, undefined, bodyLimit)
    return isOf2025 ? answer2025(request, createServer()) : fetch(request)
  }
}

/**
 * Answers a request of the 2025 protocols as JSON, which also clients read that know no event stream. No tool sends messages
 * before its result, so a stream would add nothing.
 *
 * @throws {McpNotAcceptableError} when the answer is JSON and the client does not accept it.
 */
async function answer2025(request: Request, server: McpServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, ...bodyLimit })
  await server.connect(transport)
  try {
    const response = await transport.handleRequest(acceptingAll(request))
    // A notification has no answer to negotiate, and an error keeps its own status.
    if (response.status === 200 && !acceptsJson(request))
      throw new McpNotAcceptableError({ accept: request.headers.get('accept') ?? '' })
    return response
  } finally {
    await server.close()
  }
}

/** Returns the request with the only `Accept` that the transport knows: both types by name, in lower case. */
function acceptingAll(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request, { headers })
}

/** JSON has no charset, but clients ask for it. */
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8']

/** Returns whether the client accepts JSON. @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 */
function acceptsJson({ headers }: Request): boolean {
  const accept = headers.get('accept') || '*/*'
  return new Negotiator({ headers: { accept } }).mediaTypes(JSON_TYPES).length > 0
}
