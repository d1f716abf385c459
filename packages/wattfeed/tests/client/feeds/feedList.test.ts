import { describe, expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { createGlobalState } from '@wattfeed/casper'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { string, u64 } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { LaggingNodeError } from '../../../src/client/errors.ts'
import {
  advanceFeedList,
  type FeedList,
  type FeedListSource,
  loadFeedList,
} from '../../../src/client/feeds/feedList.ts'
import { createRegistryContract } from '../../../src/registry/registryContract.ts'
import { createRootReader } from '../../../src/registry/rootReader.ts'
import {
  attestBare,
  type BareChain,
  bareFeed,
  bareReading,
  createBareChain,
  registerBare,
} from '../../support/bareChain.ts'
import type { ChainInProcess } from '../../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../../support/registryChain.ts'

/** Loads and advances at state roots of a chain, and counts the calls of the last step. */
function listOf(chain: ChainInProcess) {
  const calls = createCallCounter(chain.answer)
  const rpc = createLocalRpc(calls.answer, patience)
  const state = createGlobalState(rpc)
  const registry = (name: 'FeedRegistry' | 'AttestationRegistry', hash: string) =>
    createRegistryContract(state, name, hash.replace('hash-', ''), () => 0)
  const source: FeedListSource = {
    feedRegistry: registry('FeedRegistry', chain.feedRegistryPackageHash),
    attestationRegistry: registry('AttestationRegistry', chain.attestationRegistryPackageHash),
    concurrency: 16,
  }
  let sequence = 0
  const readerAt = (root: string) => createRootReader(state, root, ++sequence)
  return {
    source,
    calls,
    readerAt,
    load: (root: string) => loadFeedList(source, readerAt(root), { chain: {} }),
    async advance(list: FeedList, root: string): Promise<FeedList> {
      calls.reset()
      const step = await advanceFeedList(source, list, readerAt(root))
      if (step.kind !== 'advanced') throw new Error(JSON.stringify(step))
      return step.list
    },
  }
}

const idsOf = (list: FeedList): string[] => [...list.entries.keys()]

describe('loadFeedList', () => {
  test('default: every feed at a state root', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { load, calls } = listOf(chain)
    const list = await load(chain.stateRootHash())
    expect(list).toMatchObject({
      stateRootHash: chain.stateRootHash(),
      sequence: 1,
      lengths: { feed: 3, attestation: 3 },
      changes: null,
    })
    expect([...list.readings]).toEqual(chain.readings())
    expect(calls.total()).toBe(4 + 3 + 3 * 3)
  })

  test('behavior: feeds without a value are known, and not among the readings', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    chain.register('EMPTY')
    chain.register('LAST')
    chain.attest('LAST', { amount: 3n })
    const list = await listOf(chain).load(await chain.advance())
    expect(idsOf(list)).toEqual([testFeedId(0), 'EMPTY', 'LAST'])
    expect(list.readings.map(({ feed_id }) => feed_id)).toEqual([testFeedId(0), 'LAST'])
    expect(list.entries.get('EMPTY')).toMatchObject({ feed: { decimals: 6 }, value: null, reading: null })
  })

  test('behavior: a chain without feeds', async () => {
    const chain = await createRegistryChain()
    const list = await listOf(chain).load(chain.stateRootHash())
    expect([list.readings, list.entries.size]).toEqual([[], 0])
  })

  test('behavior: callers cannot change the shared readings', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const list = await listOf(chain).load(chain.stateRootHash())
    expect(Object.isFrozen(list.readings)).toBeTrue()
    expect(Object.isFrozen(list.readings[0])).toBeTrue()
  })

  test('error: an id that is counted is missing', async () => {
    const chain = createBareChain()
    registerBare(chain, 'A', 0)
    chain.feeds.write(4, '', u64(2))
    const error = await errorOf(listOf(chain).load(await chain.advance()))
    expect(error.message).toContain('contradiction: FeedRegistry.ids[1] is absent, but counted')
  })

  test('error: a feed that is listed is missing', async () => {
    const chain = createBareChain()
    chain.feeds.write(3, u64(0), string('A'))
    chain.feeds.write(4, '', u64(1))
    const error = await errorOf(listOf(chain).load(await chain.advance()))
    expect(error.message).toContain('reports FeedRegistry.feeds[A] as absent, but it is on chain')
  })

  // A node's feed count must not make the client reserve memory for that many feeds.
  test('error: a count that no chain can have is a typed error', async () => {
    const chain = createBareChain()
    chain.feeds.write(4, '', u64(2n ** 64n - 1n))
    const { load, calls } = listOf(chain)
    const error = await errorOf(load(await chain.advance()))
    expect(error).toBeInstanceOf(WattfeedError)
    expect(error.message).toContain('feeds exceed the limit of 100000')
    // No id of so many is asked for.
    expect(calls.total()).toBeLessThan(10)
  })

  test('error: no further request is sent when one read has failed', async () => {
    const chain = createBareChain()
    for (let index = 0; index < 500; index++) chain.feeds.write(3, u64(index), string(`F${index}`))
    chain.feeds.write(4, '', u64(500))
    const { load, calls } = listOf(chain)
    await errorOf(load(await chain.advance()))
    for (let turn = 0; turn < 1_000; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    expect(calls.total()).toBeLessThan(1_000)
  })
})

