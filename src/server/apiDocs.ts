import type { TSchema } from '@sinclair/typebox'
import {
  apiIndexBody,
  datasetsBody,
  errorBody,
  feedProofBody,
  feedsBody,
  type HistoryBody,
  healthBody,
  historyBody,
  provenanceBody,
  type ReadingBody,
  readingBody,
  readingsBody,
  readyBody,
  statusBody,
  statusesBody,
  tableMetadataBody,
} from '../api/schemas.ts'

/** The API's bodies, by their names in the OpenAPI document. */
export const apiSchemas = {
  Reading: readingBody,
  Feeds: feedsBody,
  Readings: readingsBody,
  Status: statusBody,
  Statuses: statusesBody,
  FeedProof: feedProofBody,
  Provenance: provenanceBody,
  History: historyBody,
  TableMetadata: tableMetadataBody,
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
  type = 'application/json',
) => ({
  description,
  headers,
  content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` }, example } },
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
    'feed not found on-chain: EIA.NO.SUCH.FEED',
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

/** Answers of the OpenAPI document for a file: the whole, and a part of it. */
export const fileAnswers = (description: string, type: string, example: string) => {
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

/** A page of a history for the OpenAPI document. */
export const exampleHistory = {
  feed_id: exampleReading.feed_id,
  decimals: exampleReading.decimals,
  unit: exampleReading.unit,
  frequency: exampleReading.frequency,
  count: 42,
  items: [
    {
      index: 41,
      period: exampleReading.period,
      period_start: '2026-11-20',
      value: exampleReading.value,
      amount: exampleReading.amount,
      revision: 0,
      source_hash: exampleReading.source_hash,
      attester: 'account-hash-8d0c1f5a7e1f4b0a9b7e2c3d4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6',
      attested_at: exampleReading.updated_at,
    },
  ],
  next: '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/history?after=41&limit=1&order=desc',
  permalink: '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/history?from=41&to=42&order=desc&pin=88450b082ec4df2f',
} satisfies HistoryBody

type ParameterSchema = {
  type: 'integer' | 'string'
  minimum?: number
  maximum?: number
  pattern?: string
  enum?: string[]
}

const parameter = (name: string, description: string, schema: ParameterSchema) => ({
  name,
  in: 'query' as const,
  required: false,
  description,
  schema,
})

const index: ParameterSchema = { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 }
const period: ParameterSchema = { type: 'integer', minimum: 0 }
const periodBound: ParameterSchema = { type: 'string', pattern: '^([0-9]{1,20}|[0-9]{4}-[0-9]{2}-[0-9]{2})$' }

/** `GET /v1/feeds/:id/history` in the OpenAPI document. */
export const historyDetail = {
  operationId: 'getHistory',
  summary: 'Read a feed’s past',
  description:
    'Every value that was ever attested to a feed, in the order of attestation, page by page. With `as_of`, `vintages=first` or `vintages=latest`: one row a period, in order of period. `as_of` means on chain by that block time, not published by EIA. Periods may have been attested in any order.',
  tags: ['feeds'],
  parameters: [
    parameter('from', 'First index; not where there is one row a period.', index),
    parameter('to', 'Index after the last value that is looked at.', index),
    parameter(
      'after',
      'Continues after this row: its index, or its period where there is one row a period.',
      period,
    ),
    parameter('limit', 'Rows at most; 100 if left out, 1,000 with both `from` and `to`.', {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
    }),
    parameter('order', 'By index, or by period where there is one row a period.', {
      type: 'string',
      enum: ['asc', 'desc'],
    }),
    parameter(
      'period_from',
      'First period, as an integer; or a date: the first period that starts on that day or later.',
      periodBound,
    ),
    parameter(
      'period_to',
      'Last period, as an integer; or a date: the last period that starts on that day or earlier.',
      periodBound,
    ),
    parameter(
      'as_of',
      'What the chain held then: epoch milliseconds, a time with its zone, or a date (that whole day in UTC).',
      { type: 'string' },
    ),
    parameter('vintages', 'Every value, or each period’s first or latest; with `as_of` not `all`.', {
      type: 'string',
      enum: ['all', 'first', 'latest'],
    }),
    parameter('pin', '16 hex digits of a `permalink`: the answer is the pinned one, or 409. Needs `to`.', {
      type: 'string',
    }),
    ifNoneMatch,
  ],
  responses: {
    200: jsonAnswer('A page.', 'History', exampleHistory, {
      ETag: header('Names the content of the answer.', '"3f9a1c0d5b7e2468"'),
    }),
    304: notModifiedAnswer,
    400: errorAnswer(
      'A parameter is unknown, repeated, breaks its rule or contradicts another; or the path does not decode.',
      'limit=0: it must be a whole number from 1 to 1000',
    ),
    404: { ...errorAnswers[404], description: 'The id is not registered.' },
    409: errorAnswer(
      'The address pins values that the chain does not hold, or that are shown otherwise since `decimals` changed.',
      'this address pins other values of EIA.NG.PRICE.HENRYHUB.DAILY: it has 3 values, and the address names 42; its decimals have changed, or the chain is another one; leave out pin',
    ),
    429: errorAnswer(
      'Too many other feeds wait for their past to be read.',
      'the histories of 18 other feeds are read before that of EIA.NG.PRICE.HENRYHUB.DAILY; ask again later',
      { 'Retry-After': retryAfterHeader },
    ),
    500: errorAnswers[500],
    502: errorAnswers[502],
    503: errorAnswer(
      'A long past is being read in the background, or does not fit into HISTORY_CACHE_MB.',
      'the history of EIA.NG.PRICE.HENRYHUB.DAILY is being read: 4000 of 15000 values so far; ask again',
      { 'Retry-After': retryAfterHeader },
    ),
  },
}
