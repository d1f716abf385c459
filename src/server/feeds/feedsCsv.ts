import type { Reading } from 'wattfeed'
import { allFeedsColumns, feedsColumns } from '../../tables/columns.ts'
import { CSV_TYPE, formatCsv } from '../../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../../tables/csvw.ts'
import { errorAnswers, exampleReading, fileAnswers, textAnswers } from '../http/apiDocs.ts'
import { type Content, createContent } from '../http/content.ts'
import { dispositionOf } from '../http/fileResponse.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { createVariantMemo } from '../http/memo.ts'
import { feedFilterParameters, fieldsParameter } from './feedFilter.ts'

export const feedsCsvParameters = {
  ...feedFilterParameters,
  fields: fieldsParameter(
    allFeedsColumns.map(({ name }) => name),
    {
      description: `Columns of the table, separated by commas. They keep the order of the table. Default: ${feedsColumns.map(({ name }) => name).join(', ')}.`,
      examples: ['feed_id,title,unit,frequency,value,period'],
    },
  ),
}

interface Selected {
  /** The names of columns, separated by commas. */
  fields?: string | undefined
}

function columnsOf({ fields }: Selected): typeof feedsColumns {
  if (fields === undefined) return feedsColumns
  const names = fields.split(',')
  return allFeedsColumns.filter(({ name }) => names.includes(name))
}

/** Formats readings as a CSV file, once per array and selection of columns. */
export const feedsCsv = createVariantMemo((readings: readonly Reading[], selected: Selected) =>
  createContent(formatCsv(columnsOf(selected), readings), CSV_TYPE),
)

const formatSearch = (search: string): string => (search === '' ? '' : `?${search}`)

/**
 * Returns headers with the name of the file and the link to its metadata.
 *
 * @param search the query as sent, which the link repeats
 */
export const feedsCsvHeaders = (search: string): AnswerHeaders => ({
  'content-disposition': dispositionOf('wattfeed-feeds.csv'),
  link: `</v1/feeds.csv-metadata.json${formatSearch(search)}>; rel="describedby"; type="${CSVW_TYPE}"`,
})

const metadataOf = (selected: Selected, search: string): object =>
  csvwOf({
    columns: columnsOf(selected),
    url: `feeds.csv${formatSearch(search)}`,
    about: { title: 'The newest value of every feed' },
  })

export const feedsCsvMetadata = (selected: Selected, search: string): Content =>
  createContent(JSON.stringify(metadataOf(selected, search)), CSVW_TYPE)

export const feedsCsvMetadataDetail = {
  operationId: 'listFeedsMetadata',
  summary: 'Describe the columns of the table of all feeds',
  description:
    'CSV on the Web metadata. Takes the parameters of the CSV, and describes the table at that URL. Units differ per feed; see /v1/feeds.',
  tags: ['feeds'],
  responses: textAnswers('The metadata.', CSVW_TYPE, metadataOf({}, ''), { 400: errorAnswers[400] }),
}

export const feedsCsvDetail = {
  operationId: 'listFeedsCsv',
  summary: 'List all feeds as CSV',
  description:
    'The newest value of every feed that the filters select, as CSV (RFC 4180, with a header). `fields` selects columns. Read `amount` as text: it may exceed 64 bits. The `source_hash` is empty unless it has 32 or 64 hex digits. Times are ISO 8601. A text that a spreadsheet would run as a formula is prefixed with an apostrophe.',
  tags: ['feeds'],
  responses: fileAnswers('All values.', 'text/csv', formatCsv(feedsColumns, [exampleReading]), {
    400: errorAnswers[400],
  }),
}
