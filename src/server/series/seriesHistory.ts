import { type DatasetSeries, datasetFeedId } from '@wattfeed/dataset'
import { findDataset } from '@wattfeed/eia/catalog'
import { Elysia } from 'elysia'
import type { RangeProof } from 'wattfeed'
import { type RangeProofBody, rangeProofBody, seriesHistoryBody } from '../../api/schemas.ts'
import { CSV_TYPE } from '../../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../../tables/csvw.ts'
import { encodeTable } from '../../tables/encodeTable.ts'
import { PARQUET_TYPE } from '../../tables/parquet.ts'
import { seriesColumns } from '../../tables/seriesColumns.ts'
import { seriesPairs, seriesTitle } from '../../web/site/seriesPath.ts'
import { clip, MAX_TITLE } from '../feedTexts.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  errorOf,
  fileAnswers,
  fileRequestHeaders,
  proofFrom,
  textAnswers,
} from '../http/apiDocs.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { dispositionOf, fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { urlQuery } from '../http/paths.ts'
import { type FacetValues, facetQuery } from '../http/strictQuery.ts'
import { METADATA_SUFFIX, tableLink } from '../http/tableLink.ts'
import type { FileFormat } from '../readers/historyRequest.ts'
import { proofBodyOf } from '../readers/proofBody.ts'
import { rangeBodyOf, rangeRowsOf } from '../readers/rangeBody.ts'
import {
  nextPathOf,
  type RangeFormat,
  type RangeParameters,
  rangeParameters,
  rangePaths,
  readRangeRequest,
} from '../readers/rangeRequest.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import { absent, gone, noSnapshot, seriesParameters } from './seriesParameters.ts'

const checkProof = createBodyCheck(rangeProofBody, ChainDataError)

const queryOf = (format: RangeFormat) => facetQuery({ ...seriesParameters, ...rangeParameters(format) })

const errors = {
  400: errorOf(`${errorAnswers[400].json.description} Or the range has more values than a proof may have.`),
  404: errorOf(absent),
  410: gone,
  503: errorOf(
    `${noSnapshot} Or it lacks only that of the newest root, and an earlier root has no value of the range.`,
  ),
}

const answers = {
  200: answerSchema('SeriesHistory', seriesHistoryBody, {
    description: 'A page.',
    headers: chainAnswerHeaders,
  }),
  ...errors,
  ...chainErrors,
}

const proofAnswers = {
  429: errorAnswers[429],
  200: answerSchema('SeriesRangeProof', rangeProofBody, {
    description: 'The proof.',
    headers: contentHeaders,
  }),
  ...errors,
  ...chainErrors,
}

const RULES =
  'Pass every facet of the dataset as `facet.<id>`. All values are checked against one root on chain, and so is that none is missing. A cursor names that root: the pages of one cursor are by one root, and if its files are gone, the answer is 410.'

const detailOf = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
  tags: ['series'],
})

const metadataOf = (series: DatasetSeries, search: string): object =>
  csvwOf({
    columns: seriesColumns(series.frequency),
    url: `history.csv?${search}`,
    about: {
      identifier: datasetFeedId(series.route, series.frequency),
      title: clip(seriesTitle(findDataset(series.route)?.name ?? series.route, series), MAX_TITLE),
      source: 'EIA',
    },
  })

const exampleSeries: DatasetSeries = {
  ...{ route: 'electricity/retail-sales', frequency: 'monthly', column: 'price' },
  facets: { sectorid: 'RES', stateid: 'CA' },
}

const exampleSearch = new URLSearchParams(seriesPairs(exampleSeries)).toString()

