import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { feedAbsenceBody, feedProofBody, feedsProofBody, historyProofBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  feedParams,
  proofFrom,
  valueParams,
} from '../http/apiDocs.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { FeedNotFoundError, valueNotFound } from '../notFound.ts'
import { proofBodyOf } from '../readers/proofBody.ts'
import type { Server } from '../server.ts'

// The lists of a schema's type are mutable, those of the library are not. So each body has copies.
const checkFeedsProof = createBodyCheck(feedsProofBody, ChainDataError)
const checkHistoryProof = createBodyCheck(historyProofBody, ChainDataError)

const proofQuery = strictQuery({ from: proofFrom })

const newestQuery = strictQuery({
  from: proofFrom,
  attester: Type.Optional(
    Type.Literal('1', {
      description: 'The proof then also shows who may attest to the feed, and the keys of that account.',
      error: '1',
    }),
  ),
})

const listErrors = { 400: errorAnswers[400], 429: errorAnswers[429], ...chainErrors }

const errors = { ...listErrors, 404: errorAnswers[404] }

const feedsAnswers = {
  200: answerSchema('FeedsProof', feedsProofBody, { description: 'The proof.', headers: contentHeaders }),
  ...listErrors,
}

const proofAnswers = {
  200: answerSchema('FeedProof', feedProofBody, { description: 'The proof.', headers: contentHeaders }),
  ...errors,
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

const historyAnswers = {
  200: answerSchema('HistoryProof', historyProofBody, { description: 'The proof.', headers: contentHeaders }),
  ...errors,
}

const historyDetail = detailOf(
  'getCompleteHistoryProof',
  'Get a proof of the complete history',
  'The number of values and every value, with their Merkle proofs, as of one final block. Up to 1,000 values; one request is served at a time, and others get 429. Check it offline like the proof of a reading.',
)

const pastDetail = detailOf(
  'getHistoryProof',
  'Get a proof of one past value',
  'Like /v1/feeds/{id}/proof, for the value at an index of the feed’s history. `reading` has that value with the current metadata. The proof also covers `index`.',
)

const feedsDetail = detailOf(
  'getFeedsProof',
  'Get a proof of the complete list of feeds',
  'The number of feeds and every id, with their Merkle proofs, as of one final block. Up to 1,000 feeds; one request is served at a time, and others get 429. Check it offline like the proof of a reading.',
)

/**
 * `GET /v1/feeds/:id/proof` and `GET /v1/feeds/:id/history/:index/proof` serve the newest or a past value. `GET
 * /v1/feeds.proof` and `GET /v1/feeds/:id/history.proof` serve complete lists. All answers hold everything that an offline
 * check needs. They are independent of the `VERIFY` setting.
 */
export const proof = ({ client }: Server) =>
  new Elysia({ name: 'proof' })
    .get(
      '/v1/feeds.proof',
      async ({ query: { from = null } }) => {
        const { feed_ids, items, switch_blocks, ...proof } = await client.getFeedsProof({ from })
        return checkFeedsProof(
          { ...proof, feed_ids: [...feed_ids], items: [...items], switch_blocks: [...switch_blocks] },
          'the proof of all feeds',
        )
      },
      { headers: conditionalHeaders, ...proofQuery, response: feedsAnswers, detail: feedsDetail },
    )
    .get(
      '/v1/feeds/:id/proof',
      async ({ params: { id }, query: { from = null, attester } }) => {
        const proof = await client.getFeedProof(id, { from, attester: attester !== undefined })
        if (proof !== null) return proofBodyOf(proof)
        const absence = await client.getFeedAbsence(id, { from })
        throw new FeedNotFoundError({ feedId: id, stateRootHash: null, version: null, absence })
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
      '/v1/feeds/:id/history.proof',
      async ({ params: { id }, query: { from = null } }) => {
        const proof = await client.getHistoryProof(id, { from })
        if (proof === null) throw await client.withSnapshot((at) => valueNotFound(at, id, 0))
        const { values, items, switch_blocks } = proof
        return checkHistoryProof(
          { ...proof, values: [...values], items: [...items], switch_blocks: [...switch_blocks] },
          `the proof of the history of feed "${id}"`,
        )
      },
      {
        params: feedParams,
        headers: conditionalHeaders,
        ...proofQuery,
        response: historyAnswers,
        detail: historyDetail,
      },
    )
    .get(
      '/v1/feeds/:id/history/:index/proof',
      async ({ params: { id, index }, query: { from = null } }) => {
        const proof = await client.getFeedProof(id, { from, index })
        if (proof === null) throw await client.withSnapshot((at) => valueNotFound(at, id, index))
        return proofBodyOf(proof)
      },
      {
        params: valueParams,
        headers: conditionalHeaders,
        ...proofQuery,
        response: proofAnswers,
        detail: pastDetail,
      },
    )
