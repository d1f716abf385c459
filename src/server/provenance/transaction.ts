import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { AttestingTransaction } from 'wattfeed'
import { type TransactionBody, transactionBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  valueParams,
} from '../http/apiDocs.ts'
import { defineHttpError } from '../http/httpError.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { valueNotFound } from '../notFound.ts'
import type { Server } from '../server.ts'

const TransactionBusyError = defineHttpError(
  'TransactionBusyError',
  'transaction_busy',
  () => 'busy finding the transactions of other values; retry in a few seconds',
  { status: 429, retryable: true },
)

/** Number of searches at once, and the most that wait. Each makes up to 40 calls. */
const MAX_SEARCHES = 4
const MAX_WAITING = 16

const MAX_CACHED = 1_000

/** How long a transaction without weights is cached. */
const WITHOUT_WEIGHTS_MS = 60_000

interface ValueKey {
  readonly id: string
  readonly index: number
}

const toBody = ({ transactionHash, block, isListed, initiator, signers }: AttestingTransaction) => ({
  transaction_hash: transactionHash,
  block: { ...block },
  is_listed: isListed,
  initiator,
  signers: signers.map(({ publicKey, accountHash, weight }) => ({
    public_key: publicKey,
    account_hash: accountHash,
    weight,
  })),
})

const transactionAnswer = answerSchema('Transaction', transactionBody, {
  description: 'The transaction.',
  headers: chainAnswerHeaders,
})

const detail = {
  operationId: 'getTransaction',
  summary: 'Get the transaction of a value, and who signed it',
  description:
    'The block and the transaction that attested a value, with the keys that signed it and their weights as of the block, or null if no node keeps its state. Verified: both hashes, the list, the arguments and each signature. Not verified: that the block is final, and that no signature is missing. 404 if a contract attested the value.',
  tags: ['feeds'],
}

export function transaction({ client, answerAt }: Server) {
  const limit = pLimit(MAX_SEARCHES)
  // Equal requests at the same time share a search.
  const found = new LRUCache<string, TransactionBody, ValueKey>({
    max: MAX_CACHED,
    async fetchMethod(_key, _stale, { options, context: { id, index } }) {
      if (limit.pendingCount >= MAX_WAITING) throw new TransactionBusyError()
      const signed = await limit(() => client.getTransaction(id, index))
      // Another node may know the weights.
      if (signed?.signers.some(({ weight }) => weight === null)) options.ttl = WITHOUT_WEIGHTS_MS
      return signed === null ? undefined : { feed_id: id, index, ...toBody(signed) }
    },
  })

  return new Elysia({ name: 'transaction' }).get(
    '/v1/feeds/:id/history/:index/transaction',
    ({ params: { id, index }, set }) =>
      answerAt(set, async (at) => {
        const value = await at.getValueAt(id, index)
        if (value === null) throw await valueNotFound(at, id, index)
        // The value is part of the key, because another chain may replace this one.
        const key = JSON.stringify([id, index, value.timestamp, String(value.amount), value.source_hash])
        const body = await found.fetch(key, { context: { id, index } })
        if (body === undefined) throw await valueNotFound(at, id, index)
        return body
      }),
    {
      params: valueParams,
      ...strictQuery({}),
      headers: conditionalHeaders,
      response: {
        200: transactionAnswer,
        400: errorAnswers[400],
        404: errorAnswers[404],
        429: errorAnswers[429],
        501: errorAnswers[501],
        ...chainErrors,
      },
      detail,
    },
  )
}
