import type { TSchema } from '@sinclair/typebox'
import {
  apiIndexBody,
  datasetsBody,
  errorBody,
  feedProofBody,
  feedsBody,
  healthBody,
  provenanceBody,
  type ReadingBody,
  readingBody,
  readingsBody,
  readyBody,
} from './schemas.ts'

/** The API's bodies, by their names in the OpenAPI document. */
export const apiSchemas = {
  Reading: readingBody,
  Feeds: feedsBody,
  Readings: readingsBody,
  FeedProof: feedProofBody,
  Provenance: provenanceBody,
  Datasets: datasetsBody,
  Health: healthBody,
  Ready: readyBody,
  Index: apiIndexBody,
  Error: errorBody,
} satisfies Record<string, TSchema>

/** Describes a header in the OpenAPI document. */
const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const },
  example,
})

const STATE_ROOT = '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041'
const stateRootHeader = header('The state root hash that the whole answer was read at.', STATE_ROOT)
const etagHeader = header(
  'Hash of the answer in its coding, to send back as If-None-Match.',
  '"3f9a1c0d5b7e2468"',
)
const cacheControlHeader = header('How caches may keep it; CACHE_MAX_AGE_S sets it.', 'no-cache')

const versionHeader = header(
  'How many events of the FeedRegistry (f) and of the AttestationRegistry (a) the state root includes: it grows with each change. A part is absent where the registry keeps no log, the header if both are or it could not be read.',
  'f36.a1204',
)

/** `Retry-After` of the OpenAPI document. */
export const retryAfterHeader = header('Seconds to wait, if the same request may succeed later.', '4')

/** Headers of every answer that may be kept. */
export const contentHeaders = { ETag: etagHeader, 'Cache-Control': cacheControlHeader }

/** Headers of an answer that was read from the chain. */
export const chainAnswerHeaders = {
  ...contentHeaders,
  'X-Casper-State-Root': stateRootHeader,
  'X-Wattfeed-Version': versionHeader,
}

/** A response object of the OpenAPI document with a JSON body. */
export const jsonAnswer = (
  description: string,
  schema: keyof typeof apiSchemas,
  example: unknown,
  headers = {},
) => ({
  description,
  headers,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } },
})

const errorAnswer = (description: string, error: string, headers = {}) =>
  jsonAnswer(description, 'Error', { error }, headers)

/** `304` of the OpenAPI document. */
export const notModifiedAnswer = {
  description: 'If-None-Match names the current ETag. No body.',
}

/** The error answers of the API, by status. */
export const errorAnswers = {
  400: errorAnswer(
    'The path does not decode: broken percent-encoding, or not UTF-8.',
    '"/v1/feeds/100%" does not decode: % begins two hex digits, and the bytes are UTF-8; encodeURIComponent in JavaScript writes an id so',
  ),
  404: errorAnswer(
    'The id is not registered, or is registered without a value. A node that fails is never the reason.',
    'feed not found on-chain: EIA.NO.SUCH.FEED; GET /v1/feeds lists all that are',
    { 'X-Casper-State-Root': stateRootHeader, 'X-Wattfeed-Version': versionHeader },
  ),
  416: errorAnswer(
    'The range begins past the end of the file; Content-Range tells its size.',
    'the range bytes=9000- holds no byte of a file of 4116 bytes: begin below that',
    { 'Content-Range': header('The size of the file.', 'bytes */4116') },
  ),
  500: errorAnswer('A defect of the server; its log says more.', 'internal error'),
  502: errorAnswer(
    'The chain could not be read, or its state is invalid.',
    'the node serves the chain "casper", not "casper-test"; check the chain\'s name and the node\'s URL',
    { 'Retry-After': retryAfterHeader },
  ),
}

/** Parameter `If-None-Match` of the OpenAPI document. */
export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header' as const,
  required: false,
  description: 'ETags of answers already held, or `*`: 304 if the answer is one of them.',
  schema: { type: 'string' as const },
}

/** A reading for the OpenAPI document. */
export const exampleReading: ReadingBody = {
  feed_id: 'EIA.NG.PRICE.HENRYHUB.DAILY',
  decimals: 6,
  unit: '$/MMBtu',
  title: 'NG PRICE HENRYHUB DAILY',
  source: 'EIA',
  route: 'natural-gas/pri/fut',
  frequency: 'daily',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  value: 3.04938,
  amount: '3049380',
  period: 20261120,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  updated_at: 1795168726426,
}

const fileHeaders = {
  ...chainAnswerHeaders,
  'Accept-Ranges': header('Range is understood.', 'bytes'),
  'Content-Disposition': header('The name to save it under.', 'attachment; filename="wattfeed-feeds.csv"'),
}

/** Answers of the OpenAPI document for a file of text: the whole, and a part of it. */
export const textFileAnswers = (description: string, type: string, example: string) => {
  const content = { [type]: { schema: { type: 'string' as const }, example } }
  const contentRange = { 'Content-Range': header('Which bytes of how many.', 'bytes 0-99/4116') }
  return {
    200: { description, headers: fileHeaders, content },
    206: {
      description: 'The bytes that Range asks for, uncompressed.',
      headers: { ...fileHeaders, ...contentRange },
      content,
    },
  }
}

/** Parameters `Range` and `If-Range` of the OpenAPI document. */
export const rangeParameters = [
  {
    name: 'Range',
    in: 'header' as const,
    required: false,
    description: 'One range of bytes, such as `bytes=0-99` or `bytes=-100`; several get the whole.',
    schema: { type: 'string' as const },
  },
  {
    name: 'If-Range',
    in: 'header' as const,
    required: false,
    description: 'The ETag of the uncompressed file: if it is another one now, Range gets the whole.',
    schema: { type: 'string' as const },
  },
]