const details = {
  json: detailOf(
    'getSeriesHistory',
    'Read the history of a series of a dataset',
    `The values of a series by one root of its dataset, in the order of periods, in pages. ${RULES}`,
  ),
  csv: {
    ...detailOf(
      'getSeriesHistoryCsv',
      'Read the history of a series of a dataset as CSV',
      'The values of `/v1/series/history` as CSV (RFC 4180, with a header). `number` is the double nearest to the value, and empty if that is not a number. The `Link` header has the next page and the metadata.',
    ),
    responses: fileAnswers(
      'A page.',
      'text/csv',
      'period,period_start,period_end,value,number,unit,leaf_index\r\n2026-08,2026-08-01,2026-08-31,24.11,24.11,cents per kilowatt-hour,417\r\n',
      errors,
    ),
  },
  parquet: {
    ...detailOf(
      'getSeriesHistoryParquet',
      'Read the history of a series of a dataset as Parquet',
      'The columns of the CSV as Parquet. Types: `period_start` and `period_end` are dates (timestamps for hourly series), `number` a double, `leaf_index` an integer with 64 bits, the others text. The `Link` header has the next page and the metadata.',
    ),
    responses: fileAnswers('A page, as a Parquet file.', PARQUET_TYPE, 'PAR1…PAR1', errors),
  },
  metadata: {
    ...detailOf(
      'getSeriesHistoryMetadata',
      'Describe the columns of the CSV of a series of a dataset',
      'CSV on the Web metadata: data types and title. Takes the parameters of the CSV, and describes the table at that URL. Reads neither the chain nor the dataset.',
    ),
    responses: textAnswers('The metadata.', CSVW_TYPE, metadataOf(exampleSeries, exampleSearch), {
      400: errorAnswers[400],
      404: errorOf('The server has no snapshots of datasets: `DATASETS` is not set.'),
    }),
  },
  proof: detailOf(
    'getSeriesHistoryProof',
    'Get a proof of the history of a series of a dataset',
    'All values of the range with the leaves beside them, and the proof of the root. Check it offline like the proof of a reading. A range without values proves that there are none.',
  ),
}

interface Context {
  request: Request
  query: RangeParameters & { route: string; frequency: string; column: string; facets: FacetValues }
  set: { headers: Record<string, string | number> }
}

/** `GET /v1/series/history`, as JSON, CSV or Parquet, and its proof. */
export function seriesHistory({ answerAt }: Pick<Server, 'answerAt'>, reader: () => SeriesReader) {
  const answerAs =
    (format: FileFormat) =>
    async ({ request, query, set }: Context) => {
      const asked = readRangeRequest(query, format)
      const found = await answerAt(set, (at) => reader().readRange(at, asked))
      const table = { format, columns: seriesColumns(query.frequency), rows: rangeRowsOf(query, found) }
      const content = createContent(await encodeTable(table), format === 'csv' ? CSV_TYPE : PARQUET_TYPE)
      return fileResponse(request, content, {
        ...headersSet(set),
        'content-disposition': dispositionOf(`${query.route.replaceAll('/', '.')}.${query.column}.${format}`),
        link: tableLink({
          csv: rangePaths.csv,
          search: urlQuery(request.url),
          next: nextPathOf(query, found, format),
        }),
      })
    }

  return new Elysia({ name: 'seriesHistory' })
    .get(
      rangePaths.json,
      ({ query, set }) =>
        answerAt(set, async (at) =>
          rangeBodyOf(query, await reader().readRange(at, readRangeRequest(query, 'json'))),
        ),
      { headers: conditionalHeaders, ...queryOf('json'), response: answers, detail: details.json },
    )
    .get(rangePaths.csv, answerAs('csv'), {
      headers: fileRequestHeaders,
      ...queryOf('csv'),
      detail: details.csv,
    })
    .get(rangePaths.parquet, answerAs('parquet'), {
      headers: fileRequestHeaders,
      ...queryOf('parquet'),
      detail: details.parquet,
    })
    .get(
      `${rangePaths.csv}${METADATA_SUFFIX}`,
      ({ request, query }) => {
        readRangeRequest(query, 'csv')
        const metadata = JSON.stringify(metadataOf(query, urlQuery(request.url)))
        return contentResponse(request, createContent(metadata, CSVW_TYPE))
      },
      { headers: conditionalHeaders, ...queryOf('csv'), detail: details.metadata },
    )
    .get(
      rangePaths.proof,
      async ({ query: { from = null, ...query } }) =>
        proofBody(await reader().proveRange(readRangeRequest(query, 'proof'), from)),
      {
        headers: conditionalHeaders,
        ...facetQuery({ ...seriesParameters, ...rangeParameters('proof'), from: proofFrom }),
        response: proofAnswers,
        detail: details.proof,
      },
    )
}

function proofBody(proof: RangeProof): RangeProofBody {
  const { range, leaves, hashes, root } = proof
  const body = {
    ...proof,
    range: { ...range, facets: { ...range.facets } },
    leaves: leaves.map((leaf) => [...leaf]),
    hashes: [...hashes],
    root: proofBodyOf(root),
  }
  return checkProof(body, `the proof of a range of ${range.route}`)
}
