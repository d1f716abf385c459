import { datasetFeedId } from '@wattfeed/dataset'
import { findDataset } from '@wattfeed/eia/catalog'
import { Elysia } from 'elysia'
import { FACET_PARAMETER, isByNewestRoot } from 'wattfeed/internal'
import { type SeriesTableBody, seriesTableBody } from '../../api/schemas.ts'
import { CSV_TYPE, formatCsv } from '../../tables/csv.ts'
import { CSVW_TYPE, csvwOf } from '../../tables/csvw.ts'
import { encodeTable } from '../../tables/encodeTable.ts'
import { indexedColumns, indexedRow } from '../../tables/leafColumns.ts'
import { PARQUET_TYPE } from '../../tables/parquet.ts'
import { clip, MAX_TITLE } from '../feedTexts.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  errorOf,
  fileAnswers,
  fileRequestHeaders,
  textAnswers,
} from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { dispositionOf, fileResponse } from '../http/fileResponse.ts'
import { headersSet } from '../http/headers.ts'
import { urlQuery } from '../http/paths.ts'
import { facetListQuery } from '../http/strictQuery.ts'
import { METADATA_SUFFIX, tableLink } from '../http/tableLink.ts'
import type { AttestedTables } from '../readers/attestedTables.ts'
import { type FoundTable, readTablePage } from '../readers/readTablePage.ts'
import { DatasetsUnsetError } from '../readers/seriesErrors.ts'
import {
  formatTablePath,
  readTableRequest,
  type TableFormat,
  type TableParameters,
  type TableRequest,
  tableParameters,
  tablePaths,
} from '../readers/tableRequest.ts'
import type { Server } from '../server.ts'
import { gone } from './seriesParameters.ts'

const errors = {
  400: errorAnswers[400],
  404: errorOf(
    'The dataset is not registered, or the server has no snapshots of datasets in a local folder: `DATASETS` is not set or names URLs. Or the snapshot has no index of tables.',
  ),
  410: gone,
  429: errorAnswers[429],
  503: errorOf('The server has no snapshot of the last 8 roots.'),
}

const tableAnswers = {
  200: answerSchema('SeriesTable', seriesTableBody, { description: 'A page.', headers: chainAnswerHeaders }),
  ...errors,
  ...chainErrors,
}

const RULES =
  'Leave a facet out for all of its codes, or repeat `facet.<id>` for several. Each row is checked against the root. The pages of a cursor are of one root.'

const tableDetail = {
  operationId: 'getSeriesTable',
  summary: 'Read a table of a dataset',
  description: `Rows of many series of a dataset, by one root on chain, in pages. ${RULES}`,
  tags: ['series'],
}

const example = {
  ...{ column: 'price', facets: { sectorid: 'RES', stateid: 'CA' }, period: '2026-09' },
  ...{ value: '31.72', unit: 'cents per kilowatt-hour', index: 417 },
}

const fileDetails = {
  csv: {
    operationId: 'getSeriesTableCsv',
    summary: 'Read a table of a dataset as CSV',
    description: `The rows of \`/v1/series/table\` as CSV. \`number\` is the double nearest to the value, and empty if that is not a number. \`Link\` has the next page and the metadata. ${RULES}`,
    tags: ['series'],
    responses: fileAnswers(
      'A page.',
      'text/csv',
      formatCsv(indexedColumns(['sectorid', 'stateid']), [indexedRow(example)]),
      errors,
    ),
  },
  parquet: {
    operationId: 'getSeriesTableParquet',
    summary: 'Read a table of a dataset as Parquet',
    description: `The rows of \`/v1/series/table\` as Parquet: \`number\` as a double, \`leaf_index\` as an integer, the others as text. \`Link\` has the next page and the metadata. ${RULES}`,
    tags: ['series'],
    responses: fileAnswers('A page, as a Parquet file.', PARQUET_TYPE, 'PAR1…PAR1', errors),
  },
}

const metadataOf = (
  { route, frequency, search }: Pick<TableParameters, 'route' | 'frequency'> & { search: string },
  facets: readonly string[],
): object =>
  csvwOf({
    columns: indexedColumns(facets),
    url: `table.csv?${search}`,
    about: {
      identifier: datasetFeedId(route, frequency),
      title: `${findDataset(route)?.name ?? clip(route, MAX_TITLE)}, ${clip(frequency, MAX_TITLE)}`,
      source: 'EIA',
    },
  })

