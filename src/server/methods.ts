import type { WattfeedError } from '../errors.ts'
import { DoubledHostError, errorResponse, MethodNotAllowedError, UnknownPathError } from './errorResponse.ts'
import { commonHeaders, preflight } from './headers.ts'
import { decodePath, PathEncodingError } from './url.ts'

export type Answer = (request: Request) => Response | Promise<Response>

/** A request with the path of its URL as sent, and the endpoint for it. */
export interface Routed {
  request: Request
  path: string
  endpoint: string | null
}

/**
 * Wraps `answerGet` with the rules for methods and paths.
 *
 * HEAD is answered as GET; the socket drops the body. More than one Host header is a 400. OPTIONS is a preflight on any
 * path. CONNECT, which has no path, is a 405. For other methods, a malformed path is a 400, an unknown one a 404, and a
 * known one a 405 unless the method is GET or HEAD.
 */
export function createMethods(answerGet: Answer): (routed: Routed) => Response | Promise<Response> {
  return (routed) => {
    const { request, endpoint } = routed
    if (hasDoubledHost(request)) return errorResponse(new DoubledHostError())
    if (request.method === 'OPTIONS') return preflight.handle(request)
    const error = faultOf(routed)
    if (error !== null) return errorResponse(error)
    const response = answerGet(asAbsoluteGet(request))
    return endpoint?.startsWith('/openapi') ? withOwnHeaders(response) : response
  }
}

// The runtime joins headers of the same name by a comma and a space, and no host contains a space.
const hasDoubledHost = ({ headers }: Request): boolean => headers.get('host')?.includes(', ') ?? false

function faultOf({ request: { method }, path, endpoint }: Routed): WattfeedError | null {
  if (!path.startsWith('/')) return new MethodNotAllowedError(method, path)
  if (decodePath(path) === null) return new PathEncodingError(path)
  if (endpoint === null) return new UnknownPathError(path)
  return method === 'GET' || method === 'HEAD' ? null : new MethodNotAllowedError(method, path)
}

// The router needs absolute URLs; without a usable Host header Bun passes the bare path.
function asAbsoluteGet(request: Request): Request {
  const { method, url } = request
  if (url.startsWith('/')) return new Request(`http://localhost${url}`, { headers: request.headers })
  return method === 'GET' ? request : new Request(url, { headers: request.headers })
}

// The OpenAPI plugin creates its own responses, and spells the media type differently.
async function withOwnHeaders(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  const { headers } = response
  for (const [name, value] of Object.entries(commonHeaders)) headers.set(name, value)
  if (headers.get('content-type')?.startsWith('application/json'))
    headers.set('content-type', 'application/json')
  return response
}
