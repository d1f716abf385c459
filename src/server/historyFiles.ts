import { Elysia } from 'elysia'
import type { HistoryPage } from '../history/feedHistory.ts'
import type { Column } from '../tables/column.ts'
import { type FeedRow, historyColumns } from '../tables/columns.ts'
import { CSV_TYPE, formatCsv } from '../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../tables/csvw.ts'
import { encodeTable } from '../tables/encodeTable.ts'
import { PARQUET_TYPE } from '../tables/parquet.ts'
import type { AnswerAt } from './answerAt.ts'
import { conditionalHeaders, errorAnswers, feedParams, fileAnswers, textAnswers } from './apiDocs.ts'
import { exampleHistory } from './apiExamples.ts'
import { dispositionOf } from './fileResponse.ts'
import { type AnswerHeaders, headersSet, versionAt } from './headers.ts'
import {
  type HistoryFormat,
  historyParameters,
  historySuffixes,
  readHistoryRequest,
} from './historyRequest.ts'
import { FeedNotFoundError } from './notFound.ts'
import { type Content, contentResponse, createContent } from './plugins/content.ts'
import { strictQuery } from './plugins/query.ts'
import { urlQuery } from './url.ts'

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
  createContent(await encodeTable({ format, columns, rows: pages.flatMap(rowsOf) }), types[format])

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

const exampleCsv = formatCsv(
  historyColumns(exampleHistory.frequency),
  exampleHistory.items.map((item) => ({ ...exampleHistory, ...item })),
)

/** The errors of a file of the past, in the OpenAPI document. */
const fileErrors = {
  400: errorAnswers[400],
  404: errorAnswers[404],
  409: errorAnswers[409],
  429: errorAnswers[429],
  503: errorAnswers[503],
}

/** The files in the OpenAPI document. */
export const fileDetails = {
  csv: {
    operationId: 'getHistoryCsv',
    summary: 'Read a feed’s past, as CSV',
    description:
      "The same rows as `/history`, as RFC 4180 with a header. `Link` names the next page and the metadata. `amount` may exceed 64 bits: read it as text. `source_hash` is empty unless it is 32 hex digits. Text that a spreadsheet would run as a formula has a `'` before it; numbers never do.",
    tags: ['feeds'],
    responses: fileAnswers('A page.', 'text/csv', exampleCsv, fileErrors),
  },
  parquet: {
    operationId: 'getHistoryParquet',
    summary: 'Read a feed’s past, as Parquet',
    description:
      'The same rows as `/history`: `period_start` is a date, of hourly feeds a timestamp, `attested_at` a timestamp, `value` a double, `amount` text, whole numbers are 64 bits. `Link` names the next page and the metadata.',
    tags: ['feeds'],
    responses: fileAnswers('A page: bytes from PAR1 to PAR1.', PARQUET_TYPE, 'PAR1…PAR1', fileErrors),
  },
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
  responses: textAnswers('The metadata.', CSVW_TYPE, metadataOf(exampleFeed, ''), {
    400: errorAnswers[400],
    404: errorAnswers[404],
    500: errorAnswers[500],
    502: errorAnswers[502],
  }),
}

/** `GET /v1/feeds/:id/history.csv-metadata.json`: what the columns of the CSV hold. */
export const createHistoryMetadata = (answerAt: AnswerAt) =>
  new Elysia({ name: 'historyMetadata' }).get(
    `/v1/feeds/:id${METADATA_SUFFIX}`,
    async ({ request, params: { id }, query, set }) => {
      readHistoryRequest(query, 'csv')
      const metadata = await answerAt(set, async (at) => {
        const feed = await at.getFeed(id)
        if (feed === null) throw new FeedNotFoundError(id, at.stateRootHash, await versionAt(at))
        return metadataOf({ feed_id: id, ...feed }, urlQuery(request.url))
      })
      return contentResponse(request, createContent(JSON.stringify(metadata), CSVW_TYPE), headersSet(set))
    },
    {
      params: feedParams,
      ...strictQuery(historyParameters.csv),
      headers: conditionalHeaders,
      detail: metadataDetail,
    },
  )
