import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type FeedProofBody, feedAbsenceBody, feedProofBody } from '../api/schemas.ts'
import type { Client, FeedProof } from '../client/index.ts'
import { answerSchema, createChainDataCheck } from './answerSchema.ts'
import {
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  feedId,
  feedParams,
  indexSchema,
} from './apiDocs.ts'
import { FeedNotFoundError, valueNotFound } from './notFound.ts'
import { strictParams, strictQuery } from './plugins/query.ts'

export interface FeedProofEndpointOptions {
  client: Pick<Client, 'getFeedProof' | 'getFeedAbsence' | 'withSnapshot'>
}

const checkProof = createChainDataCheck(feedProofBody)

const proofBody = (proof: FeedProof): FeedProofBody =>
  checkProof(
    {
      ...proof,
      format: 2,
      count: proof.count ?? 0,
      items: [...proof.items],
      switch_blocks: [...proof.switch_blocks],
    },
    `the proof of feed "${proof.reading.feed_id}"`,
  )

const FROM = {
  description:
    'Hash of a switch block that you trust, from the last 1,000 eras. The proof then contains all switch blocks since that one; by default, only the last one.',
}

const newestQuery = strictQuery({
  from: Type.Optional(Type.String(FROM)),
  attester: Type.Optional(
    Type.Literal('1', {
      description: 'The proof then also shows who may attest to the feed, and the keys of that account.',
      error: '1',
    }),
  ),
})

const pastQuery = strictQuery({
  from: Type.Optional(
    Type.String({ ...FROM, pattern: '^[0-9a-fA-F]{64}$', error: "a switch block's hash: 64 hex digits" }),
  ),
})

const proofAnswers = {
  200: answerSchema('FeedProof', feedProofBody, { description: 'The proof.', headers: contentHeaders }),
  400: errorAnswers[400],
  404: errorAnswers[404],
  429: errorAnswers[429],
  ...chainErrors,
}

const absenceAnswer = answerSchema('FeedAbsence', feedAbsenceBody, {
  description: 'The feed is not registered or has no value, with a proof of that.',
})

const detailOf = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
  tags: ['feeds'],
})

const newestDetail = detailOf(
  'getFeedProof',
  'Get a proof of one reading',
  'The reading with its Merkle proofs, block header, finality signatures and switch blocks, in the node’s own JSON. Check it offline from one trusted block hash, with `bun run verify` or `verifyFeedProof` of the library.',
)

const pastDetail = detailOf(
  'getHistoryProof',
  'Get a proof of one past value',
  'Like /v1/feeds/{id}/proof, for the value at an index of the feed’s history. `reading` has that value with the current metadata. The proof also covers `index`.',
)

const pastParams = strictParams({
  id: feedId,
  index: indexSchema,
})

/**
 * `GET /v1/feeds/:id/proof` and `GET /v1/feeds/:id/history/:index/proof`: the newest or a past value, with everything that
 * an offline check needs. Independent of the `VERIFY` setting.
 */
export const createFeedProofEndpoint = ({ client }: FeedProofEndpointOptions) =>
  new Elysia({ name: 'feedProof' })
    .get(
      '/v1/feeds/:id/proof',
      async ({ params: { id }, query: { from = null, attester } }) => {
        const proof = await client.getFeedProof(id, { from, attester: attester !== undefined })
        if (proof === null)
          throw new FeedNotFoundError(id, null, null, await client.getFeedAbsence(id, { from }))
        return proofBody(proof)
      },
      {
        params: feedParams,
        headers: conditionalHeaders,
        ...newestQuery,
        response: { ...proofAnswers, 404: absenceAnswer, 501: errorAnswers[501] },
        detail: newestDetail,
      },
    )
    .get(
      '/v1/feeds/:id/history/:index/proof',
      async ({ params: { id, index }, query: { from = null } }) => {
        const proof = await client.getFeedProof(id, { from, index })
        if (proof === null) throw await client.withSnapshot((at) => valueNotFound(at, id, index))
        return proofBody(proof)
      },
      {
        params: pastParams,
        headers: conditionalHeaders,
        ...pastQuery,
        response: proofAnswers,
        detail: pastDetail,
      },
    )
