import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type Provenance, readProvenance } from 'wattfeed/provenance'
import { type ProvenanceBody, provenanceBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedParams,
  indexSchema,
} from '../http/apiDocs.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { valueNotFound } from '../notFound.ts'
import type { Server } from '../server.ts'
import { attester } from './attester.ts'
import { transaction } from './transaction.ts'

const checkBody = createBodyCheck(provenanceBody, ChainDataError)

const toBody = ({
  recipe,
  recipe_source,
  attested,
  canonical_template,
  api_url,
}: Provenance): Omit<ProvenanceBody, 'claimant' | 'chain_name'> => ({
  recipe: recipe && {
    route: recipe.route,
    frequency: recipe.frequency,
    column: recipe.column,
    facets: { ...recipe.facets },
    unit: recipe.unit,
  },
  recipe_source,
  attested: {
    index: attested.index,
    period: attested.period,
    amount: String(attested.amount),
    source_hash: attested.source_hash,
  },
  canonical_template,
  api_url,
})

const provenanceAnswer = answerSchema('Provenance', provenanceBody, {
  description: 'The provenance.',
  headers: chainAnswerHeaders,
})

const detail = {
  operationId: 'getProvenance',
  summary: 'Get the source of a value',
  description:
    'The EIA request for the attested row, and the JSON text whose SHA-256 starts with `source_hash` after the value is inserted. `bun run provenance` checks both. A match proves route, frequency, facets, period, value and unit; the column is not hashed. `claimant` is the account or contract that may attest to the feed.',
  tags: ['feeds'],
}

/** Where a value is from, and who attested it. The server itself does not call EIA. */
export const provenance = (server: Server) =>
  new Elysia({ name: 'provenance' })
    .get(
      '/v1/feeds/:id/provenance',
      ({ params: { id }, query: { index = null }, set }) =>
        server.answerAt(set, async (at) => {
          const [found, claimant] = await Promise.all([readProvenance(at, id, index), at.getClaimant(id)])
          if (found === null || claimant === null) throw await valueNotFound(at, id, index)
          const body = { ...toBody(found), claimant, chain_name: server.network.chainName }
          return checkBody(body, `the provenance of feed "${id}"`)
        }),
      {
        params: feedParams,
        ...strictQuery({ index: Type.Optional(indexSchema) }),
        headers: conditionalHeaders,
        response: { 200: provenanceAnswer, 400: errorAnswers[400], 404: errorAnswers[404], ...chainErrors },
        detail,
      },
    )
    .use(attester(server))
    .use(transaction(server))
