import type { WattfeedError } from '../errors.ts'
import { DoubledHostError, errorResponse, MethodNotAllowedError, UnknownPathError } from './errorResponse.ts'
import { commonHeaders, preflight } from './headers.ts'
import { decodePath, PathEncodingError } from './url.ts'

/** What answers a request. */
export type Answer = (request: Request) => Response | Promise<Response>

/** A request with what was read from its URL: the path as sent, and the endpoint that it belongs to. */
export interface Routed {
  request: Request
  path: string
  endpoint: string | null
}

/**
 * Puts the rules for methods and paths around what answers GET.
 *
 * HEAD is GET: the socket sends such an answer's headers, its length among them, without the body.
 * More than one Host header is a 400. OPTIONS is a preflight on any path. CONNECT, which names no path, is a 405. A
 * path that does not decode is a 400 for every other method; then an unknown path is a 404, and a known one a 405 for
 * what is not GET or HEAD.
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

// The runtime joins headers of one name by a comma and a space, and no host has a space.
const hasDoubledHost = ({ headers }: Request): boolean => headers.get('host')?.includes(', ') ?? false

function faultOf({ request: { method }, path, endpoint }: Routed): WattfeedError | null {
  if (!path.startsWith('/')) return new MethodNotAllowedError(method, path)
  if (decodePath(path) === null) return new PathEncodingError(path)
  if (endpoint === null) return new UnknownPathError(path)
  return method === 'GET' || method === 'HEAD' ? null : new MethodNotAllowedError(method, path)
}

// The router splits absolute URLs only; without a usable Host header Bun gives the bare path.
function asAbsoluteGet(request: Request): Request {
  const { method, url } = request
  if (url.startsWith('/')) return new Request(`http://localhost${url}`, { headers: request.headers })
  return method === 'GET' ? request : new Request(url, { headers: request.headers })
}

// The documentation's plugin makes its own answers, and spells the media type its own way.
async function withOwnHeaders(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  const { headers } = response
  for (const [name, value] of Object.entries(commonHeaders)) headers.set(name, value)
  if (headers.get('content-type')?.startsWith('application/json'))
    headers.set('content-type', 'application/json')
  return response
}
