import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import Negotiator from 'negotiator'
import {
  type AnswerHeaders,
  commonHeaders,
  formatEtag,
  isNotModified,
  JSON_TYPE,
  jsonResponse,
} from './headers.ts'
import { createObjectMemo } from './memo.ts'
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
  readonly etag: string
  /** Returns the headers of a 200. */
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
      digest ??= new Bun.CryptoHasher('sha256').update(body).digest('hex').slice(0, 16)
      return digest
    },
    plain() {
      plain ??= createForm(body, { ...implied, etag: formatEtag(content.digest()) })
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
    const etag = formatEtag(`${content.digest()}-${coding}`)
    const form = createForm(await compress[coding](body), { ...implied, etag, 'content-encoding': coding })
    forms[coding] = form
    return form
  }
  return content
}

function createForm(body: Body, own: AnswerHeaders & { etag: string }): Form {
  const shared = { ...commonHeaders, 'cache-control': 'no-cache', ...own }
  return { body, etag: own.etag, headers: (extra) => ({ ...shared, ...extra }) }
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
 */
export function contentResponse(
  request: Request,
  content: Content,
  extra: AnswerHeaders = {},
): Response | Promise<Response> {
  // HEAD returns the uncompressed length, because ranges count uncompressed bytes.
  const form = request.method === 'HEAD' ? content.plain() : content.formFor(request)
  return form instanceof Promise
    ? form.then((compressed) => formResponse(request, compressed, extra))
    : formResponse(request, form, extra)
}

function formResponse(request: Request, form: Form, extra: AnswerHeaders): Response {
  const headers = form.headers(extra)
  return isNotModified(request, form.etag)
    ? notModified(headers)
    : new Response(streamedBody(request, form.body), { headers })
}

/** Returns a 304 with the headers of the 200, without those of its body. */
export function notModified({ 'content-encoding': _, ...headers }: AnswerHeaders): Response {
  return new Response(null, { status: 304, headers })
}

const jsonOf = createObjectMemo((body: object) => createContent(JSON.stringify(body)))

/**
 * Converts the objects that handlers return to responses: JSON with an ETag, compressed if the client accepts that. An object is
 * formatted once, so handlers return the same object until something changes. A `Response` is not changed.
 */
export const content = new Elysia({ name: 'content' }).mapResponse(
  { as: 'global' },
  ({ request, responseValue, set }) => {
    if (responseValue instanceof Response || typeof responseValue !== 'object' || responseValue === null)
      return
    const headers = set.headers as AnswerHeaders
    const { status = 200 } = set
    if (status !== 200) return jsonResponse(responseValue, Number(status), headers)
    // The response has these headers. Elysia would copy it to merge them again.
    set.headers = {}
    const response = contentResponse(request, jsonOf(responseValue), headers)
    return headers['cache-control'] === 'no-store' ? withoutEtag(response) : response
  },
)

/** Without caching, an ETag has no use. */
async function withoutEtag(pending: Response | Promise<Response>): Promise<Response> {
  const response = await pending
  response.headers.delete('etag')
  return response
}
