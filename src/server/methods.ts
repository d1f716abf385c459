import type { WattfeedError } from '../errors.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { DoubledHostError, errorResponse, MethodNotAllowedError, UnknownPathError } from './errorResponse.ts'
import { type AnswerHeaders, JSON_TYPE, preflight } from './headers.ts'
import { headersOfInlinePage } from './pages.ts'
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
 * HEAD is answered as GET of the whole, uncompressed; the socket drops the body. More than one Host header is a 400. OPTIONS is a preflight on any
 * path. CONNECT, which has no path, is a 405. For other methods, a malformed path is a 400, an unknown one a 404, and a
 * known one a 405 unless the method is GET or HEAD.
 */
export function createMethods(answerGet: Answer): (routed: Routed) => Response | Promise<Response> {
  const answerPage = createPages(answerGet)
  return (routed) => {
    const { request, endpoint } = routed
    if (hasDoubledHost(request)) return errorResponse(new DoubledHostError())
    if (request.method === 'OPTIONS') return preflight.handle(request)
    const error = faultOf(routed)
    if (error !== null) return errorResponse(error)
    const get = asAbsoluteGet(request)
    return endpoint?.startsWith('/openapi') ? answerPage(get, endpoint) : answerGet(get)
  }
}

// The runtime joins headers of the same name by a comma and a space, and no host contains a space.
export const hasDoubledHost = ({ headers }: Request): boolean => headers.get('host')?.includes(', ') ?? false

function faultOf({ request: { method }, path, endpoint }: Routed): WattfeedError | null {
  if (!path.startsWith('/')) return new MethodNotAllowedError(method, path)
  if (decodePath(path) === null) return new PathEncodingError(path)
  if (endpoint === null) return new UnknownPathError(path)
  return method === 'GET' || method === 'HEAD' ? null : new MethodNotAllowedError(method, path)
}

// The router needs absolute URLs; without a usable Host header Bun passes the bare path.
function asAbsoluteGet(request: Request): Request {
  const { method, url } = request
  const isAbsolute = !url.startsWith('/')
  if (isAbsolute && method === 'GET') return request
  const headers = new Headers(request.headers)
  // HEAD tells of the whole: its length uncompressed, in which ranges count.
  if (method === 'HEAD') for (const name of ['range', 'accept-encoding']) headers.delete(name)
  return new Request(isAbsolute ? url : `http://localhost${url}`, { headers })
}

/**
 * Returns a function that answers with a page of the OpenAPI plugin, which makes its own responses and spells the media
 * type differently. A page stays the same as long as the process lives, so that it is read and compressed once.
 */
function createPages(answerGet: Answer) {
  const known = new Map<string, { content: Content; headers: AnswerHeaders }>()
  return async function answerPage(request: Request, endpoint: string): Promise<Response> {
    const page = known.get(endpoint)
    if (page !== undefined) return contentResponse(request, page.content, page.headers)
    const response = await answerGet(request)
    if (response.status !== 200) return response
    const type = response.headers.get('content-type') ?? 'text/html'
    const body = await response.bytes()
    const isPage = type.startsWith('text/html')
    known.set(endpoint, {
      content: createContent(body, type.startsWith(JSON_TYPE) ? JSON_TYPE : type),
      headers: {
        'cache-control': response.headers.get('cache-control') ?? 'no-cache',
        ...(isPage ? headersOfInlinePage(new TextDecoder().decode(body)) : {}),
      },
    })
    return answerPage(request, endpoint)
  }
}
