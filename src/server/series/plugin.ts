import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { SeriesProof } from 'wattfeed'
import type { SeriesAt } from 'wattfeed/internal'
import {
  attestedDatasetsBody,
  codesBody,
  type SeriesProofBody,
  seriesAbsenceBody,
  seriesBody,
  seriesProofBody,
} from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  errorOf,
  proofFrom,
} from '../http/apiDocs.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { type FacetValues, facetQuery, strictQuery } from '../http/strictQuery.ts'
import { attestedDatasets, attestedDatasetsBodyOf } from '../readers/attestedDatasets.ts'
import { codesBodyOf } from '../readers/codesBody.ts'
import { proofBodyOf } from '../readers/proofBody.ts'
import { type RootParameters, rootAtOf, rootParameters } from '../readers/rootParameters.ts'
import { seriesBodyOf } from '../readers/seriesBody.ts'
import { DatasetsUnsetError } from '../readers/seriesErrors.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import { seriesHistory } from './seriesHistory.ts'
import {
  absent,
  datasetParameters,
  gone,
  nameParameter,
  noSnapshot,
  seriesParameters,
} from './seriesParameters.ts'
import { seriesRevisions } from './seriesRevisions.ts'

const checkProof = createBodyCheck(seriesProofBody, ChainDataError)

const parameters = {
  ...seriesParameters,
  period: Type.Optional(
    nameParameter("EIA's text of the period; by default the newest of the series.", '2026-11-20'),
  ),
  ...rootParameters,
}

const query = facetQuery(parameters)

const proofQuery = facetQuery({ ...parameters, from: proofFrom })

const codesQuery = strictQuery({
  ...datasetParameters,
  facet: nameParameter('Id of a facet of the dataset.', 'product'),
  q: Type.Optional(
    Type.String({ description: 'Part of a code or its name, case-insensitive.', examples: ['WTI'] }),
  ),
})

const errors = {
  400: errorAnswers[400],
  ...chainErrors,
  503: errorOf(noSnapshot),
}

const answers = {
  200: answerSchema('Series', seriesBody, { description: 'The value.', headers: chainAnswerHeaders }),
  ...errors,
  404: errorOf(absent),
  410: gone,
  503: errorOf(
    `${noSnapshot} Or it lacks only that of the newest root, and an earlier root does not have the value: the newest may have it.`,
  ),
}

const proofAnswers = {
  429: errorAnswers[429],
  200: answerSchema('SeriesProof', seriesProofBody, { description: 'The proof.', headers: contentHeaders }),
  ...errors,
  410: gone,
  404: answerSchema('SeriesAbsence', seriesAbsenceBody, {
    description: `${absent} With the proof that there is no such value, if it is that.`,
  }),
}

const attestedAnswers = {
  200: answerSchema('AttestedDatasets', attestedDatasetsBody, {
    description: 'The datasets.',
    headers: chainAnswerHeaders,
  }),
  400: errorAnswers[400],
  ...chainErrors,
}

const codesAnswers = {
  200: answerSchema('Codes', codesBody, { description: 'The codes.', headers: chainAnswerHeaders }),
  ...errors,
  404: errorOf(
    'The dataset is not registered, its snapshot does not list the codes, or the server has no snapshots of datasets: `DATASETS` is not set.',
  ),
}

const attestedDetail = {
  operationId: 'listAttestedDatasets',
  summary: 'List the attested datasets',
  description:
    'The datasets of which a root is on chain, so that each of their series can be read and proven. All are read at one state root.',
  tags: ['series'],
}

const codesDetail = {
  operationId: 'listCodes',
  summary: 'List the codes of a facet of a dataset',
  description:
    'The codes that the snapshot of the newest root has, with how many values have each. No hash covers them: nothing proves the names, and `wattfeed datasets check` compares the rest with all values.',
  tags: ['series'],
}

const detail = {
  operationId: 'getSeries',
  summary: 'Get a series of a dataset',
  description:
    'One of all values of a dataset, by one root on chain: the newest of a series, or that of a period. Pass every facet of the dataset as `facet.<id>`. The value is checked against the root.',
  tags: ['series'],
}

const proofDetail = {
  operationId: 'getSeriesProof',
  summary: 'Get a proof of a series of a dataset',
  description:
    'What the dataset says about the series, with the leaves that show it and the proof of the root. Check it offline like the proof of a reading. A 404 proves that there is no such value.',
  tags: ['series'],
}

/**
 * `GET /v1/datasets/attested`; and `GET /v1/datasets/codes`, `/v1/series`, `/v1/series/proof` and `/v1/series/history` of datasets whose
 * snapshots are in the places that DATASETS names.
 */
export function series({ answerAt }: Pick<Server, 'answerAt'>, series: SeriesReader | null) {
  const reader = (): SeriesReader => {
    if (series === null) throw new DatasetsUnsetError()
    return series
  }
  return (
    new Elysia({ name: 'series' })
      .get(
        '/v1/datasets/attested',
        ({ set }) =>
          answerAt(set, async (at) => attestedDatasetsBodyOf(attestedDatasets(await at.listReadings()))),
        {
          headers: conditionalHeaders,
          ...strictQuery({}),
          response: attestedAnswers,
          detail: attestedDetail,
        },
      )
      // Before the query, which only matters if the endpoints are on.
      .onTransform(() => void reader())
      .get(
        '/v1/datasets/codes',
        ({ query: { q = '', ...query }, set }) =>
          answerAt(set, async (at) => codesBodyOf(query, await reader().listCodes(at, query), q)),
        { headers: conditionalHeaders, ...codesQuery, response: codesAnswers, detail: codesDetail },
      )
      .get(
        '/v1/series',
        ({ query, set }) =>
          answerAt(set, async (at) => seriesBodyOf(await reader().read(at, askedOf(query)))),
        { headers: conditionalHeaders, ...query, response: answers, detail },
      )
      .get(
        '/v1/series/proof',
        async ({ query: { from = null, ...query } }) => proofBody(await reader().prove(askedOf(query), from)),
        { headers: conditionalHeaders, ...proofQuery, response: proofAnswers, detail: proofDetail },
      )
      .use(seriesHistory({ answerAt }, reader))
      .use(seriesRevisions({ answerAt }, reader))
  )
}

interface Asked extends RootParameters {
  route: string
  frequency: string
  column: string
  period?: string | null | undefined
  facets: FacetValues
}

const askedOf = ({ route, frequency, column, period = null, facets, ...root }: Asked): SeriesAt => ({
  series: { route, frequency, column, facets, period },
  at: rootAtOf(root),
})

function proofBody(proof: SeriesProof): SeriesProofBody {
  const { root, leaves, series } = proof
  const body = {
    ...proof,
    series: { ...series, facets: { ...series.facets } },
    leaves: leaves.map((leaf) => ({ ...leaf, path: [...leaf.path] })),
    root: proofBodyOf(root),
  }
  return checkProof(body, `the proof of a series of ${series.route}`)
}
