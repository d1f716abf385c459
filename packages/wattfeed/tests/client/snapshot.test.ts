import { describe, expect, test } from 'bun:test'
import { DecodeError, InvalidArgumentError, WattfeedError } from '@wattfeed/base'
import { createGlobalState } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { string, u64 } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { loadFeedList } from '../../src/client/feeds/feedList.ts'
import { createReads } from '../../src/client/snapshot.ts'
import { createRegistryContract, type RegistryContract } from '../../src/registry/registryContract.ts'
import { createRootReader } from '../../src/registry/rootReader.ts'
import { attestBare, bareAccount, createBareChain, registerBare } from '../support/bareChain.ts'
import type { ChainInProcess } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

/** All reads at a state root of a chain; nothing is cached unless `known` says so. */
async function readsAt(chain: ChainInProcess, root: string, { known = false } = {}) {
  const node = { answer: chain.answer }
  const calls = createCallCounter((method, params) => node.answer(method, params))
  const rpc = createLocalRpc(calls.answer, patience)
  const state = createGlobalState(rpc)
  const registry = (name: 'FeedRegistry' | 'AttestationRegistry', hash: string): RegistryContract =>
    createRegistryContract(state, name, hash.replace('hash-', ''), () => 0)
  const source = {
    feedRegistry: registry('FeedRegistry', chain.feedRegistryPackageHash),
    attestationRegistry: registry('AttestationRegistry', chain.attestationRegistryPackageHash),
    concurrency: 4,
  }
  const reader = createRootReader(state, root, 1)
  const live = await loadFeedList(source, reader, { chain: {} })
  calls.reset()
  const reads = createReads({
    ...source,
    absences: null,
    reader,
    feeds: {
      known: () => (known ? live : null),
      lastKnown: () => (known ? live : null),
      list: async () => live,
      logLengths: async () => null,
    },
    now: () => 0,
  })
  return { reads, calls, node }
}

const outOfOrder: AnswerRpc = () => ({ error: { code: -32602, message: 'out of order' } })

describe('createReads', () => {
  test('default: a reading is put together from two items', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { reads, calls } = await readsAt(chain, chain.stateRootHash())
    expect(await reads.getReading(testFeedId(1))).toEqual(chain.readings()[1] as never)
    expect(calls.byMethod()).toEqual({ state_get_dictionary_item: 2 })
  })

  test('behavior: if every feed is known, no request is sent', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    chain.register('EMPTY')
    const { reads, calls } = await readsAt(chain, await chain.advance(), { known: true })
    expect(await reads.getReading(testFeedId(1))).toEqual(chain.readings()[1] as never)
    expect([await reads.getReading('EMPTY'), await reads.getReading('ABSENT')]).toEqual([null, null])
    expect([await reads.feedCount(), (await reads.listFeedIds()).length]).toEqual([3, 3])
    expect([...(await reads.listReadings())]).toEqual(chain.readings())
    expect(calls.total()).toBe(0)
  })

  test('behavior: an id is not the name of a member of an object', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    for (const known of [true, false]) {
      const { reads } = await readsAt(chain, chain.stateRootHash(), { known })
      for (const id of ['__proto__', 'constructor', 'toString']) expect(await reads.getReading(id)).toBeNull()
    }
  })

  test('behavior: reads are cached, including absent values', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { reads, calls } = await readsAt(chain, chain.stateRootHash())
    const first = await Promise.all([reads.getFeed('TEST.FEED.0'), reads.getFeed('ABSENT')])
    expect(await Promise.all([reads.getFeed('TEST.FEED.0'), reads.getFeed('ABSENT')])).toEqual(first)
    expect(calls.total()).toBe(2)
  })

  test('behavior: items of the same key in both registries are not mixed up', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { reads } = await readsAt(chain, chain.stateRootHash())
    expect([
      await reads.feedCount(),
      await reads.getValueCount('ABSENT'),
      await reads.totalAttestations(),
    ]).toEqual([2, 0, 2])
  })

  test('behavior: no more than 1000 items are remembered', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { reads, calls } = await readsAt(chain, chain.stateRootHash())
    const read = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, index) => reads.getFeed(`MADE.UP.${from + index}`)))
    await read(0, 1_000)
    expect(calls.total()).toBe(1_000)
    await read(0, 1_000)
    expect(calls.total()).toBe(1_000)
    await read(1_000, 1_001)
    await read(0, 1)
    expect(calls.total()).toBe(1_002)
  })

  test('behavior: a read that failed is repeated, and the package looked up again', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { reads, node, calls } = await readsAt(chain, chain.stateRootHash())
    node.answer = outOfOrder
    expect((await errorOf(reads.getFeed('TEST.FEED.0'))).message).toContain('out of order')
    node.answer = chain.answer
    calls.reset()
    expect(await reads.getFeed('TEST.FEED.0')).toMatchObject({ decimals: 6 })
    expect(calls.byMethod()).toEqual({ query_global_state: 2, state_get_dictionary_item: 1 })
  })
})