const metadataDetail = {
  operationId: 'getSeriesTableMetadata',
  summary: 'Describe the columns of the CSV of a table of a dataset',
  description:
    'CSV on the Web metadata: data types, title, and the facets of the root that answers. Takes the parameters of the CSV, and describes the table at that URL.',
  tags: ['series'],
  responses: textAnswers(
    'The metadata.',
    CSVW_TYPE,
    metadataOf(
      {
        ...{ route: 'electricity/retail-sales', frequency: 'monthly' },
        search: 'route=electricity/retail-sales&frequency=monthly',
      },
      ['sectorid', 'stateid'],
    ),
    { ...errors, ...chainErrors },
  ),
}

const types = { csv: CSV_TYPE, parquet: PARQUET_TYPE } as const

interface Context {
  request: Request
  query: TableParameters
  set: { headers: Record<string, string | number> }
}

/** `GET /v1/series/table`, and the same as files. Without tables, the endpoints are off. */
export function seriesTable({ answerAt }: Pick<Server, 'answerAt'>, tables: AttestedTables | null) {
  const tablesOrThrow = (): AttestedTables => {
    if (tables === null) throw new DatasetsUnsetError()
    return tables
  }

  const answerAs =
    (format: 'csv' | 'parquet') =>
    async ({ request, query, set }: Context) => {
      const asked = readTableRequest(query, format)
      const found = await answerAt(set, (at) => readTablePage(tablesOrThrow(), at, asked))
      const rows = found.rows.map(indexedRow)
      const file = await encodeTable({ format, columns: indexedColumns(found.facets), rows })
      return fileResponse(request, createContent(file, types[format]), {
        ...headersSet(set),
        'content-disposition': dispositionOf(`${found.reading.feed_id}.${format}`),
        link: tableLink({
          csv: tablePaths.csv,
          search: urlQuery(request.url),
          next: nextOf(found, asked, format),
        }),
      })
    }

  return (
    new Elysia({ name: 'seriesTable' })
      // Before the query, which only matters if the endpoints are on.
      .onTransform(() => void tablesOrThrow())
      .get(
        tablePaths.json,
        ({ query, set }) => {
          const asked = readTableRequest(query, 'json')
          return answerAt(set, async (at) => bodyOf(await readTablePage(tablesOrThrow(), at, asked), asked))
        },
        {
          headers: conditionalHeaders,
          ...facetListQuery(tableParameters),
          response: tableAnswers,
          detail: tableDetail,
        },
      )
      .get(tablePaths.csv, answerAs('csv'), {
        ...facetListQuery(tableParameters),
        headers: fileRequestHeaders,
        detail: fileDetails.csv,
      })
      .get(tablePaths.parquet, answerAs('parquet'), {
        ...facetListQuery(tableParameters),
        headers: fileRequestHeaders,
        detail: fileDetails.parquet,
      })
      .get(
        `${tablePaths.csv}${METADATA_SUFFIX}`,
        async ({ request, query, set }) => {
          // Only the root knows its facets.
          const asked = { ...readTableRequest(query, 'csv'), limit: 1 }
          const { facets } = await answerAt(set, (at) => readTablePage(tablesOrThrow(), at, asked))
          const metadata = metadataOf({ ...query, search: urlQuery(request.url) }, facets)
          const content = createContent(JSON.stringify(metadata), CSVW_TYPE)
          return contentResponse(request, content, headersSet(set))
        },
        { ...facetListQuery(tableParameters), headers: conditionalHeaders, detail: metadataDetail },
      )
  )
}

const nextOf = ({ next }: FoundTable, asked: TableRequest, format: TableFormat): string | null =>
  next && formatTablePath(asked, next, format)

function bodyOf(found: FoundTable, asked: TableRequest): SeriesTableBody {
  const { reading, index, facets, total, complete, rows } = found
  const { route, frequency } = asked
  return {
    ...{ route, frequency, feed_id: reading.feed_id, root: reading.source_hash },
    ...{ size: Number(reading.amount), attested_at: reading.updated_at, index },
    ...{ is_newest_root: isByNewestRoot(found), total, complete },
    row_proof: rowProofOf(asked, facets, index),
    rows: rows.map(({ index: leaf_index, column, facets: named, period, value, unit }) => ({
      ...{ column, facets: { ...named }, period, value, unit, leaf_index },
    })),
    next: nextOf(found, asked, 'json'),
  }
}

/** The address of the proof of a row. Of what ids of facets may have, a template does not allow `-` in a name. */
function rowProofOf({ route, frequency }: TableRequest, facets: readonly string[], index: number): string {
  const dataset = new URLSearchParams({ route, frequency })
  const names = facets.map((id) => `${FACET_PARAMETER}${id}`)
  const ofFacets = names.map((name) => `&${name}={${name.replaceAll('-', '%2D')}}`).join('')
  return `/v1/series/proof?${dataset}&column={column}&period={period}${ofFacets}&index=${index}`
}
