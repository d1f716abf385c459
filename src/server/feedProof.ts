import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ProofBusyError } from '../client/errors.ts'
import type { Client } from '../client/index.ts'
import {
  contentHeaders,
  errorAnswers,
  exampleReading,
  ifNoneMatch,
  jsonAnswer,
  notModifiedAnswer,
  retryAfterHeader,
} from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { contentResponse, createContent } from './content.ts'
import { FeedNotFoundError } from './errorResponse.ts'
import { type FeedProofBody, feedProofBody } from './schemas.ts'
import { feedIdFromUrl, PROOF_SUFFIX, urlQuery } from './url.ts'

export interface FeedProofOptions {
  client: Pick<Client, 'getFeedProof'>
}

const checkProof = createBodyCheck(feedProofBody, 'chain')

/** `GET /v1/feeds/:id/proof`: a reading with everything needed to check it offline, at every `VERIFY` level. */
export function createFeedProof({ client }: FeedProofOptions) {
  return new Elysia({ name: 'feedProof' }).get(
    `/v1/feeds/:id${PROOF_SUFFIX}`,
    async ({ request }) => {
      const feedId = feedIdFromUrl(request.url, PROOF_SUFFIX)
      const proof = await client.getFeedProof(feedId, {
        from: new URLSearchParams(urlQuery(request.url)).get('from'),
      })
      if (proof === null) throw new FeedNotFoundError(feedId, null)
      const body = { ...proof, items: [...proof.items], switch_blocks: [...proof.switch_blocks] }
      const text = checkProof(body, `the proof of feed "${feedId}"`)
      return contentResponse(request, createContent(text))
    },
    { params, detail },
  )
}

const params = Type.Object({
  id: Type.Any({ type: 'string', description: 'The feed id, as for /v1/feeds/{id}.' }),
})

const HASH = '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041'

const exampleBlock = { header: { era_id: 1, height: 11 }, hash: HASH, proofs: [] }

const exampleProof: FeedProofBody = {
  reading: exampleReading,
  registries: {
    chain_name: 'casper-test',
    feed_registry_package_hash: HASH,
    attestation_registry_package_hash: HASH,
  },
  items: [
    {
      registry: 'FeedRegistry',
      key: `hash-${HASH}`,
      stored_value: { ContractPackage: {} },
      merkle_proof: '01000000…',
    },
  ],
  block: exampleBlock,
  switch_blocks: [exampleBlock],
}

const detail = {
  operationId: 'getFeedProof',
  summary: 'Prove one feed',
  description:
    'The reading with Merkle proofs, block header, finality signatures and switch blocks, in the node’s own JSON: `bun run verify`, or `verifyFeedProof` of the library, checks it offline from one trusted block hash. The example is shortened.',
  tags: ['feeds'],
  parameters: [
    {
      name: 'from',
      in: 'query' as const,
      required: false,
      description:
        'The hash of a switch block that you trust, of the last 1,000 eras: the proof then holds every switch block from there on. Without it, only the last one.',
      schema: { type: 'string' as const },
    },
    ifNoneMatch,
  ],
  responses: {
    200: jsonAnswer('The proof.', 'FeedProof', exampleProof, contentHeaders),
    304: notModifiedAnswer,
    400: {
      ...errorAnswers[400],
      description:
        '`from` is not the hash of a switch block of the last 1,000 eras, or the path does not decode.',
    },
    404: { ...errorAnswers[404], headers: {} },
    429: jsonAnswer(
      'The server is fetching switch blocks for another proof; it does so for one proof at a time. Proofs from blocks that it holds are always served.',
      'Error',
      { error: new ProofBusyError().message },
      { 'Retry-After': retryAfterHeader },
    ),
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
}
