import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import { AllNodesFailedError, StateNotKeptError } from 'wattfeed'
import { readProvenance } from '../../src/provenance/readProvenance.ts'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId(0)
const VALUES = 12
const BLOCK_MS = 8_000

/** A chain whose nodes keep the states of four blocks, and a feed most of whose values are older. */
async function createForgetfulChain() {
  const startMs = Date.now() - (VALUES + 3) * BLOCK_MS
  const chain = await createRegistryChain({ feeds: 1, startMs, retainedRoots: 4 })
  for (let value = 1; value < VALUES; value++) {
    chain.attest(id, { amount: BigInt(value), period: 20_261_100 + value })
    await chain.advance()
  }
  return chain
}

const chain = await createForgetfulChain()

describe('a node that keeps the states of four blocks', () => {
  test('default: every transaction is found; the weights of old blocks are unknown', async () => {
    const { client } = localClient(chain)
    const found = []
    for (let index = 0; index < VALUES; index++) found.push(await client.getTransaction(id, index))
    expect(new Set(found.map((each) => each?.transactionHash)).size).toBe(VALUES)
    const weights = found.map((each) => each?.signers.map(({ weight }) => weight))
    expect(weights).toEqual(Array.from({ length: VALUES }, (_, index) => [index < VALUES - 4 ? null : 1]))
    const [account] = found[VALUES - 1]?.signers ?? []
    expect(found[0]?.signers[0]).toEqual({ ...account, weight: null } as never)
  })

  test('behavior: the state of an old block is asked for once', async () => {
    const { client, calls } = localClient(chain)
    await client.getTransaction(id, 0)
    calls.reset()
    await client.getTransaction(id, 0)
    // The account; the contracts are known.
    expect(calls.byMethod().query_global_state).toBe(1)
  })

  test.each(['proofs', 'off'] as const)('behavior: with %s as well', async (verify) => {
    const { client } = localClient(chain, { verify })
    const found = await client.getTransaction(id, 0)
    expect(found?.signers.map(({ weight }) => weight)).toEqual([null])
  })

  test('behavior: of two nodes, the one that keeps the state is asked as well', async () => {
    const keeping = await createRegistryChain({ feeds: 1, startMs: Date.now() - 20 * BLOCK_MS })
    for (let block = 0; block < 6; block++) await keeping.advance()
    let refusals = 0
    const { client } = localClient(keeping, {
      rpcUrls: ['http://forgetful.test/rpc', 'http://keeping.test/rpc'],
      fetch: async (url, { body, signal }) => {
        signal?.throwIfAborted()
        const { id: rpcId, method, params } = JSON.parse(String(body))
        const isAccount = String(memberAt(params, 'key')).startsWith('account-hash-')
        const isRefused = isAccount && url.includes('forgetful')
        if (isRefused) refusals += 1
        const answer = isRefused ? noSuchRoot : await keeping.answer(method, params)
        return Response.json({ jsonrpc: '2.0', id: rpcId, ...answer })
      },
    })
    const found = await client.getTransaction(id, 0)
    expect([refusals, found?.signers.map(({ weight }) => weight)]).toEqual([1, [1]])
  })

  test('behavior: what is read at the newest block is known: old values, provenance, attester, proofs', async () => {
    const { client } = localClient(chain)
    expect((await client.getValueHistory(id)).map(({ amount }) => amount)).toEqual(
      Array.from({ length: VALUES }, (_, index) => BigInt(index)),
    )
    const provenance = await client.withSnapshot((at) => readProvenance(at, id, 0))
    expect(provenance?.attested.index).toBe(0)
    expect((await client.getAttester(id))?.authority?.minSigners).toBe(1)
    const from = chain.genesisHash
    expect((await client.getFeedProof(id, { from, index: 0, attester: true }))?.reading.amount).toBe('0')
    expect((await client.getHistoryProof(id, { from }))?.count).toBe(VALUES)
  })
})

const noSuchRoot = { error: { code: -32012, message: 'No such state root', data: 'not found' } }

describe('a snapshot that is older than the states that nodes keep', () => {
  /** A snapshot, the time since a newer root was found, and the nodes' forgetfulness. */
  async function outlived(sinceMs: number) {
    const chain = await createRegistryChain({ feeds: 1, retainedRoots: 4 })
    const local = localClient(chain)
    const at = await local.client.snapshot()
    await Promise.all([at.getFeed(id), at.totalAttestations()])
    for (let block = 0; block < 5; block++) await chain.advance()
    await local.client.snapshot()
    await elapse(sinceMs)
    return { ...local, at }
  }

  test('error: says so at once, and that a retry is useless', async () => {
    using _ = stopClock()
    const { at, calls } = await outlived(20_000)
    for (const read of [() => at.getValue(id), () => at.getValueCount(id), () => at.getValueAt(id, 0)]) {
      calls.reset()
      const error = await errorOf(read())
      expect(error).toBeInstanceOf(AllNodesFailedError)
      const { retryable, failures } = error as AllNodesFailedError
      expect([retryable, failures.map((failure) => failure.error)]).toEqual([
        false,
        [expect.any(StateNotKeptError)],
      ])
      expect(error.message).toContain('the node no longer keeps the state')
      expect(calls.total()).toBe(1)
    }
  })

  // A node that lags does not know the newest root either.
  test('behavior: is retried while its root was the newest some seconds ago', async () => {
    using _ = stopClock()
    const { at, calls } = await outlived(10_000)
    const read = errorOf(at.getAttester(id))
    await elapse(9_000)
    await settle()
    expect(await read).toMatchObject({ code: 'all_nodes_failed', retryable: true })
    expect(calls.total()).toBeGreaterThan(10)
  })
})
