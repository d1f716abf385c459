import { Elysia } from 'elysia'
import { type DatasetBody, datasetBody } from '../api/schemas.ts'
import { type Dataset, datasets, searchDatasets } from '../catalog/datasets.ts'
import { contentHeaders, errorAnswers, ifNoneMatch, jsonAnswer, notModifiedAnswer } from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { createObjectMemo, createTextMemo } from './memo.ts'
import { urlQuery } from './url.ts'

export interface Catalog {
  readonly datasets: readonly Dataset[]
  /** Returns the datasets whose route begins with `family` and that contain `q`; empty strings do not filter. */
  searchDatasets(filter: { family: string; q: string }): readonly Dataset[]
}

/** The built-in catalog. */
export const builtInCatalog: Catalog = { datasets, searchDatasets }

const checkDataset = createBodyCheck(datasetBody, 'server')

const toBody = ({ route, name, frequencies, columns, facets }: Dataset): DatasetBody => ({
  route,
  name,
  frequencies: [...frequencies],
  columns: [...columns],
  facets: [...facets],
})

const datasetText = createObjectMemo((dataset: Dataset) =>
  checkDataset(toBody(dataset), `the dataset "${dataset.route}"`),
)

/** Formats datasets as JSON, each only once. @throws {BodySchemaError} */
const datasetsJson = (datasets: readonly Dataset[]): string =>
  `{"total":${datasets.length},"datasets":[${datasets.map(datasetText).join(',')}]}`

const MAX_REMEMBERED_ANSWERS = 100

/** `GET /v1/datasets`: the catalog. Never touches the chain. */
export function createDatasets(catalog: Catalog, cacheControl: string) {
  const headers = { 'cache-control': cacheControl }
  const answers = createTextMemo<Content>(MAX_REMEMBERED_ANSWERS)
  return new Elysia({ name: 'datasets' }).get(
    '/v1/datasets',
    ({ request }) => {
      const filter = parseDatasetQuery(urlQuery(request.url))
      const content = answers(JSON.stringify(filter), () =>
        createContent(datasetsJson(catalog.searchDatasets(filter))),
      )
      return contentResponse(request, content, headers)
    },
    { detail },
  )
}

const filter = (name: string, description: string, example: string) => ({
  name,
  in: 'query' as const,
  required: false,
  description,
  schema: { type: 'string' as const },
  example,
})

const detail = {
  operationId: 'listDatasets',
  summary: 'Search the catalog of EIA datasets',
  description:
    'Never touches the chain; always 200. `family` applies first, then `q`. The last of a repeated parameter counts, an empty one does not filter, malformed encoding is matched literally; `+` is a space.',
  tags: ['catalog'],
  parameters: [
    filter('family', 'Beginning of the route, case-sensitive.', 'petroleum/'),
    filter('q', 'Part of route, name or description, in any letter case.', 'cushing'),
    ifNoneMatch,
  ],
  responses: {
    200: jsonAnswer(
      'The datasets that fit, in the order of the catalog.',
      'Datasets',
      {
        total: 1,
        datasets: [
          {
            route: 'petroleum/stoc/cu',
            name: 'Crude Oil Stocks at Tank Farms & Pipelines',
            frequencies: ['monthly', 'annual'],
            columns: ['value'],
            facets: ['duoarea', 'product', 'process', 'series'],
          },
        ],
      },
      contentHeaders,
    ),
    304: notModifiedAnswer,
    500: errorAnswers[500],
  },
}

/** How datasets are filtered; an empty string does not filter. */
export interface DatasetQuery {
  family: string
  q: string
}

/** Decodes a form-encoded part of a query; returns it unchanged if it is malformed. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/**
 * Parses the filters of `GET /v1/datasets` from a raw query. Never fails: the last of a repeated parameter counts,
 * malformed encoding is taken literally, and other names are ignored.
 *
 * @see https://url.spec.whatwg.org/#urlencoded-parsing
 */
export function parseDatasetQuery(query: string): DatasetQuery {
  const found: DatasetQuery = { family: '', q: '' }
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals))
    if (name === 'family' || name === 'q')
      found[name] = equals === -1 ? '' : decodePart(pair.slice(equals + 1))
  }
  return found
}
