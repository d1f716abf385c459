import { type TSchema, Type } from '@sinclair/typebox'
import {
  apiIndexBody,
  datasetsBody,
  errorBody,
  feedProofBody,
  feedsBody,
  healthBody,
  historyBody,
  provenanceBody,
  readingBody,
  readingsBody,
  readyBody,
  statusBody,
  statusesBody,
  tableMetadataBody,
} from '../api/schemas.ts'
import { answerSchema } from './answerSchema.ts'
import {
  exampleDatasets,
  exampleHistory,
  exampleProof,
  exampleProvenance,
  exampleReading,
  exampleReadings,
  exampleReady,
  exampleStatus,
} from './apiExamples.ts'
import { strictParams } from './plugins/query.ts'

const withExample = (schema: TSchema, example: unknown): TSchema => ({ ...schema, examples: [example] })

/** The API's bodies, by their names in the OpenAPI document. */
export const apiSchemas: Readonly<Record<string, TSchema>> = {
  Reading: withExample(readingBody, exampleReading),
  Feeds: withExample(feedsBody, { count: 1, feeds: [exampleReading] }),
  Readings: withExample(readingsBody, exampleReadings),
  Status: withExample(statusBody, exampleStatus),
  Statuses: withExample(statusesBody, { count: 1, feeds: [exampleStatus] }),
  FeedProof: withExample(feedProofBody, exampleProof),
  Provenance: withExample(provenanceBody, exampleProvenance),
  History: withExample(historyBody, exampleHistory),
  TableMetadata: tableMetadataBody,
  Datasets: withExample(datasetsBody, exampleDatasets),
  Health: withExample(healthBody, { status: 'ok', service: 'wattfeed', datasets: 232 }),
  Ready: withExample(readyBody, exampleReady),
  Index: withExample(apiIndexBody, {
    service: 'wattfeed',
    version: '0.1.0',
    registries: exampleProof.registries,
    endpoints: { '/v1/feeds': 'all readings' },
  }),
  Error: withExample(errorBody, { error: 'feed not found on-chain: EIA.NO.SUCH.FEED' }),
}

const header = (description: string, example: string) => Type.String({ description, examples: [example] })

const originHeaders = {
  'X-Casper-State-Root': header(
    'The state root hash that the whole answer was read at.',
    '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041',
  ),
  'X-Wattfeed-Version': header(
    'How many events of the FeedRegistry (f) and of the AttestationRegistry (a) the state root includes: it grows with each change. A part is absent where the registry keeps no log, the header if both are or it could not be read.',
    'f36.a1204',
  ),
}

/** Documents the headers of every answer that may be kept. */
export const contentHeaders = {
  ETag: header('Hash of the answer in its coding, to send back as If-None-Match.', '"3f9a1c0d5b7e2468"'),
  'Cache-Control': header('How caches may keep it; CACHE_MAX_AGE_S sets it.', 'no-cache'),
}

/** Documents the headers of an answer that was read from the chain. */
export const chainAnswerHeaders = { ...contentHeaders, ...originHeaders }

/** Documents the headers of an answer that was read from the chain and is not stored. */
export const unstoredHeaders = originHeaders

/** Documents `Retry-After`. */
export const retryAfterHeader = {
  'Retry-After': header('Seconds to wait, if the same request may succeed later.', '4'),
}

const errorHeader = {
  'X-Wattfeed-Error': header('The code of the error; docs/errors.md lists all.', 'feed_not_found'),
}

const errorOf = (description: string, headers = {}) =>
  answerSchema('Error', errorBody, { description, headers: { ...errorHeader, ...headers } })

/** The error answers of the API, by status. */
export const errorAnswers = {
  400: errorOf('A parameter is unknown, repeated or malformed, or the path does not decode.'),
  404: errorOf(
    'The id is not registered, has no value, or fewer than `index` asks for. A node that fails is never the reason.',
    originHeaders,
  ),
  409: errorOf(
    'The address pins values that the chain does not hold, or that are shown otherwise since `decimals` changed.',
  ),
  416: errorOf('The range begins past the end of the file.', {
    'Content-Range': header('The size of the file.', 'bytes */4116'),
  }),
  429: errorOf('The server is busy with the same work for others.', retryAfterHeader),
  500: errorOf('A defect of the server; its log says more.'),
  502: errorOf('The chain could not be read, or its state is invalid.', retryAfterHeader),
  503: errorOf('The server cannot answer yet.', retryAfterHeader),
}

/** The error answers that every read of the chain may get. */
export const chainErrors = { 500: errorAnswers[500], 502: errorAnswers[502] }

/** The request headers of answers that have an ETag. */
export const conditionalHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description: 'ETags of answers already held, or `*`: 304 without a body if the answer is one of them.',
    }),
  ),
})

/** The request headers of files, of which a part may be asked for. */
export const fileRequestHeaders = Type.Object({
  ...conditionalHeaders.properties,
  range: Type.Optional(
    Type.String({
      description: 'One range of bytes, such as `bytes=0-99` or `bytes=-100`; several get the whole.',
    }),
  ),
  'if-range': Type.Optional(
    Type.String({
      description: 'The ETag of the uncompressed file: if it is another one now, Range gets the whole.',
    }),
  ),
})

/** A feed's id in a path. */
export const feedId = Type.String({
  description:
    'The feed id: case-sensitive, any characters, percent-encoded UTF-8 (`%2F` is a slash, `+` a plus). It is decoded once. An unencoded slash makes another path. The empty id and the ids `.` and `..` cannot be asked for, since URL parsers resolve them away even when encoded; the list shows them.',
  examples: [exampleReading.feed_id],
})

/** The parameters of a feed's path. */
export const feedParams = strictParams({ id: feedId })

/** The ids of an endpoint for several feeds. */
export const feedIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  description: 'A feed id, repeated for each.',
  examples: [[exampleReading.feed_id, 'EIA.NO.SUCH.FEED']],
})

/** Place of a value in its feed's history. */
export const indexSchema = Type.Integer({
  minimum: 0,
  maximum: 999_999_999_999_999,
  description: 'Place in the feed’s history, from 0.',
})

type ErrorAnswers = Readonly<Record<number, (typeof errorAnswers)[400]>>

const describeHeaders = (headers: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, schema]) => [name, { schema }]))

/** Describes error answers where the OpenAPI plugin cannot: beside answers that are no JSON. */
const describeErrors = (errors: ErrorAnswers) =>
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

/** Describes the answers of an endpoint whose 200 is a text that is no JSON of ours. */
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
  'Accept-Ranges': header('Range is understood.', 'bytes'),
  'Content-Disposition': header('The name to save it under.', 'attachment; filename="wattfeed-feeds.csv"'),
}

/** Describes the answers of an endpoint that serves a file: the whole, and a part of it. */
export function fileAnswers(description: string, type: string, example: string, errors: ErrorAnswers) {
  const content = { [type]: { schema: { type: 'string' as const }, example } }
  const contentRange = { 'Content-Range': header('Which bytes of how many.', 'bytes 0-99/4116') }
  return {
    200: { description, headers: describeHeaders(fileHeaders), content },
    206: {
      description: 'The bytes that Range asks for, uncompressed.',
      headers: describeHeaders({ ...fileHeaders, ...contentRange }),
      content,
    },
    ...describeErrors({ ...errors, 416: errorAnswers[416], ...chainErrors }),
  }
}
