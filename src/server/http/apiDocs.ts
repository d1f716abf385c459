import { type TSchema, Type } from '@sinclair/typebox'
import {
  apiIndexBody,
  attestedDatasetsBody,
  attesterBody,
  calendarBody,
  codesBody,
  datasetsBody,
  errorBody,
  feedAbsenceBody,
  feedProofBody,
  feedsBody,
  feedsProofBody,
  type HistoryPageBody,
  healthBody,
  historyBody,
  historyProofBody,
  provenanceBody,
  type ReadingBody,
  rangeProofBody,
  readingBody,
  readingsBody,
  readyBody,
  recentBody,
  seriesAbsenceBody,
  seriesBody,
  seriesHistoryBody,
  seriesProofBody,
  seriesRevisionsBody,
  seriesTableBody,
  statusBody,
  statusesBody,
  tableMetadataBody,
  transactionBody,
} from '../../api/schemas.ts'
import { answerSchema } from './answerSchema.ts'
import recorded from './apiExamples.json' with { type: 'json' }
import { strictParams } from './strictQuery.ts'

/** Recorded by `scripts/recordApiExamples.ts`. */
const examples: Readonly<Record<string, unknown>> = recorded.answers

export const exampleReading: ReadingBody = recorded.answers.Reading
export const exampleHistory: HistoryPageBody = recorded.answers.History

const bodies: Readonly<Record<string, TSchema>> = {
  Reading: readingBody,
  Feeds: feedsBody,
  Readings: readingsBody,
  Recent: recentBody,
  Status: statusBody,
  Statuses: statusesBody,
  Calendar: calendarBody,
  FeedProof: feedProofBody,
  FeedsProof: feedsProofBody,
  HistoryProof: historyProofBody,
  FeedAbsence: feedAbsenceBody,
  AttestedDatasets: attestedDatasetsBody,
  Codes: codesBody,
  Series: seriesBody,
  SeriesTable: seriesTableBody,
  SeriesProof: seriesProofBody,
  SeriesAbsence: seriesAbsenceBody,
  SeriesHistory: seriesHistoryBody,
  SeriesRevisions: seriesRevisionsBody,
  SeriesRangeProof: rangeProofBody,
  Provenance: provenanceBody,
  Attester: attesterBody,
  Transaction: transactionBody,
  History: historyBody,
  TableMetadata: tableMetadataBody,
  Datasets: datasetsBody,
  Health: healthBody,
  Ready: readyBody,
  Index: apiIndexBody,
  Error: errorBody,
}

/** The response bodies, by name in the OpenAPI document, with their examples. */
export const apiSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries(bodies).map(([name, schema]) => [
    name,
    Object.hasOwn(examples, name) ? { ...schema, examples: [examples[name]] } : schema,
  ]),
)

const header = (description: string, example: string) => Type.String({ description, examples: [example] })

const originHeaders = {
  'X-Casper-State-Root': header(
    'State root hash at which the response was read.',
    '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041',
  ),
  'X-Wattfeed-Version': header(
    'Number of events in the logs of the FeedRegistry (f) and the AttestationRegistry (a) at the state root. It grows with each change. A part is absent if the registry has no log. The header is absent if neither has one, or if the lengths could not be read.',
    'f36.a1204',
  ),
}

/** Headers of every response that may be cached. */
export const contentHeaders = {
  ETag: header(
    'Hash of the response in its content coding. Send it back in If-None-Match.',
    '"3f9a1c0d5b7e2468"',
  ),
  'Cache-Control': header(
    'How caches may store the response. The setting CACHE_MAX_AGE_S determines it.',
    'no-cache',
  ),
}

export const chainAnswerHeaders = { ...contentHeaders, ...originHeaders }

/** Headers of a response that was read from the chain and is not cached. */
export const unstoredHeaders = originHeaders

export const retryAfterHeader = {
  'Retry-After': header(
    'Seconds to wait before a retry. Present if the same request may succeed later.',
    '4',
  ),
}

const errorHeader = {
  'X-Wattfeed-Error': header('Error code. docs/errors.md lists all codes.', 'feed_not_found'),
}

export const errorOf = (description: string, headers = {}) =>
  answerSchema('Error', errorBody, { description, headers: { ...errorHeader, ...headers } })

export const errorAnswers = {
  400: errorOf('A parameter is unknown, repeated or malformed, or the path is not percent-encoded UTF-8.'),
  404: errorOf(
    'The feed is not registered, has no value, or has no value at `index`. A failing node never causes a 404.',
    originHeaders,
  ),
  412: errorOf('`If-Match` does not name the current answer.'),
  409: errorOf(
    '`pin` does not match the values on chain, or the `decimals`, `route` or `frequency` of the feed changed.',
  ),
  416: errorOf('The range starts past the end of the file.', {
    'Content-Range': header('Size of the file.', 'bytes */4116'),
  }),
  429: errorOf('The server is busy with the same work for other clients.', retryAfterHeader),
  500: errorOf('Internal error. The log of the server has the details.'),
  501: errorOf('The chain stores the account in a form that this server cannot read.'),
  502: errorOf('The chain could not be read, or data on chain is invalid.', retryAfterHeader),
  503: errorOf('The server cannot answer now.', retryAfterHeader),
}