describe('getClaimant', () => {
  test('default: the claimant of the feed, else the owner; null if it is not registered', async () => {
    const chain = createBareChain()
    registerBare(chain, 'OLD', 0)
    registerBare(chain, 'CLAIMED', 1)
    chain.feeds.write(5, string('CLAIMED'), `01${'ab'.repeat(32)}`)
    chain.feeds.write(5, string('UNREGISTERED'), `01${'ab'.repeat(32)}`)
    const { reads } = await readsAt(chain, await chain.advance())
    expect(await reads.getClaimant('CLAIMED')).toBe(`hash-${'ab'.repeat(32)}`)
    expect(await reads.getClaimant('OLD')).toBe(`account-hash-${bareAccount.slice(2)}`)
    expect(await reads.getClaimant('UNREGISTERED')).toBeNull()
  })
})

describe('getValueHistory', () => {
  /** A feed of five values. */
  async function history() {
    const chain = await createRegistryChain({ feeds: 1 })
    for (const amount of [1n, 2n, 3n, 4n]) chain.attest(testFeedId(0), { amount })
    const { reads, calls } = await readsAt(chain, await chain.advance())
    const amounts = async (range?: object) =>
      (await reads.getValueHistory(testFeedId(0), range)).map(({ amount }) => amount)
    return { reads, calls, amounts }
  }

  test('default: all values, oldest first', async () => {
    const { amounts, calls, reads } = await history()
    expect(await amounts()).toEqual([0n, 1n, 2n, 3n, 4n])
    expect(calls.total()).toBe(1 + 5)
    expect(await reads.getValueHistory('ABSENT')).toEqual([])
  })

  test('behavior: a range from one index up to, not including, another', async () => {
    const { amounts } = await history()
    expect(await amounts({ from: 1, to: 3 })).toEqual([1n, 2n])
    expect(await amounts({ from: 3 })).toEqual([3n, 4n])
    expect(await amounts({ to: 2 })).toEqual([0n, 1n])
    expect(await amounts({ from: 4, to: 100 })).toEqual([4n])
    expect(await amounts({ from: 5 })).toEqual([])
    expect(await amounts({ from: 3, to: 1 })).toEqual([])
    expect(await amounts({ from: 3, to: 3 })).toEqual([])
  })

  test('behavior: an index is part of its own feed only', async () => {
    const chain = createBareChain()
    for (const [index, id] of ['A', 'A#0'].entries()) registerBare(chain, id, index)
    attestBare(chain, 'A', 1n)
    const { reads } = await readsAt(chain, await chain.advance())
    expect(await reads.getValueAt('A#0', 0)).toBeNull()
  })

  test('error: a value that is counted is missing', async () => {
    const chain = createBareChain()
    chain.attestations.write(4, string('A'), u64(1))
    const { reads } = await readsAt(chain, await chain.advance())
    expect((await errorOf(reads.getValueHistory('A'))).message).toContain(
      'contradiction: AttestationRegistry.history[A#0] is absent, but counted',
    )
  })

  test('error: a count that no chain can have is a typed error', async () => {
    const chain = createBareChain()
    chain.attestations.write(4, string('A'), u64(2n ** 64n - 1n))
    const { reads } = await readsAt(chain, await chain.advance())
    expect(await errorOf(reads.getValueHistory('A'))).toBeInstanceOf(WattfeedError)
  })
})

describe('getFirstPartyAttester', () => {
  test('error: it is not there', async () => {
    const chain = createBareChain({ init: false })
    const { reads } = await readsAt(chain, await chain.advance())
    expect(await errorOf(reads.getFirstPartyAttester())).toEqual(
      new DecodeError('AttestationRegistry.attester', 'the node returned no value'),
    )
  })
})

describe('arguments', () => {
  test('error: an id that no chain can hold', async () => {
    const chain = await createRegistryChain()
    const { reads, calls } = await readsAt(chain, chain.stateRootHash())
    const { getValue, getFeed, getReading, getValueCount, getClaimant, getValueHistory, getValueAt } = reads
    const byId = [getValue, getFeed, getReading, getValueCount, getClaimant, getValueHistory]
    const withId = [...byId, (id: string) => getValueAt(id, 0)]
    for (const read of withId)
      expect(await errorOf(read('\ud800'))).toEqual(
        new InvalidArgumentError(
          'feedId',
          'a string without lone surrogates, because the chain stores UTF-8',
        ),
      )
    expect(calls.total()).toBe(0)
  })

  test('error: an index that counts nothing', async () => {
    const chain = await createRegistryChain()
    const { reads, calls } = await readsAt(chain, chain.stateRootHash())
    const broken: [string, number, Promise<unknown>][] = [
      ['index', -1, reads.feedIdAt(-1)],
      ['index', 0.5, reads.getValueAt('A', 0.5)],
      ['from', -1, reads.getValueHistory('A', { from: -1 })],
      ['to', Number.NaN, reads.getValueHistory('A', { to: Number.NaN })],
    ]
    for (const [argument, value, read] of broken)
      expect(await errorOf(read)).toEqual(
        new InvalidArgumentError(argument, `an integer from 0 to 2^53 - 1, not ${value}`),
      )
    expect(calls.total()).toBe(0)
  })
})