describe('advanceFeedList', () => {
  test('default: an attestation costs its event, read twice, beside the two lengths and the newest known event', async () => {
    const chain = await createRegistryChain({ feeds: 5 })
    const { load, advance, calls } = listOf(chain)
    const list = await load(chain.stateRootHash())
    for (const index of [1, 3, 1]) chain.attest(testFeedId(index), { amount: BigInt(100 + index) })
    const next = await advance(list, await chain.advance())
    expect([...next.readings]).toEqual(chain.readings())
    expect(next).toMatchObject({
      stateRootHash: chain.stateRootHash(),
      sequence: 2,
      lengths: { feed: 5, attestation: 8 },
      changes: 3,
    })
    expect(calls.total()).toBe(3 + 2 * 3)
  })

  test('behavior: a new feed without a value costs its event and the value that does not exist', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { load, advance, calls } = listOf(chain)
    const list = await load(chain.stateRootHash())
    chain.register('NEW')
    const next = await advance(list, await chain.advance())
    expect(idsOf(next)).toEqual([testFeedId(0), testFeedId(1), 'NEW'])
    expect([...next.readings]).toEqual(chain.readings())
    expect(calls.total()).toBe(3 + 2)
  })

  test('behavior: the first value of a known feed costs its event, and the feed if that is not known', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { load, advance, calls } = listOf(chain)
    chain.register('LOADED')
    const list = await load(await chain.advance())
    chain.attest('LOADED', { amount: 5n })
    const second = await advance(list, await chain.advance())
    expect([...second.readings]).toEqual(chain.readings())
    expect(calls.total()).toBe(3 + 2)
    chain.register('ADVANCED')
    const third = await advance(second, await chain.advance())
    chain.attest('ADVANCED', { amount: 6n })
    const fourth = await advance(third, await chain.advance())
    expect([...fourth.readings]).toEqual(chain.readings())
    expect(calls.total()).toBe(3 + 2 + 1)
  })

  test('behavior: metadata that changed before there was a value is read with the value', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    chain.register('EMPTY')
    const { load, advance } = listOf(chain)
    const list = await load(await chain.advance())
    chain.register('EMPTY', { unit: 'changed' })
    const second = await advance(list, await chain.advance())
    chain.attest('EMPTY', { amount: 5n })
    expect([...(await advance(second, await chain.advance())).readings]).toEqual(chain.readings())
  })

  test('behavior: nothing new costs the two lengths and the newest known event, and the list stays the same', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { load, advance, calls } = listOf(chain)
    const list = await load(chain.stateRootHash())
    const next = await advance(list, await chain.advance())
    expect(next.readings).toBe(list.readings)
    expect(next.entries).toBe(list.entries)
    expect([next.stateRootHash, next.changes]).toEqual([chain.stateRootHash(), 0])
    expect(calls.total()).toBe(3)
  })

  test('behavior: an unchanged reading stays the same object', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { load, advance } = listOf(chain)
    const list = await load(chain.stateRootHash())
    chain.attest(testFeedId(1), { amount: 1n })
    const next = await advance(list, await chain.advance())
    expect(next.readings[0]).toBe(list.readings[0] as never)
    expect(next.readings[1]).not.toBe(list.readings[1] as never)
    expect(next.readings[2]).toBe(list.readings[2] as never)
    expect(list.readings.map(({ amount }) => amount)).toEqual([0n, 1_000_003n, 2_000_006n])
  })

  test('behavior: a value of an id that is not registered is ignored until it is', async () => {
    const chain = createBareChain()
    registerBare(chain, 'A', 0)
    attestBare(chain, 'A', 1n)
    const { load, advance, calls } = listOf(chain)
    const list = await load(await chain.advance())
    attestBare(chain, 'B', 2n)
    const second = await advance(list, await chain.advance())
    expect([...second.readings]).toEqual([bareReading('A', 1n)])
    expect(calls.total()).toBe(3 + 2)
    registerBare(chain, 'B', 1)
    const third = await advance(second, await chain.advance())
    expect([...third.readings]).toEqual([bareReading('A', 1n), bareReading('B', 2n)])
    expect(calls.total()).toBe(3 + 1 + 2)
  })

  test('behavior: a value that came just before its feed counts', async () => {
    const chain = createBareChain()
    const { load, advance } = listOf(chain)
    const list = await load(await chain.advance())
    attestBare(chain, 'A', 2n)
    registerBare(chain, 'A', 0)
    expect([...(await advance(list, await chain.advance())).readings]).toEqual([bareReading('A', 2n)])
  })

  test('error: an event of another name cannot be followed: a node may have garbled it', async () => {
    const chain = createBareChain()
    registerBare(chain, 'A', 0)
    attestBare(chain, 'A', 1n)
    const { load, advance } = listOf(chain)
    const list = await load(await chain.advance())
    chain.feeds.emit('OwnershipTransferred', '00ff')
    const error = await errorOf(advance(list, await chain.advance()))
    expect(error.message).toContain('cannot decode __events[1]: unknown event kind')
  })

  test('error: a shorter log means a lagging node', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const before = chain.stateRootHash()
    chain.attest(testFeedId(0), {})
    const { load, advance } = listOf(chain)
    const list = await load(await chain.advance())
    const error = await errorOf(advance(list, before))
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'LaggingNodeError',
      code: 'lagging_node',
      retryable: true,
      registry: 'AttestationRegistry',
      length: 2,
      seen: 3,
      message:
        'lagging node: the event log of the AttestationRegistry has 2 entries, but had 3 before; use another node',
    } as never)
    chain.register('NEW')
    const later = await load(await chain.advance())
    expect(await errorOf(advance(later, before))).toEqual(new LaggingNodeError('FeedRegistry', 2, 3))
  })

  test('error: an event that does not decode', async () => {
    const chain = createBareChain()
    const { load, advance } = listOf(chain)
    const list = await load(await chain.advance())
    chain.attestations.emit('RevenueAttested', string('A'))
    expect((await errorOf(advance(list, await chain.advance()))).message).toContain('event RevenueAttested')
  })
})

