import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { type AnswerHeaders, commonHeaders, JSON_TYPE } from './headers.ts'
import { defineHttpError } from './httpError.ts'
import { type Body, streamedBody } from './streamedBody.ts'

/** A response body. Its ETag, compressed forms and headers are computed at most once. */
export interface Content {
  readonly body: Body
  readonly type: string
  /** Returns the first 16 hex digits of the body's SHA-256. */
  digest(): string
  /** Returns the content in the best coding that the client accepts. */
  formFor(request: Request): Form | Promise<Form>
  plain(): Form
}

/** A content in one coding. */
export interface Form {
  readonly body: Body
  /** Computed when it is read. */
  readonly etag: string
  /** Returns the headers of a 200: without the ETag, which has no use, if the answer must not be stored. */
  headers(extra: AnswerHeaders): AnswerHeaders
}

type Coding = 'br' | 'gzip' | 'identity'

// About one packet. Compressing less saves nothing.
const MIN_COMPRESSED_LENGTH = 1_000

const COMPRESSIBLE = /^(text\/|image\/svg\+xml|application\/(json|xml|javascript|[a-z.-]+\+(json|xml)))/

export function createContent(body: Body, type = JSON_TYPE): Content {
  const isCompressible = body.length >= MIN_COMPRESSED_LENGTH && COMPRESSIBLE.test(type)
  const implied = { 'content-type': type, ...(isCompressible ? { vary: 'Accept-Encoding' } : {}) }
  const forms: Partial<Record<Coding, Form | Promise<Form>>> = {}
  let digest: string | null = null
  let plain: Form | null = null

  const content: Content = {
    body,
    type,
    digest() {
      digest ??= hash('sha256', body).slice(0, 16)
      return digest
    },
    plain() {
      plain ??= createForm(body, implied, () => formatEtag(content.digest()))
      return plain
    },
    formFor(request) {
      const coding = isCompressible ? acceptedCoding(request.headers.get('accept-encoding')) : 'identity'
      if (coding === 'identity') return content.plain()
      forms[coding] ??= compressed(coding)
      return forms[coding]
    },
  }

  /** Compresses off the main thread. Concurrent requests share one compression. */
  async function compressed(coding: keyof typeof compress): Promise<Form> {
    const etagOf = () => formatEtag(`${content.digest()}-${coding}`)
    const form = createForm(await compress[coding](body), { ...implied, 'content-encoding': coding }, etagOf)
    forms[coding] = form
    return form
  }
  return content
}

function createForm(body: Body, own: AnswerHeaders, etagOf: () => string): Form {
  const shared = { ...commonHeaders, 'cache-control': 'no-cache', ...own }
  return {
    body,
    get etag() {
      return etagOf()
    },
    headers: (extra) =>
      extra['cache-control'] === 'no-store'
        ? { ...shared, ...extra }
        : { ...shared, etag: etagOf(), ...extra },
  }
}

const [gzipped, brotli] = [promisify(gzip), promisify(brotliCompress)]

// Quality 5 is as fast as gzip, with 5 to 10 % fewer bytes.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const compress = {
  gzip: async (body: Body) => new Uint8Array(await gzipped(body)),
  br: async (body: Body) => new Uint8Array(await brotli(body, BROTLI)),
}

const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity']

/**
 * Returns the coding that an `Accept-Encoding` header ranks highest. Of equally ranked codings, the first of `CODINGS` is used.
 * Without a header, it is `identity`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
function acceptedCoding(header: string | null): Coding {
  if (header === null) return 'identity'
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } })
  // The types of the package lack the options.
  const encodings: (available: readonly string[], options: { preferred: readonly string[] }) => string[] =
    negotiator.encodings.bind(negotiator)
  const [best] = encodings(CODINGS, { preferred: CODINGS })
  return CODINGS.find((coding) => coding === best) ?? 'identity'
}

/**
 * Returns the response for a content: compressed if the client accepts that, and 304 if the client already has the
 * content.
 *
 * @throws {PreconditionFailedError} when `If-Match` names another content.
 */
export function contentResponse(
  request: Request,
  content: Content,
  extra: AnswerHeaders = {},
): Response | Promise<Response> {
  // HEAD returns the uncompressed length, because ranges count uncompressed bytes.
  const form = request.method === 'HEAD' ? content.plain() : content.formFor(request)
  return form instanceof Promise
    ? form.then((compressed) => formResponse(request, content, compressed, extra))
    : formResponse(request, content, form, extra)
}

function formResponse(request: Request, content: Content, form: Form, extra: AnswerHeaders): Response {
  const headers = form.headers(extra)
  if (headers.etag !== undefined) assertIfMatch(request, content, form)
  return isNotModified(request, form)
    ? notModified(headers)
    : new Response(streamedBody(request, form.body), { headers })
}

/** Formats a strong ETag from a text without quotes. */
export const formatEtag = (word: string): string => `"${word}"`

/**
 * Returns whether an `If-None-Match` header (a list or `*`) matches the ETag, by weak comparison: `W/` is ignored.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  // A comma inside another ETag splits it into parts that lack a quote on one side, so these cannot match.
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag)
}

const MAX_SHOWN_LENGTH = 100

const PreconditionFailedError = defineHttpError(
  'PreconditionFailedError',
  'precondition_failed',
  (facts: { ifMatch: string; etag: string }) =>
    `If-Match: ${facts.ifMatch.slice(0, MAX_SHOWN_LENGTH)} does not name the current answer, which has the ETag ${facts.etag}`,
  { status: 412 },
)

/**
 * Checks `If-Match` (a list or `*`) by strong comparison. It may name the plain form instead of the compressed one, because HEAD does.
 *
 * @throws {PreconditionFailedError}
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export function assertIfMatch({ headers }: Request, content: Content, form: Form): void {
  const ifMatch = headers.get('if-match')
  if (ifMatch === null || ifMatch.trim() === '*') return
  const etags = [form.etag, content.plain().etag]
  if (!ifMatch.split(',').some((entry) => etags.includes(entry.trim())))
    throw new PreconditionFailedError({ ifMatch, etag: form.etag })
}

/** Returns whether the client has this form of the content. */
export function isNotModified(request: Request, form: Form): boolean {
  const ifNoneMatch = request.headers.get('if-none-match')
  return ifNoneMatch !== null && matchesEtag(ifNoneMatch, form.etag)
}

/** Returns a 304 with the headers of the 200, without those of its body. */
export function notModified({ 'content-encoding': _, ...headers }: AnswerHeaders): Response {
  return new Response(null, { status: 304, headers })
}

/** Returns a response with a body as JSON, uncompressed and without an ETag. */
export const jsonResponse = (body: object, status: number, extra: AnswerHeaders): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-cache', ...commonHeaders, ...extra },
  })
