import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type DatasetBody, datasetsBody } from '../api/schemas.ts'
import { type Dataset, datasets, searchDatasets } from '../catalog/datasets.ts'
import { answerSchema } from './answerSchema.ts'
import { conditionalHeaders, contentHeaders, errorAnswers } from './apiDocs.ts'
import { createObjectMemo } from './memo.ts'

export interface Catalog {
  readonly datasets: readonly Dataset[]
  /** Returns the datasets whose route begins with `family` and that contain `q`; empty strings do not filter. */
  searchDatasets(filter: { family: string; q: string }): readonly Dataset[]
}

/** The built-in catalog. */
export const builtInCatalog: Catalog = { datasets, searchDatasets }

const datasetBodyOf = createObjectMemo(
  ({ route, name, frequencies, columns, facets }: Dataset): DatasetBody => ({
    route,
    name,
    frequencies: [...frequencies],
    columns: [...columns],
    facets: [...facets],
  }),
)

const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }))

// Elysia's own way with a query is this endpoint's rule: the last of a repeated parameter counts, malformed encoding is
// literal, and other names are ignored.
const query = Type.Object(
  {
    family: filter('Beginning of the route, case-sensitive.', 'petroleum/'),
    q: filter('Part of route, name or description, in any letter case.', 'cushing'),
  },
  { additionalProperties: true },
)

const detail = {
  operationId: 'listDatasets',
  summary: 'Search the catalog of EIA datasets',
  description:
    'Never touches the chain; always 200. `family` applies first, then `q`. The last of a repeated parameter counts, an empty one does not filter, malformed encoding is matched literally; `+` is a space.',
  tags: ['catalog'],
}

const datasetsAnswer = answerSchema('Datasets', datasetsBody, {
  description: 'The datasets that fit, in the order of the catalog.',
  headers: contentHeaders,
})

/** `GET /v1/datasets`: the catalog. Never touches the chain. */
export const createDatasets = (catalog: Catalog, cacheControl: string) =>
  new Elysia({ name: 'datasets' }).get(
    '/v1/datasets',
    ({ query: { family = '', q = '' }, set }) => {
      set.headers['cache-control'] = cacheControl
      const found = catalog.searchDatasets({ family, q })
      return { total: found.length, datasets: found.map(datasetBodyOf) }
    },
    { query, headers: conditionalHeaders, response: { 200: datasetsAnswer, 500: errorAnswers[500] }, detail },
  )
