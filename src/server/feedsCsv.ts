import { stringify } from 'csv-stringify/sync'
import type { Reading } from '../client/index.ts'
import {
  errorAnswers,
  exampleReading,
  ifNoneMatch,
  notModifiedAnswer,
  rangeParameters,
  textFileAnswers,
} from './apiDocs.ts'
import { createContent } from './content.ts'
import { dispositionOf } from './fileResponse.ts'
import type { AnswerHeaders } from './headers.ts'
import { createObjectMemo } from './memo.ts'

/** The media type of tables with a header. @see https://www.rfc-editor.org/rfc/rfc4180 */
const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * Formats rows as CSV: their keys are the header, and a cell that spreadsheets take for a formula gets a leading `'`.
 */
export const formatCsv = (columns: readonly string[], rows: readonly object[]): string =>
  stringify([...rows], {
    columns: [...columns],
    header: true,
    record_delimiter: 'windows',
    escape_formulas: true,
    // The library quotes a whole line break only.
    quoted_match: /[\r\n]/,
  })

const COLUMNS = ['feed_id', 'decimals', 'value', 'amount', 'period', 'source_hash', 'updated_at']

const SOURCE_HASH = /^[0-9a-f]{32}$/

// The hash is whatever the attester wrote, and free text stays out of tables.
const toRow = (reading: Pick<Reading, 'source_hash'>) => ({
  ...reading,
  source_hash: SOURCE_HASH.test(reading.source_hash) ? reading.source_hash : '',
})

/** Formats readings as a table, once per array. */
export const feedsCsv = createObjectMemo((readings: readonly Reading[]) =>
  createContent(formatCsv(COLUMNS, readings.map(toRow)), CSV_TYPE),
)

/** Adds the name of the file. */
export const asFeedsCsv = createObjectMemo(
  (headers: AnswerHeaders): AnswerHeaders => ({
    ...headers,
    'content-disposition': dispositionOf('wattfeed-feeds.csv'),
  }),
)

export const feedsCsvDetail = {
  operationId: 'listFeedsCsv',
  summary: 'List all feeds, as a table',
  description:
    "The newest value of every feed as CSV (RFC 4180, with a header). `amount` is exact and may exceed 64 bits: read it as text. `source_hash` is empty unless it is 32 hex digits. A cell that begins with `=`, `+`, `-`, `@`, a tab or CR has a leading `'`, so that no spreadsheet takes it for a formula.",
  tags: ['feeds'],
  parameters: [ifNoneMatch, ...rangeParameters],
  responses: {
    ...textFileAnswers('All values.', 'text/csv', formatCsv(COLUMNS, [exampleReading])),
    304: notModifiedAnswer,
    400: { ...errorAnswers[400], description: 'There are no parameters here.' },
    416: errorAnswers[416],
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}