describe('a registry without an event log', () => {
  /** Three feeds, two with a value. */
  function chainWith(logs: { feeds: boolean; attestations: boolean }): BareChain {
    const chain = createBareChain({ logs })
    for (const [index, id] of ['A', 'B', 'C'].entries()) registerBare(chain, id, index)
    attestBare(chain, 'A', 1n)
    attestBare(chain, 'B', 2n)
    return chain
  }

  // Count, lengths, events (the known one, and the new one twice), values, feeds, and one call that confirms that C has no value.
  const logs: [string, { feeds: boolean; attestations: boolean }, number][] = [
    ['no log of feeds', { feeds: false, attestations: true }, 1 + 1 + 3 + 0 + 2 + 0],
    ['no log of attestations', { feeds: true, attestations: false }, 0 + 1 + 3 + 3 + 1 + 1],
    ['no log at all', { feeds: false, attestations: false }, 1 + 0 + 0 + 3 + 2 + 1],
  ]
  test.each(logs)('behavior: %s: it is read item by item at each new root', async (_, which, cost) => {
    const chain = chainWith(which)
    const { load, advance, calls } = listOf(chain)
    const list = await load(await chain.advance())
    expect([...list.readings]).toEqual([bareReading('A', 1n), bareReading('B', 2n)])
    attestBare(chain, 'B', 9n)
    chain.feeds.write(2, string('A'), bareFeed('A2'))
    chain.feeds.emit('FeedRegistered', `${string('A')}00${string('A2').repeat(2)}`)
    const next = await advance(list, await chain.advance())
    expect(next.changes).toBeNull()
    expect(next.readings.map(({ feed_id, unit, amount }) => [feed_id, unit, amount])).toEqual([
      ['A', 'A2', 1n],
      ['B', 'B', 9n],
    ])
    expect([which, calls.total()]).toEqual([which, cost])
  })

  test('behavior: new feeds are found by the count', async () => {
    const chain = chainWith({ feeds: false, attestations: false })
    const { load, advance } = listOf(chain)
    const list = await load(await chain.advance())
    registerBare(chain, 'D', 3)
    attestBare(chain, 'D', 4n)
    attestBare(chain, 'C', 3n)
    const next = await advance(list, await chain.advance())
    expect([...next.readings]).toEqual(
      ['A', 'B', 'C', 'D'].map((id, index) => bareReading(id, BigInt(index + 1))),
    )
  })
})

describe('a root that contradicts the cache', () => {
  test('default: an upgrade does not', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { load, advance } = listOf(chain)
    const list = await load(chain.stateRootHash())
    await chain.upgrade()
    expect([...(await advance(list, await chain.advance())).readings]).toEqual(chain.readings())
  })

  test('behavior: other registries, or another event in place of a known one, replace the cache', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { source, load, readerAt } = listOf(chain)
    const list = await load(chain.stateRootHash())
    const reader = readerAt(await chain.advance())
    expect(await advanceFeedList(source, { ...list, stateUrefs: 'others' }, reader)).toEqual({
      kind: 'reset',
      what: 'the state URefs of the registries',
      found: list.stateUrefs,
    })
    const place = { registry: 'AttestationRegistry', index: 0 } as const
    const read = { ...place, bytes: 'ab', digest: '', event: null, fault: null }
    const lastEvent = { ...place, read }
    expect(await advanceFeedList(source, { ...list, lastEvent }, reader)).toEqual({
      kind: 'reset',
      what: 'AttestationRegistry.__events[0]',
      found: expect.stringMatching(/^[0-9a-f]{100,}$/),
    })
  })
})