/** The 404 of every endpoint that needs the server's own address. */
export const publicUrlError = errorOf(
  'The response has absolute addresses, and the server does not know its own: `PUBLIC_URL` is not set.',
)

/** The error responses of every endpoint that reads the chain. */
export const chainErrors = { 500: errorAnswers[500], 502: errorAnswers[502] }

/** The error responses of every endpoint that reads histories, besides {@link chainErrors}. */
export const historyErrors = {
  400: errorAnswers[400],
  404: errorAnswers[404],
  429: errorAnswers[429],
  503: errorAnswers[503],
}

/** Request headers of endpoints with an ETag. */
export const conditionalHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description:
        'ETags of stored responses, or `*`. The response is 304 without a body if one of them matches.',
    }),
  ),
  'if-match': Type.Optional(
    Type.String({
      description: 'ETags of stored responses, or `*`. The response is 412 if none of them matches.',
    }),
  ),
})

/** Request headers of files, which support ranges. */
export const fileRequestHeaders = Type.Object({
  ...conditionalHeaders.properties,
  range: Type.Optional(
    Type.String({
      description:
        'One range of bytes, such as `bytes=0-99` or `bytes=-100`. With several ranges, the response is the whole file.',
    }),
  ),
  'if-range': Type.Optional(
    Type.String({
      description: 'ETag of the uncompressed file. If the file has changed, the response is the whole file.',
    }),
  ),
})

const feedId = Type.String({
  description:
    'Feed id, case-sensitive. It may contain any character, as percent-encoded UTF-8 that is decoded once: encode a slash as `%2F`; `+` is a plus. The empty id and the ids `.` and `..` are only available in lists, because URL parsers resolve them even when encoded.',
  examples: [exampleReading.feed_id],
})

export const feedParams = strictParams({ id: feedId })

export const feedIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  description: 'Feed id. Repeat the parameter for more feeds.',
  examples: [[exampleReading.feed_id, 'EIA.NO.SUCH.FEED']],
})

/** The start of a route, at every endpoint that takes it. An empty one does not filter. */
export const familyParameter = Type.Optional(
  Type.String({ description: 'Start of the route, case-sensitive.', examples: ['petroleum/'] }),
)

/** Every index of at most 15 digits is exact as a number. */
export const MAX_INDEX = 999_999_999_999_999

export const indexSchema = Type.Integer({
  minimum: 0,
  maximum: MAX_INDEX,
  description: 'Index in the feed’s history, from 0.',
})

/** The query parameter of all proofs. */
export const proofFrom = Type.Optional(
  Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description:
      'Hash of a switch block that you trust, from the last 1,000 eras. The proof then contains all switch blocks since that one; by default, only the last one.',
    error: "a switch block's hash: 64 hex digits",
  }),
)

/** Route options of a path that the OpenAPI document leaves out. */
export const hidden = { detail: { hide: true } }

/** The path parameters of one value of a feed. */
export const valueParams = strictParams({ id: feedId, index: indexSchema })

type ErrorAnswers = Readonly<Record<number, (typeof errorAnswers)[400]>>

const describeHeaders = (headers: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, schema]) => [name, { schema }]))

/** Describes error responses of endpoints that do not return JSON, which the OpenAPI plugin cannot describe. */
export const describeErrors = (errors: ErrorAnswers) =>
  Object.fromEntries(
    Object.entries(errors).map(([status, { json, headers }]) => [
      status,
      {
        description: String(json.description),
        headers: describeHeaders(headers),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )

/** Describes the responses of an endpoint that returns text without a schema. */
export const textAnswers = (
  description: string,
  type: string,
  example: unknown,
  errors: ErrorAnswers = {},
) => ({
  200: { description, content: { [type]: { schema: {}, example } } },
  ...describeErrors(errors),
})

const fileHeaders = {
  ...chainAnswerHeaders,
  'Accept-Ranges': header('Range requests are supported.', 'bytes'),
  'Content-Disposition': header('File name for a download.', 'attachment; filename="wattfeed-feeds.csv"'),
}

/** Describes the responses of an endpoint that serves a file, whole or in part. */
export function fileAnswers(description: string, type: string, example: string, errors: ErrorAnswers) {
  const content = { [type]: { schema: { type: 'string' as const }, example } }
  const contentRange = {
    'Content-Range': header('The range of bytes, and the size of the file.', 'bytes 0-99/4116'),
  }
  return {
    200: { description, headers: describeHeaders(fileHeaders), content },
    206: {
      description: 'The requested range, uncompressed.',
      headers: describeHeaders({ ...fileHeaders, ...contentRange }),
      content,
    },
    ...describeErrors({ ...errors, 416: errorAnswers[416], ...chainErrors }),
  }
}
