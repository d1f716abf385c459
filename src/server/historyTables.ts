import { Elysia } from 'elysia'
import type { Client } from '../client/index.ts'
import { historiesColumns } from '../tables/columns.ts'
import { formatCsv } from '../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../tables/csvw.ts'
import { PARQUET_TYPE } from '../tables/parquet.ts'
import {
  errorAnswers,
  exampleHistory,
  fileAnswers,
  historyDetail,
  jsonAnswer,
  notModifiedAnswer,
  rangeParameters,
} from './apiDocs.ts'
import { contentResponse, createContent } from './content.ts'
import { fileResponse } from './fileResponse.ts'
import type { ChainHeaders } from './headers.ts'
import { type FileFormat, fileLimit, historyFileHeaders, METADATA_SUFFIX } from './historyFiles.ts'
import { formatHistoryTablePath, historySuffixes, parseHistoryTableRequest } from './historyQuery.ts'
import type { HistoryReader } from './historyReader.ts'
import { feedIds } from './query.ts'
import { urlQuery } from './url.ts'

export interface HistoryTablesOptions {
  client: Pick<Client, 'withSnapshot'>
  chainHeaders: ChainHeaders
  read: HistoryReader
}

/** `GET /v1/history.csv` and `.parquet`: the histories of several feeds in one table. */
export function createHistoryTables({ client, chainHeaders, read }: HistoryTablesOptions) {
  const respond = (request: Request, format: FileFormat): Promise<Response> => {
    const asked = { ...parseHistoryTableRequest(request.url), format, isTable: true, pin: null }
    return client.withSnapshot(async (at) => {
      const { content, next } = await read(at, asked)
      const response = await fileResponse(request, content, await chainHeaders(at))
      const own = historyFileHeaders({
        path: '/v1',
        name: 'wattfeed',
        format,
        next: next && formatHistoryTablePath(next, format),
        search: urlQuery(request.url),
      })
      for (const [name, value] of Object.entries(own)) response.headers.set(name, value)
      return response
    })
  }

  return new Elysia({ name: 'historyTables' })
    .get(`/v1${historySuffixes.csv}`, ({ request }) => respond(request, 'csv'), { detail: details.csv })
    .get(`/v1${historySuffixes.parquet}`, ({ request }) => respond(request, 'parquet'), {
      detail: details.parquet,
    })
    .get(
      `/v1${METADATA_SUFFIX}`,
      ({ request }) => {
        parseHistoryTableRequest(request.url)
        const metadata = JSON.stringify(metadataOf(urlQuery(request.url)))
        return contentResponse(request, createContent(metadata, CSVW_TYPE))
      },
      { detail: metadataDetail },
    )
}

const metadataOf = (search: string): object =>
  csvwOf({
    columns: historiesColumns,
    url: `history.csv?${search}`,
    about: { title: 'The histories of some feeds', source: 'EIA' },
  })

const ids = {
  name: 'id',
  in: 'query' as const,
  required: true,
  description: 'A feed id, repeated for each; no id twice.',
  schema: { type: 'array' as const, items: { type: 'string' as const }, minItems: 1, maxItems: feedIds.max },
  style: 'form' as const,
  explode: true,
  example: [exampleHistory.feed_id],
}

const otherParameters = historyDetail.parameters
  .filter(({ name }) => name !== 'from' && name !== 'pin')
  .map((each) => (each.name === 'limit' ? fileLimit : each))

const { 200: _, 409: __, ...errors } = historyDetail.responses

const RULES =
  'One row for each attestation of 1 to 100 feeds, feed after feed in the order asked for, all of one state root. `period_start` is a timestamp, of a day its midnight in UTC. The bounds are those of one feed’s file: 5,000 rows, and `Link` names the next page, in which `to` and `after` are about the first feed. A feed that is not registered is a 404 for the whole.'

const detailOf = (operationId: string, summary: string, answers: object) => ({
  operationId,
  summary,
  description: RULES,
  tags: ['feeds'],
  parameters: [ids, ...otherParameters, ...rangeParameters],
  responses: { ...answers, ...errors, 416: errorAnswers[416] },
})

const example = formatCsv(
  historiesColumns,
  exampleHistory.items.map((item) => ({ ...exampleHistory, ...item })),
)

const details = {
  csv: detailOf(
    'getHistoriesCsv',
    'Read the past of some feeds, as CSV',
    fileAnswers('A page.', 'text/csv', example),
  ),
  parquet: detailOf(
    'getHistoriesParquet',
    'Read the past of some feeds, as Parquet',
    fileAnswers('A page: bytes from PAR1 to PAR1.', PARQUET_TYPE, 'PAR1…PAR1'),
  ),
}

const metadataDetail = {
  operationId: 'getHistoriesMetadata',
  summary: 'What the columns of the CSV of some feeds hold',
  description:
    'CSV on the Web metadata. Takes the parameters of the CSV, and describes what that address answers. Never touches the chain.',
  tags: ['feeds'],
  parameters: [ids, ...otherParameters],
  responses: {
    200: jsonAnswer(
      'The metadata.',
      'TableMetadata',
      metadataOf(`id=${exampleHistory.feed_id}`),
      {},
      CSVW_TYPE,
    ),
    304: notModifiedAnswer,
    400: errors[400],
  },
}
