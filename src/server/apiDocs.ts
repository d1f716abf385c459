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
  readyBody,
} from './schemas.ts'

/** The API's bodies, by their names in the OpenAPI document. */
export const apiSchemas = {
  Reading: readingBody,
  Feeds: feedsBody,
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

/** `Retry-After` of the OpenAPI document. */
export const retryAfterHeader = header('Seconds to wait, if the same request may succeed later.', '4')

/** Headers of an answer that was read from the chain. */
export const chainAnswerHeaders = {
  ETag: header('The state root hash in quotes, to send back as If-None-Match.', `"${STATE_ROOT}"`),
  'X-Casper-State-Root': stateRootHeader,
}

/** Headers of answers that depend only on the binary. */
export const catalogHeaders = { ETag: header('Names the version of the catalog.', '"3f9a1c0d5b7e2468"') }

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
    { 'X-Casper-State-Root': stateRootHeader },
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
