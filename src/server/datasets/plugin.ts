import { Type } from '@sinclair/typebox'
import { type Dataset, searchDatasets } from '@wattfeed/eia/catalog'
import { Elysia } from 'elysia'
import { type DatasetBody, type DatasetsBody, datasetsBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import { conditionalHeaders, contentHeaders, errorAnswers, familyParameter } from '../http/apiDocs.ts'
import { formatCacheControl } from '../http/headers.ts'
import { createObjectMemo, createVariantMemo } from '../http/memo.ts'
import { newestOnly } from '../http/strictQuery.ts'

export interface Catalog {
  /** Returns the datasets whose route starts with `family` and that contain all words of `q`. An empty string does not filter. */
  searchDatasets(filter: { family: string; q: string }): readonly Dataset[]
}

export const builtInCatalog: Catalog = { searchDatasets }

const datasetBodyOf = createObjectMemo(
  ({ route, name, frequencies, columns, facets }: Dataset): DatasetBody => ({
    route,
    name,
    frequencies: [...frequencies],
    columns: [...columns],
    facets: [...facets],
  }),
)

const datasetsBodyOf = createVariantMemo(
  (catalog: Catalog, filter: { family: string; q: string }): DatasetsBody => {
    const found = catalog.searchDatasets(filter)
    return { total: found.length, datasets: found.map(datasetBodyOf) }
  },
)

// This endpoint uses Elysia's lenient parser: the last value of a repeated parameter counts, malformed encoding is taken
// literally, and unknown parameters are ignored, but for those of another time.
const query = Type.Object(
  {
    family: familyParameter,
    q: Type.Optional(
      Type.String({
        description: 'Words that must all occur in the route, name or description, in any case and order.',
        examples: ['stocks cushing'],
      }),
    ),
  },
  { additionalProperties: true },
)

const detail = {
  operationId: 'listDatasets',
  summary: 'Search the catalog of EIA datasets',
  description:
    'Does not read the chain. Both filters apply. The last value of a repeated parameter counts, and an empty value does not filter. `+` is a space. Malformed encoding is matched literally, and never an error. Parameters that select another time (`as_of`, `period`, `period_from`, `period_to`, `vintages`) are a 400.',
  tags: ['catalog'],
}

const datasetsAnswer = answerSchema('Datasets', datasetsBody, {
  description: 'The matching datasets, in the order of the catalog.',
  headers: contentHeaders,
})

interface DatasetsOptions {
  catalog?: Catalog
  /** How long caches may reuse responses, in seconds; with 0 they revalidate each time. @default 0 */
  cacheMaxAgeS?: number
}

export const datasets = ({ catalog = builtInCatalog, cacheMaxAgeS = 0 }: DatasetsOptions) =>
  new Elysia({ name: 'datasets' }).get(
    '/v1/datasets',
    ({ query: { family = '', q = '' }, set }) => {
      set.headers['cache-control'] = formatCacheControl(cacheMaxAgeS)
      return datasetsBodyOf(catalog, { family, q })
    },
    {
      query,
      ...newestOnly,
      headers: conditionalHeaders,
      response: { 200: datasetsAnswer, 400: errorAnswers[400], 500: errorAnswers[500] },
      detail,
    },
  )
