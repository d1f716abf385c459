import { describe, expect, test } from 'bun:test'
import { elapse, stopClock } from '@wattfeed/testing/clock'
import { TransactionNotFoundError } from 'wattfeed'
import { createFakeClient, readingOf, transactionOf } from '../fakeClient.ts'
import { ask, createTestApp } from '../testApp.ts'

const reading = readingOf()
const path = (index: number, id = reading.feed_id) => `/v1/feeds/${id}/history/${index}/transaction`

describe('GET /v1/feeds/:id/history/:index/transaction', () => {
  test('default: the transaction and its signers', async () => {
    const response = await ask(createTestApp({ client: createFakeClient() }), path(0))
    expect(await response.json()).toEqual({
      feed_id: reading.feed_id,
      index: 0,
      transaction_hash: 'cd'.repeat(32),
      block: { hash: 'ef'.repeat(32), height: 0, timestamp: 1_795_168_726_426 },
      is_listed: true,
      initiator: `account-hash-${'00'.repeat(32)}`,
      signers: [
        { public_key: `01${'11'.repeat(32)}`, account_hash: `account-hash-${'22'.repeat(32)}`, weight: 1 },
      ],
    })
  })

  test('behavior: a value is searched for once, also by two requests at the same time', async () => {
    let searches = 0
    const getTransaction = async () => {
      searches += 1
      return transactionOf(7)
    }
    const app = createTestApp({ client: createFakeClient({ getTransaction }) })
    const answers = [...(await Promise.all([ask(app, path(0)), ask(app, path(0))])), await ask(app, path(0))]
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect([searches, new Set(bodies).size]).toEqual([1, 1])
  })

  test('behavior: weights that no node keeps are null, and are searched for again after a minute', async () => {
    using _ = stopClock()
    // The cache takes a time of 0 as none.
    await elapse(1_000)
    let searches = 0
    const { signers, ...rest } = transactionOf(7)
    const getTransaction = async () => {
      searches += 1
      return { ...rest, signers: signers.map((signer) => ({ ...signer, weight: searches === 1 ? null : 1 })) }
    }
    const app = createTestApp({ client: createFakeClient({ getTransaction }) })
    const weights = async () => {
      const response = await ask(app, path(0))
      expect(response.status).toBe(200)
      return (await response.json()).signers.map(({ weight }: { weight: number | null }) => weight)
    }
    expect([await weights(), await weights(), searches]).toEqual([[null], [null], 1])
    await elapse(61_000)
    expect([await weights(), searches]).toEqual([[1], 2])
    await elapse(600_000)
    expect([await weights(), searches]).toEqual([[1], 2])
  })

  test('error: more searches than may wait', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ids = Array.from({ length: 24 }, (_, index) => `F${index}`)
    const client = createFakeClient({
      readings: ids.map((feed_id) => readingOf({ feed_id })),
      getTransaction: async () => {
        await promise
        return transactionOf(7)
      },
    })
    const app = createTestApp({ client })
    const answers = ids.map((id) => ask(app, path(0, id)))
    const busy = await Promise.any(answers)
    expect([busy.status, busy.headers.get('x-wattfeed-error'), busy.headers.get('retry-after')]).toEqual([
      429,
      'transaction_busy',
      '4',
    ])
    resolve()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect([statuses.filter((each) => each === 200).length, statuses.length]).toEqual([20, 24])
  })

  test('error: a value without such a transaction, and an unknown feed', async () => {
    const client = createFakeClient({
      getTransaction: async (id) => {
        throw new TransactionNotFoundError(id, 'no block has the time of the value')
      },
    })
    const app = createTestApp({ client })
    const response = await ask(app, path(0))
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([
      404,
      'transaction_not_found',
    ])
    const unknown = await ask(app, path(0, 'EIA.NO.SUCH.FEED'))
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: 'feed not found on-chain: EIA.NO.SUCH.FEED' },
    ])
  })
})
