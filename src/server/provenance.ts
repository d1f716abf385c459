import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ProvenanceBody, provenanceBody } from '../api/schemas.ts'
import type { Client } from '../client/index.ts'
import { readProvenance } from '../provenance/readProvenance.ts'
import type { Provenance } from '../provenance/recipes.ts'
import { integer } from '../runtime/parsers.ts'
import {
  chainAnswerHeaders,
  errorAnswers,
  exampleReading,
  ifNoneMatch,
  jsonAnswer,
  notModifiedAnswer,
} from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { contentResponse, createContent } from './content.ts'
import { valueNotFound } from './errorResponse.ts'
import type { ChainHeaders } from './headers.ts'
import { parseQuery } from './query.ts'
import { feedIdFromUrl, PROVENANCE_SUFFIX } from './url.ts'

export interface ProvenanceOptions {
  client: Pick<Client, 'withSnapshot'>
  chainHeaders: ChainHeaders
  /** Of the chain that the client reads. */
  chainName: string
}

const checkBody = createBodyCheck(provenanceBody, 'chain')

/**
 * `GET /v1/feeds/:id/provenance`: what it takes to recheck an attestation with EIA, and who may attest to the feed. Asks EIA
 * for nothing.
 */
export function createProvenance({ client, chainHeaders, chainName }: ProvenanceOptions) {
  return new Elysia({ name: 'provenance' }).get(
    `/v1/feeds/:id${PROVENANCE_SUFFIX}`,
    ({ request }) => {
      const feedId = feedIdFromUrl(request.url, PROVENANCE_SUFFIX)
      const { index } = parseQuery(request.url, parameters)
      return client.withSnapshot(async (at) => {
        const [found, claimant, headers] = await Promise.all([
          readProvenance(at, feedId, index),
          at.getClaimant(feedId),
          chainHeaders(at),
        ])
        if (found === null || claimant === null) throw await valueNotFound(at, feedId, index)
        const body = { ...toBody(found), claimant, chain_name: chainName }
        const text = checkBody(body, `the provenance of feed "${feedId}"`)
        return contentResponse(request, createContent(text), headers)
      })
    },
    { params, detail },
  )
}

const parameters = { index: integer(0, 999_999_999_999_999) }

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

const params = Type.Object({
  id: Type.Any({ type: 'string', description: 'The feed id, as for /v1/feeds/{id}.' }),
})

const exampleProvenance: ProvenanceBody = {
  recipe: {
    route: exampleReading.route,
    frequency: exampleReading.frequency,
    column: 'value',
    facets: { series: 'RNGWHHD' },
    unit: '$/MMBTU',
  },
  recipe_source: 'description',
  attested: {
    index: 41,
    period: exampleReading.period,
    amount: exampleReading.amount,
    source_hash: exampleReading.source_hash,
  },
  canonical_template:
    '{"route":"natural-gas/pri/fut","frequency":"daily","facets":[["series","RNGWHHD"]],"period":"2026-11-20","value":"{value}","unit":"$/MMBTU"}',
  api_url:
    'https://api.eia.gov/v2/natural-gas/pri/fut/data?frequency=daily&data%5B0%5D=value&facets%5Bseries%5D%5B%5D=RNGWHHD&sort%5B0%5D%5Bcolumn%5D=period&sort%5B0%5D%5Bdirection%5D=desc&offset=0&length=5000&start=2026-11-20&end=2026-11-20',
  claimant: 'account-hash-8d0c1f5a7e1f4b0a9b7e2c3d4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6',
  chain_name: 'casper-test',
}

const detail = {
  operationId: 'getProvenance',
  summary: 'What a value was made from',
  description:
    'How to ask EIA for the row that was attested, and the JSON text whose SHA-256 begins with `source_hash` once the value is put in. `bun run provenance` does both. A match proves route, frequency, facets, period, value and unit; the column is not hashed. `claimant` says who may attest to the feed, read at the same state root.',
  tags: ['feeds'],
  parameters: [
    {
      name: 'index',
      in: 'query' as const,
      required: false,
      description: "Which of the feed's values, from 0. Without it, the newest.",
      schema: { type: 'integer' as const, minimum: 0 },
    },
    ifNoneMatch,
  ],
  responses: {
    200: jsonAnswer('The provenance.', 'Provenance', exampleProvenance, chainAnswerHeaders),
    304: notModifiedAnswer,
    400: {
      ...errorAnswers[400],
      description: 'A parameter is unknown, repeated, or no whole number; or the path does not decode.',
    },
    404: {
      ...errorAnswers[404],
      description: 'The feed is not there, has no value, or fewer than `index` asks for.',
    },
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}
