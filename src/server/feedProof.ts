import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type FeedProofBody, feedProofBody } from '../api/schemas.ts'
import { ProofBusyError } from '../client/errors.ts'
import type { Client, FeedProof } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import { blockHash, integer } from '../runtime/parsers.ts'
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
import { FeedNotFoundError, valueNotFound } from './errorResponse.ts'
import { parseQuery, QueryError } from './query.ts'
import { feedIdFromUrl, HISTORY_SUFFIX, PROOF_SUFFIX, urlPath, urlQuery } from './url.ts'

export interface FeedProofOptions {
  client: Pick<Client, 'getFeedProof' | 'withSnapshot'>
}

const checkProof = createBodyCheck(feedProofBody, 'chain')

/**
 * `GET /v1/feeds/:id/proof` and `GET /v1/feeds/:id/history/:index/proof`: the newest or a past value with everything
 * needed to check it offline, at every `VERIFY` level.
 */
export function createFeedProof({ client }: FeedProofOptions) {
  return new Elysia({ name: 'feedProof' })
    .get(
      `/v1/feeds/:id${PROOF_SUFFIX}`,
      async ({ request }) => {
        const feedId = feedIdFromUrl(request.url, PROOF_SUFFIX)
        const from = new URLSearchParams(urlQuery(request.url)).get('from')
        const proof = await client.getFeedProof(feedId, { from })
        if (proof === null) throw new FeedNotFoundError(feedId, null)
        return proofResponse(request, proof)
      },
      { params, detail },
    )
    .get(
      `/v1/feeds/:id${HISTORY_SUFFIX}/:index${PROOF_SUFFIX}`,
      async ({ request }) => {
        const { feedId, index } = parseItemPath(request.url)
        const { from } = parseQuery(request.url, parameters)
        const proof = await client.getFeedProof(feedId, { from, index })
        if (proof === null) throw await client.withSnapshot((at) => valueNotFound(at, feedId, index))
        return proofResponse(request, proof)
      },
      { params: itemParams, detail: itemDetail },
    )
}

function proofResponse(request: Request, proof: FeedProof): Response | Promise<Response> {
  const body = { ...proof, items: [...proof.items], switch_blocks: [...proof.switch_blocks] }
  return contentResponse(
    request,
    createContent(checkProof(body, `the proof of feed "${proof.reading.feed_id}"`)),
  )
}

const parameters = { from: blockHash }

const parseIndex = integer(0, 999_999_999_999_999)

/** Parses the path of a past value's proof. @throws {QueryError | PathEncodingError} */
function parseItemPath(url: string): { feedId: string; index: number } {
  const [, suffix = '', index = ''] = /(\/history\/([^/]*)\/proof)\/?$/.exec(urlPath(url)) ?? []
  try {
    return { feedId: feedIdFromUrl(url, suffix), index: parseIndex(index) }
  } catch (error) {
    if (error instanceof WattfeedError) throw error
    throw new QueryError('index', index, `it must be ${parseIndex.rule}`)
  }
}

const params = Type.Object({
  id: Type.Any({ type: 'string', description: 'The feed id, as for /v1/feeds/{id}.' }),
})

const itemParams = Type.Object({
  ...params.properties,
  index: Type.Any({ type: 'integer', minimum: 0, description: 'Place in the feed’s history, from 0.' }),
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

const detailOf = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
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
    404: {
      ...errorAnswers[404],
      description: 'The feed is not there, has no value, or fewer than `index` asks for.',
      headers: {},
    },
    429: jsonAnswer(
      'The server is fetching switch blocks for another proof; it does so for one proof at a time. Proofs from blocks that it holds are always served.',
      'Error',
      { error: new ProofBusyError().message },
      { 'Retry-After': retryAfterHeader },
    ),
    500: errorAnswers[500],
    502: errorAnswers[502],
  },
})

const detail = detailOf(
  'getFeedProof',
  'Prove one feed',
  'The reading with Merkle proofs, block header, finality signatures and switch blocks, in the node’s own JSON: `bun run verify`, or `verifyFeedProof` of the library, checks it offline from one trusted block hash. The example is shortened.',
)

const itemDetail = detailOf(
  'getHistoryProof',
  'Prove one past value',
  'As /v1/feeds/{id}/proof, for the value at an index of the feed’s history: `reading` has that value with the metadata of now, and `index` its place, which the proof holds for.',
)
