import { historyColumns } from '../../tables/columns.ts'
import { formatCsv } from '../../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../../tables/csvw.ts'
import { PARQUET_TYPE } from '../../tables/parquet.ts'
import {
  chainErrors,
  errorAnswers,
  exampleHistory,
  fileAnswers,
  historyErrors,
  textAnswers,
} from '../http/apiDocs.ts'
import { dispositionOf } from '../http/fileResponse.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { METADATA_SUFFIX, tableLink } from '../http/tableLink.ts'
import { type FileFormat, historySuffixes } from '../readers/historyRequest.ts'

/** What follows the path of a feed, or of all, in that of the metadata of the CSV. */
export const historyMetadata = `${historySuffixes.csv}${METADATA_SUFFIX}`

export interface HistoryFile {
  /** Path before the suffix of the format. */
  path: string
  /** File name without suffix. */
  name: string
  format: FileFormat
  /** Path of the next page; null after the last. */
  next: string | null
  /** The query as sent. The URL of the metadata repeats it. */
  search: string
}

export function historyFileHeaders({ path, name, format, next, search }: HistoryFile): AnswerHeaders {
  const link = tableLink({ csv: `${path}${historySuffixes.csv}`, search, next })
  return { 'content-disposition': dispositionOf(fileNameOf(name, format)), link }
}

const MAX_NAME_LENGTH = 100

// Cut between code points, because a lone surrogate cannot be encoded.
const fileNameOf = (name: string, format: FileFormat): string =>
  `${[...name].slice(0, MAX_NAME_LENGTH).join('')}.history.${format}`

type Described = Record<'feed_id' | 'title' | 'description' | 'source' | 'unit' | 'frequency', string>

export const metadataOf = (
  { feed_id, title, description, source, unit, frequency }: Described,
  search: string,
): object =>
  csvwOf({
    columns: historyColumns(frequency),
    url: `history.csv${search && `?${search}`}`,
    about: { identifier: feed_id, title, description, source },
    details: { value: { 'schema:unitText': unit } },
  })

export const exampleRows = exampleHistory.items.map((item) => ({ ...exampleHistory, ...item }))

const exampleCsv = formatCsv(historyColumns(exampleHistory.frequency), exampleRows)

const fileErrors = { ...historyErrors, 409: errorAnswers[409] }

export const fileDetails = {
  csv: {
    operationId: 'getHistoryCsv',
    summary: 'Read the history of a feed as CSV',
    description:
      'The rows of `/history` as CSV (RFC 4180, with a header). The `Link` header has the next page and the metadata. Read `amount` as text: it may exceed 64 bits. The `source_hash` is empty unless it has 32 or 64 hex digits. Text that a spreadsheet would run as a formula is prefixed with an apostrophe; a number never is.',
    tags: ['feeds'],
    responses: fileAnswers('A page.', 'text/csv', exampleCsv, fileErrors),
  },
  parquet: {
    operationId: 'getHistoryParquet',
    summary: 'Read the history of a feed as Parquet',
    description:
      'The rows of `/history` as Parquet. Types: `period_start` and `period_end` are dates (timestamps for hourly feeds), `attested_at` a timestamp, `value` a double, `amount` text. Integers have 64 bits. The `Link` header has the next page and the metadata.',
    tags: ['feeds'],
    responses: fileAnswers('A page, as a Parquet file.', PARQUET_TYPE, 'PAR1…PAR1', fileErrors),
  },
}

const exampleFeed: Described = {
  ...exampleHistory,
  title: 'NG PRICE HENRYHUB DAILY',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  source: 'EIA',
}

export const metadataDetail = {
  operationId: 'getHistoryMetadata',
  summary: 'Describe the columns of a feed’s history CSV',
  description:
    'CSV on the Web metadata: data types, unit, title and source. Takes the parameters of the CSV, and describes the table at that URL.',
  tags: ['feeds'],
  responses: textAnswers('The metadata.', CSVW_TYPE, metadataOf(exampleFeed, ''), {
    400: errorAnswers[400],
    404: errorAnswers[404],
    ...chainErrors,
  }),
}
