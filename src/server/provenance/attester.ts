import { Elysia } from 'elysia'
import type { Attester } from 'wattfeed'
import { type AttesterBody, attesterBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedParams,
} from '../http/apiDocs.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { valueNotFound } from '../notFound.ts'
import type { Server } from '../server.ts'

const toBody = (feedId: string, { account, authority }: Attester, chainName: string): AttesterBody => ({
  feed_id: feedId,
  account,
  chain_name: chainName,
  authority: authority && {
    keys: authority.keys.map(({ accountHash, weight }) => ({ account_hash: accountHash, weight })),
    thresholds: {
      deployment: authority.thresholds.deployment,
      key_management: authority.thresholds.keyManagement,
    },
    min_signers: authority.minSigners,
  },
})

const attesterAnswer = answerSchema('Attester', attesterBody, {
  description: 'The attester.',
  headers: chainAnswerHeaders,
})

const detail = {
  operationId: 'getAttester',
  summary: 'Get who may attest to a feed',
  description:
    'The account that may attest to the feed, with its keys, their weights, and the least number of keys that can sign a value. Read at one state root; proven with `VERIFY=proofs` and `full`.',
  tags: ['feeds'],
}

export const attester = ({ answerAt, network: { chainName } }: Server) =>
  new Elysia({ name: 'attester' }).get(
    '/v1/feeds/:id/attester',
    ({ params: { id }, set }) =>
      answerAt(set, async (at) => {
        const found = await at.getAttester(id)
        if (found === null) throw await valueNotFound(at, id, null)
        return toBody(id, found, chainName)
      }),
    {
      params: feedParams,
      ...strictQuery({}),
      headers: conditionalHeaders,
      response: {
        200: attesterAnswer,
        400: errorAnswers[400],
        404: errorAnswers[404],
        501: errorAnswers[501],
        ...chainErrors,
      },
      detail,
    },
  )
