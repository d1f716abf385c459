import type { Reading } from '../client/index.ts'
import { feedsColumns } from '../tables/columns.ts'
import { CSV_TYPE, formatCsv } from '../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../tables/csvw.ts'
import { errorAnswers, fileAnswers, textAnswers } from './apiDocs.ts'
import { exampleReading } from './apiExamples.ts'
import { dispositionOf } from './fileResponse.ts'
import { createObjectMemo } from './memo.ts'
import { createContent } from './plugins/content.ts'

/** Formats readings as a table, once per array. */
export const feedsCsv = createObjectMemo((readings: readonly Reading[]) =>
  createContent(formatCsv(feedsColumns, readings), CSV_TYPE),
)

/** Names the file, and what describes its columns. */
export const feedsCsvHeaders = {
  'content-disposition': dispositionOf('wattfeed-feeds.csv'),
  link: `</v1/feeds.csv-metadata.json>; rel="describedby"; type="${CSVW_TYPE}"`,
}

const metadata = csvwOf({
  columns: feedsColumns,
  url: 'feeds.csv',
  about: { title: 'The newest value of every feed', source: 'EIA' },
})

/** Describes the columns of the table. */
export const feedsCsvMetadata = createContent(JSON.stringify(metadata), CSVW_TYPE)

export const feedsCsvMetadataDetail = {
  operationId: 'listFeedsMetadata',
  summary: 'What the columns of the table of all feeds hold',
  description: 'CSV on the Web metadata. The units are in /v1/feeds: each feed has its own.',
  tags: ['feeds'],
  responses: textAnswers('The metadata.', CSVW_TYPE, metadata, { 400: errorAnswers[400] }),
}

export const feedsCsvDetail = {
  operationId: 'listFeedsCsv',
  summary: 'List all feeds, as a table',
  description:
    "The newest value of every feed as CSV (RFC 4180, with a header). `amount` is exact and may exceed 64 bits: read it as text. `source_hash` is empty unless it is 32 hex digits. `updated_at` is ISO 8601. Text that a spreadsheet would run as a formula has a `'` before it.",
  tags: ['feeds'],
  responses: fileAnswers('All values.', 'text/csv', formatCsv(feedsColumns, [exampleReading]), {
    400: errorAnswers[400],
  }),
}
