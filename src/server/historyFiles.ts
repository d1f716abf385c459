import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Client } from '../client/index.ts'
import type { HistoryPage } from '../history/feedHistory.ts'
import type { Column } from '../tables/column.ts'
import { type FeedRow, historyColumns } from '../tables/columns.ts'
import { CSV_TYPE, formatCsv } from '../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../tables/csvw.ts'
import { formatTable } from '../tables/formatTable.ts'
import { PARQUET_TYPE } from '../tables/parquet.ts'
import {
  chainAnswerHeaders,
  errorAnswers,
  exampleHistory,
  fileAnswers,
  historyDetail,
  jsonAnswer,
  rangeParameters,
} from './apiDocs.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { FeedNotFoundError } from './errorResponse.ts'
import { dispositionOf } from './fileResponse.ts'
import { type AnswerHeaders, type ChainHeaders, versionAt } from './headers.ts'
import { type HistoryFormat, historySuffixes, parseHistoryRequest } from './historyQuery.ts'
import { feedIdFromUrl, urlQuery } from './url.ts'

export type FileFormat = Exclude<HistoryFormat, 'json'>

const types: Record<FileFormat, string> = { csv: CSV_TYPE, parquet: PARQUET_TYPE }

/** Follows the id in the path of what describes the CSV. */
export const METADATA_SUFFIX = `${historySuffixes.csv}-metadata.json`

/** Makes the file of the pages of one feed, or of several. */
export const createHistoryFile = async (
  format: FileFormat,
  columns: readonly Column<keyof FeedRow>[],
  pages: readonly HistoryPage[],
): Promise<Content> =>
  createContent(await formatTable({ format, columns, rows: pages.flatMap(rowsOf) }), types[format])

const rowsOf = ({ feed_id, unit, items }: HistoryPage): FeedRow[] =>
  items.map((item) => ({ feed_id, unit, ...item }))

export interface HistoryFile {
  /** What comes before the suffix of the format in the path. */
  path: string
  /** To save it under. */
  name: string
  format: FileFormat
  /** Path of the next page; null after the last. */
  next: string | null
  /** The query as sent, which the address of the metadata has, too. */
  search: string
}

/** Returns the headers that a page's file has beside those of other answers. */
export function historyFileHeaders({ path, name, format, next, search }: HistoryFile): AnswerHeaders {
  const links = [
    // First, as the validator `csvw` warns of any link before it.
    `<${path}${METADATA_SUFFIX}${search && `?${search}`}>; rel="describedby"; type="${CSVW_TYPE}"`,
    ...(next === null ? [] : [`<${next}>; rel="next"`]),
  ]
  return { 'content-disposition': dispositionOf(fileNameOf(name, format)), link: links.join(', ') }
}

const MAX_NAME_LENGTH = 100

// By whole characters: half of one could not be encoded.
const fileNameOf = (name: string, format: FileFormat): string =>
  `${[...name].slice(0, MAX_NAME_LENGTH).join('')}.history.${format}`

export interface HistoryMetadataOptions {
  client: Pick<Client, 'withSnapshot'>
  chainHeaders: ChainHeaders
}

/** `GET /v1/feeds/:id/history.csv-metadata.json`: what the columns of the CSV hold. */
export function createHistoryMetadata({ client, chainHeaders }: HistoryMetadataOptions) {
  return new Elysia({ name: 'historyMetadata' }).get(
    `/v1/feeds/:id${METADATA_SUFFIX}`,
    ({ request }) => {
      const feedId = feedIdFromUrl(request.url, METADATA_SUFFIX)
      parseHistoryRequest(request.url, 'csv')
      return client.withSnapshot(async (at) => {
        const feed = await at.getFeed(feedId)
        if (feed === null) throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
        const metadata = metadataOf({ feed_id: feedId, ...feed }, urlQuery(request.url))
        const content = createContent(JSON.stringify(metadata), CSVW_TYPE)
        return contentResponse(request, content, await chainHeaders(at))
      })
    },
    { params, detail: metadataDetail },
  )
}

type Described = Record<'feed_id' | 'title' | 'description' | 'source' | 'unit' | 'frequency', string>

const metadataOf = (
  { feed_id, title, description, source, unit, frequency }: Described,
  search: string,
): object =>
  csvwOf({
    columns: historyColumns(frequency),
    url: `history.csv${search && `?${search}`}`,
    about: { identifier: feed_id, title, description, source },
    details: { value: { 'schema:unitText': unit } },
  })

/** The path's parameters in the OpenAPI document. */
export const params = Type.Object({
  id: Type.Any({ type: 'string', description: 'The feed id, as for /v1/feeds/{id}.' }),
})

/** In the OpenAPI document. */
export const fileLimit = {
  name: 'limit',
  in: 'query' as const,
  required: false,
  description: 'Rows at most; 5,000 if left out.',
  schema: { type: 'integer' as const, minimum: 1, maximum: 5_000 },
}

const parameters = historyDetail.parameters.map((each) => (each.name === 'limit' ? fileLimit : each))

const { 200: _, ...errors } = historyDetail.responses

/** A file in the OpenAPI document. */
const detailOf = (operationId: string, summary: string, description: string, answers: object) => ({
  operationId,
  summary,
  description,
  tags: ['feeds'],
  parameters: [...parameters, ...rangeParameters],
  responses: { ...answers, ...errors, 416: errorAnswers[416] },
})

/** The files in the OpenAPI document. */
export const fileDetails = {
  csv: detailOf(
    'getHistoryCsv',
    'Read a feed’s past, as CSV',
    "The same rows as `/history`, as RFC 4180 with a header. `Link` names the next page and the metadata. `amount` may exceed 64 bits: read it as text. `source_hash` is empty unless it is 32 hex digits. Text that a spreadsheet would run as a formula has a `'` before it; numbers never do.",
    fileAnswers(
      'A page.',
      'text/csv',
      formatCsv(
        historyColumns(exampleHistory.frequency),
        exampleHistory.items.map((item) => ({ ...exampleHistory, ...item })),
      ),
    ),
  ),
  parquet: detailOf(
    'getHistoryParquet',
    'Read a feed’s past, as Parquet',
    'The same rows as `/history`: `period_start` is a date, of hourly feeds a timestamp, `attested_at` a timestamp, `value` a double, `amount` text, whole numbers are 64 bits. `Link` names the next page and the metadata.',
    fileAnswers('A page: bytes from PAR1 to PAR1.', PARQUET_TYPE, 'PAR1…PAR1'),
  ),
}

const exampleFeed: Described = {
  ...exampleHistory,
  title: 'NG PRICE HENRYHUB DAILY',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  source: 'EIA',
}

const metadataDetail = {
  operationId: 'getHistoryMetadata',
  summary: 'What the columns of a feed’s CSV hold',
  description:
    'CSV on the Web metadata: datatypes, unit, title and source. Takes the parameters of the CSV, and describes what that address answers.',
  tags: ['feeds'],
  parameters,
  responses: {
    200: jsonAnswer(
      'The metadata.',
      'TableMetadata',
      metadataOf(exampleFeed, ''),
      chainAnswerHeaders,
      CSVW_TYPE,
    ),
    304: errors[304],
    400: errors[400],
    404: errors[404],
    500: errors[500],
    502: errors[502],
  },
}
