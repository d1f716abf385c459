import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FACET_PARAMETER } from 'wattfeed/internal'
import { type SeriesRevisionsBody, seriesRevisionsBody } from '../../api/schemas.ts'
import { oneOf } from '../../runtime/settings/textTypes.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  errorOf,
  MAX_INDEX,
} from '../http/apiDocs.ts'
import { type FacetValues, facetQuery } from '../http/strictQuery.ts'
import { type Revisions, type RevisionsRequest, readRevisions } from '../readers/revisions.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import { nameParameter, seriesParameters } from './seriesParameters.ts'

const PATH = '/v1/series/revisions'

/** A root takes some tens of milliseconds if its snapshot is not open. */
const MAX_LIMIT = 50

const DEFAULT_LIMIT = 20

const query = facetQuery({
  ...seriesParameters,
  period: nameParameter("EIA's text of the period.", '2026-11-20'),
  order: Type.Optional(
    oneOf(['asc', 'desc'] as const, {
      description: 'Order of attestation: the oldest root first (`asc`, the default) or the newest (`desc`).',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Maximum number of roots; default ${DEFAULT_LIMIT}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_INDEX,
      description: 'Index of the first attestation of the page: from `next` of the page before.',
    }),
  ),
})

const answers = {
  200: answerSchema('SeriesRevisions', seriesRevisionsBody, {
    description: 'A page.',
    headers: chainAnswerHeaders,
  }),
  400: errorAnswers[400],
  404: errorOf(
    'The dataset is not registered, or the server has no snapshots of datasets: `DATASETS` is not set.',
  ),
  ...chainErrors,
  503: errorOf('The server of the files does not answer.'),
}

const detail = {
  operationId: 'getSeriesRevisions',
  summary: 'List what each root says of a value',
  description:
    'What each root of a dataset says of the value of a series for one period, in the order of attestation, in pages. A root whose files the server does not have is `gone`. Each of the others can be proven by itself.',
  tags: ['series'],
}

interface Asked {
  route: string
  frequency: string
  column: string
  facets: FacetValues
  period: string
  order?: 'asc' | 'desc' | undefined
  limit?: number | undefined
  cursor?: number | undefined
}

/** `GET /v1/series/revisions`. */
export const seriesRevisions = ({ answerAt }: Pick<Server, 'answerAt'>, reader: () => SeriesReader) =>
  new Elysia({ name: 'seriesRevisions' }).get(
    PATH,
    ({ query, set }) => {
      const request = requestOf(query)
      return answerAt(set, async (at) => bodyOf(request, await readRevisions(reader(), at, request)))
    },
    { headers: conditionalHeaders, ...query, response: answers, detail },
  )

function requestOf(asked: Asked): RevisionsRequest {
  const { order = 'asc', limit = DEFAULT_LIMIT, cursor = null, ...series } = asked
  const { route, frequency, column, facets, period } = series
  return { series: { route, frequency, column, facets, period }, order, limit, start: cursor }
}

function bodyOf(request: RevisionsRequest, { feedId, count, items, next }: Revisions): SeriesRevisionsBody {
  const { route, frequency, column, facets, period } = request.series
  return {
    ...{ route, frequency, column, facets: { ...facets }, period, feed_id: feedId, count, items },
    next: next === null ? null : formatPath(request, next),
  }
}

function formatPath({ series, order, limit }: RevisionsRequest, cursor: number): string {
  const { route, frequency, column, facets, period } = series
  const ofFacets = Object.entries(facets).map(
    ([id, code]) => [`${FACET_PARAMETER}${id}`, code ?? ''] as const,
  )
  const pairs = [
    ...Object.entries({ route, frequency, column, period }),
    ...ofFacets,
    ...Object.entries({ order, limit: String(limit), cursor: String(cursor) }),
  ]
  return `${PATH}?${new URLSearchParams(pairs.map(([name, text]) => [name, text]))}`
}
