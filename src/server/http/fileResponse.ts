import { assertIfMatch, type Content, contentResponse, isNotModified, notModified } from './content.ts'
import type { AnswerHeaders } from './headers.ts'
import { defineHttpError } from './httpError.ts'
import { createObjectMemo } from './memo.ts'
import { streamedBody } from './streamedBody.ts'

export const RangeNotSatisfiableError = defineHttpError(
  'RangeNotSatisfiableError',
  'range_not_satisfiable',
  (facts: {
    range: string
    /** Size of the file, in bytes. */
    size: number
  }) => `the range ${facts.range} selects no bytes of the file, which has ${facts.size} bytes`,
  { status: 416, headers: ({ size }) => ({ 'content-range': `bytes */${size}` }) },
)

/**
 * Responds with a file as `contentResponse` does, and supports `Range`, which counts uncompressed bytes.
 * The response is the whole file if there are several ranges, if the range is malformed, or if `If-Range` does not match.
 *
 * @param extra - additional headers
 * @throws {RangeNotSatisfiableError} when the range starts past the end.
 * @throws {PreconditionFailedError} when `If-Match` names another content.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
export function fileResponse(
  request: Request,
  content: Content,
  extra: AnswerHeaders = {},
): Response | Promise<Response> {
  // HEAD describes the whole file.
  const range = request.method === 'HEAD' ? null : request.headers.get('range')
  const headers = { ...extra, 'accept-ranges': 'bytes' }
  if (range === null || !isInRange(request, content)) return contentResponse(request, content, headers)
  const form = content.plain()
  assertIfMatch(request, content, form)
  // If-None-Match takes precedence over Range (RFC 9110, section 13.2.2), so a client with the current file gets 304 even for
  // an out-of-range request.
  if (isNotModified(request, form)) return notModified(form.headers(headers))
  const bytes = bytesOf(content)
  const part = parseRange(range, bytes.length)
  if (part === null) return contentResponse(request, content, headers)
  return partResponse(request, form.headers(headers), bytes, part)
}

// Strong comparison. A date never matches, because responses have no Last-Modified.
function isInRange({ headers }: Request, content: Content): boolean {
  const ifRange = headers.get('if-range')
  return ifRange === null || ifRange.trim() === content.plain().etag
}

const bytesOf = createObjectMemo(
  ({ body }: Content): Uint8Array<ArrayBuffer> =>
    typeof body === 'string' ? new TextEncoder().encode(body) : body,
)

const SINGLE_RANGE = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)$/i

/** Returns the range from `start` up to but excluding `end`; null for the whole file. @throws {RangeNotSatisfiableError} */
function parseRange(range: string, size: number): { start: number; end: number } | null {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(range.trim()) ?? []
  if (first === '' && last === '') return null
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  // "-5" are the last five bytes, or all of a shorter file.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  if (start >= size) throw new RangeNotSatisfiableError({ range, size })
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return { start, end }
}

function partResponse(
  request: Request,
  headers: AnswerHeaders,
  bytes: Uint8Array<ArrayBuffer>,
  { start, end }: { start: number; end: number },
): Response {
  return new Response(streamedBody(request, bytes.subarray(start, end)), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` },
  })
}

/**
 * Formats `Content-Disposition` for a download with this name. Characters other than `[A-Za-z0-9._-]` are replaced in
 * `filename`; `filename*` has the exact name.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6266
 */
export function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_')
  if (plain === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*!~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
