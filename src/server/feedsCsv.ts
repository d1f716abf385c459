import type { Reading } from '../client/index.ts'
import { feedsColumns } from '../tables/columns.ts'
import { CSV_TYPE, formatCsv } from '../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../tables/csvw.ts'
import { errorAnswers, fileAnswers, textAnswers } from './apiDocs.ts'
import { exampleReading } from './apiExamples.ts'
import { dispositionOf } from './fileResponse.ts'
import { createObjectMemo } from './memo.ts'
import { createContent } from './plugins/content.ts'

/** Formats readings as a CSV file, once per array. */
export const feedsCsv = createObjectMemo((readings: readonly Reading[]) =>
  createContent(formatCsv(feedsColumns, readings), CSV_TYPE),
)

/** Headers with the name of the file and the link to its metadata. */
export const feedsCsvHeaders = {
  'content-disposition': dispositionOf('wattfeed-feeds.csv'),
  link: `</v1/feeds.csv-metadata.json>; rel="describedby"; type="${CSVW_TYPE}"`,
}

const metadata = csvwOf({
  columns: feedsColumns,
  url: 'feeds.csv',
  about: { title: 'The newest value of every feed', source: 'EIA' },
})

export const feedsCsvMetadata = createContent(JSON.stringify(metadata), CSVW_TYPE)

export const feedsCsvMetadataDetail = {
  operationId: 'listFeedsMetadata',
  summary: 'Describe the columns of the table of all feeds',
  description: 'CSV on the Web metadata. Units differ per feed; see /v1/feeds.',
  tags: ['feeds'],
  responses: textAnswers('The metadata.', CSVW_TYPE, metadata, { 400: errorAnswers[400] }),
}

export const feedsCsvDetail = {
  operationId: 'listFeedsCsv',
  summary: 'List all feeds as CSV',
  description:
    'The newest value of every feed as CSV (RFC 4180, with a header). Read `amount` as text, because it is exact and may exceed 64 bits. The `source_hash` is empty unless it has 32 hex digits. Times are ISO 8601. A text that a spreadsheet would run as a formula is prefixed with an apostrophe.',
  tags: ['feeds'],
  responses: fileAnswers('All values.', 'text/csv', formatCsv(feedsColumns, [exampleReading]), {
    400: errorAnswers[400],
  }),
}
