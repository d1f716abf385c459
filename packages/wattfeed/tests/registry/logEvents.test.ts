import { describe, expect, test } from 'bun:test'
import { createGlobalState, type RpcRejection } from '@wattfeed/casper'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { readLogEvent, readLogEventAgain, readLogLength } from '../../src/registry/events.ts'
import { createRegistryContract } from '../../src/registry/registryContract.ts'
import { createRootReader } from '../../src/registry/rootReader.ts'
import { type BareChain, createBareChain, registerBare } from '../support/bareChain.ts'

/** A reader at the newest state root of a chain, for its FeedRegistry. */
function readerOf(chain: BareChain) {
  const calls = createCallCounter(chain.answer)
  const rejected: RpcRejection[] = []
  const urls = ['http://node.test/rpc', 'http://other.test/rpc']
  const onRejected = (rejection: RpcRejection) => rejected.push(rejection)
  const rpc = createLocalRpc(calls.answer, { ...patience, urls, onRejected })
  const state = createGlobalState(rpc)
  const packageHash = chain.feedRegistryPackageHash.replace('hash-', '')
  const registry = createRegistryContract(state, 'FeedRegistry', packageHash, () => 0)
  return { reader: createRootReader(state, chain.advance(), 7), registry, calls, rejected }
}

const withoutLog = () => createBareChain({ logs: { feeds: false, attestations: true } })

function chainOf(ids: readonly string[]): BareChain {
  const chain = createBareChain()
  for (const [index, id] of ids.entries()) registerBare(chain, id, index)
  return chain
}

describe('readLogLength', () => {
  test('default', async () => {
    const { reader, registry } = readerOf(chainOf(['A']))
    expect(await readLogLength(reader, registry)).toBe(1)
  })

  test('behavior: null if the contract keeps no log', async () => {
    const { reader, registry, calls } = readerOf(withoutLog())
    expect(await readLogLength(reader, registry)).toBeNull()
    expect(calls.byMethod()).toEqual({ query_global_state: 2 })
  })
})

const eventOf = (feedId: string, index: number) => ({
  registry: 'FeedRegistry' as const,
  index,
  bytes: expect.stringMatching(/^[0-9a-f]{40,}$/),
  digest: expect.stringMatching(/^[0-9a-f]{8}$/),
  event: { feedId },
  fault: null,
})

describe('readLogEvent', () => {
  test('default: an event with its bytes and digest, by one call', async () => {
    const { reader, registry, calls } = readerOf(chainOf(['A', 'B']))
    await registry.at(reader.stateRootHash)
    calls.reset()
    expect(await readLogEvent(reader, registry, 1)).toEqual(eventOf('B', 1))
    expect(calls.byMethod()).toEqual({ state_get_dictionary_item: 1 })
  })

  test('behavior: another digest than the expected one counts once two reads give it', async () => {
    const { reader, registry, calls } = readerOf(chainOf(['A']))
    expect(await readLogEvent(reader, registry, 0, '00000001')).toEqual(eventOf('A', 0))
    expect(calls.byMethod().state_get_dictionary_item).toBeGreaterThan(1)
  })

  test('behavior: a wrong digest, which a client may send, takes two reads and blames no node', async () => {
    const { reader, registry, calls, rejected } = readerOf(chainOf(['A']))
    await registry.at(reader.stateRootHash)
    calls.reset()
    await readLogEvent(reader, registry, 0, '00000001')
    expect(calls.byMethod()).toEqual({ state_get_dictionary_item: 2 })
    expect(rejected).toEqual([])
  })

  test('error: one past the end, and one of a contract that keeps no log', async () => {
    const { reader, registry } = readerOf(chainOf(['A']))
    expect((await errorOf(readLogEvent(reader, registry, 1))).message).toContain('__events[1]')
    const without = readerOf(withoutLog())
    const error = await errorOf(readLogEvent(without.reader, without.registry, 0))
    expect(error.message).toContain('cannot decode __events[0]: the node returned no value')
  })
})

describe('readLogEventAgain', () => {
  const at = (index: number) => ({ registry: 'FeedRegistry', index, read: null }) as const

  test('default: the same event', async () => {
    const { reader, registry } = readerOf(chainOf(['A', 'B']))
    const event = await readLogEvent(reader, registry, 1)
    expect(await readLogEventAgain(reader, registry, at(1))).toEqual(event)
  })

  test('behavior: null past the end, and if the contract keeps no log', async () => {
    const { reader, registry } = readerOf(chainOf(['A']))
    expect(await readLogEventAgain(reader, registry, at(1))).toBeNull()
    const without = readerOf(withoutLog())
    expect(await readLogEventAgain(without.reader, without.registry, at(0))).toBeNull()
  })
})
