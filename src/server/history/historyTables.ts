import { Elysia } from 'elysia'
import { historiesColumns } from '../../tables/columns.ts'
import { formatCsv } from '../../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../../tables/csvw.ts'
import { PARQUET_TYPE } from '../../tables/parquet.ts'
import type { AnswerAt } from '../answerAt.ts'
import {
  conditionalHeaders,
  errorAnswers,
  exampleHistory,
  fileAnswers,
  fileRequestHeaders,
  historyErrors,
  textAnswers,
} from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { urlQuery } from '../http/paths.ts'
import { strictQuery } from '../http/strictQuery.ts'
import type { HistoryReader } from '../readers/historyReaders.ts'
import {
  type FileFormat,
  formatHistoryTablePath,
  type HistoryTableParameters,
  historySuffixes,
  historyTableParameters,
  readHistoryTableRequest,
} from '../readers/historyRequest.ts'
import { exampleRows, historyFileHeaders, historyMetadata } from './historyFiles.ts'

const metadataOf = (search: string): object =>
  csvwOf({
    columns: historiesColumns,
    url: `history.csv?${search}`,
    about: { title: 'The histories of several feeds' },
  })

const RULES =
  'One row per attestation of 1 to 100 feeds at one state root, feed by feed in the requested order. A page has at most 5,000 rows. `Link` has the next page. `to` and `after` apply to the first feed. Periods have timestamps; a day is midnight UTC. If any feed is not registered, the response is 404.'

const details = {
  csv: {
    operationId: 'getHistoriesCsv',
    summary: 'Read the histories of several feeds as CSV',
    description: RULES,
    tags: ['feeds'],
    responses: fileAnswers('A page.', 'text/csv', formatCsv(historiesColumns, exampleRows), historyErrors),
  },
  parquet: {
    operationId: 'getHistoriesParquet',
    summary: 'Read the histories of several feeds as Parquet',
    description: RULES,
    tags: ['feeds'],
    responses: fileAnswers('A page, as a Parquet file.', PARQUET_TYPE, 'PAR1…PAR1', historyErrors),
  },
}

const metadataDetail = {
  operationId: 'getHistoriesMetadata',
  summary: 'Describe the columns of the CSV of several feeds',
  description:
    'CSV on the Web metadata. Takes the parameters of the CSV, and describes the table at that URL. Does not read the chain.',
  tags: ['feeds'],
  responses: textAnswers('The metadata.', CSVW_TYPE, metadataOf(`id=${exampleHistory.feed_id}`), {
    400: errorAnswers[400],
  }),
}

interface Context {
  request: Request
  query: HistoryTableParameters
  set: { headers: Record<string, string | number> }
}

export function historyTables(answerAt: AnswerAt, readHistory: HistoryReader) {
  const answerAs =
    (format: FileFormat) =>
    async ({ request, query, set }: Context) => {
      const asked = { ...readHistoryTableRequest(query), format, isTable: true, pin: null }
      const { content, next } = await answerAt(set, (at) => readHistory(at, asked))
      const own = historyFileHeaders({
        path: '/v1',
        name: 'wattfeed',
        format,
        next: next && formatHistoryTablePath(next, format),
        search: urlQuery(request.url),
      })
      return fileResponse(request, content, { ...headersSet(set), ...own })
    }

  return new Elysia({ name: 'historyTables' })
    .get(`/v1${historySuffixes.csv}`, answerAs('csv'), {
      ...strictQuery(historyTableParameters),
      headers: fileRequestHeaders,
      detail: details.csv,
    })
    .get(`/v1${historySuffixes.parquet}`, answerAs('parquet'), {
      ...strictQuery(historyTableParameters),
      headers: fileRequestHeaders,
      detail: details.parquet,
    })
    .get(
      `/v1${historyMetadata}`,
      ({ request, query }) => {
        readHistoryTableRequest(query)
        const metadata = JSON.stringify(metadataOf(urlQuery(request.url)))
        return contentResponse(request, createContent(metadata, CSVW_TYPE))
      },
      { ...strictQuery(historyTableParameters), headers: conditionalHeaders, detail: metadataDetail },
    )
}
