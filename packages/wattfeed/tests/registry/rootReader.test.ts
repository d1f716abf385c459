import { describe, expect, test } from 'bun:test'
import { createGlobalState } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { u64 } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { factsOf } from '@wattfeed/testing/factsOf'
import { patience } from '@wattfeed/testing/patience'
import { readLogLength } from '../../src/registry/events.ts'
import { feedRegistryField } from '../../src/registry/fields.ts'
import { createRegistryContract } from '../../src/registry/registryContract.ts'
import { createRootReader } from '../../src/registry/rootReader.ts'
import { type BareChain, createBareChain, readBareFeed, registerBare } from '../support/bareChain.ts'

/** A reader at the newest state root of a chain, for its FeedRegistry. */
function readerOf(chain: BareChain, root: string) {
  const node = { answer: chain.answer }
  const calls = createCallCounter((method, params) => node.answer(method, params))
  const state = createGlobalState(createLocalRpc(calls.answer, patience))
  const packageHash = chain.feedRegistryPackageHash.replace('hash-', '')
  const registry = createRegistryContract(state, 'FeedRegistry', packageHash, () => 0)
  const at = (stateRootHash: string) => createRootReader(state, stateRootHash, 7)
  return { reader: at(root), at, registry, calls, node }
}

const unavailable: AnswerRpc = () => ({ error: { code: -32602, message: 'out of order' } })

describe('readField', () => {
  test('default: a field, and an entry of a mapping', async () => {
    const chain = createBareChain()
    registerBare(chain, 'A', 0)
    const { reader, registry } = readerOf(chain, chain.advance())
    expect(reader).toMatchObject({ stateRootHash: expect.any(String), sequence: 7 })
    expect(await reader.readField(registry, feedRegistryField.count)).toBe(1)
    expect(await reader.readField(registry, feedRegistryField.feed('A'))).toEqual(readBareFeed('A'))
  })

  test('behavior: at another root, null is only accepted once the field of init exists', async () => {
    const chain = createBareChain()
    const first = chain.advance()
    const { at, registry, calls } = readerOf(chain, first)
    expect(await at(first).readField(registry, feedRegistryField.feed('A'))).toBeNull()
    expect(calls.byMethod()).toEqual({ query_global_state: 2, state_get_dictionary_item: 1 })
    calls.reset()
    const second = at(chain.advance())
    const ids = ['A', 'B', 'C']
    const read = () => Promise.all(ids.map((id) => second.readField(registry, feedRegistryField.feed(id))))
    expect(await read()).toEqual([null, null, null])
    expect(await read()).toEqual([null, null, null])
    expect(calls.byMethod()).toEqual({ state_get_dictionary_item: 7 })
  })

  test('behavior: a log that was read at the root proves that the registry exists', async () => {
    const chain = createBareChain()
    const { reader, at, registry, calls } = readerOf(chain, chain.advance())
    await readLogLength(reader, registry)
    const next = at(chain.advance())
    expect(await readLogLength(next, registry)).toBe(0)
    calls.reset()
    expect(await next.readField(registry, feedRegistryField.feed('A'))).toBeNull()
    expect(calls.total()).toBe(1)
  })

  test('error: a registry that was never initialized is not one with nothing in it', async () => {
    const chain = createBareChain({ init: false })
    const { at, registry, calls } = readerOf(chain, chain.advance())
    await at(chain.advance()).readField(registry, feedRegistryField.count)
    expect(await factsOf(at(chain.advance()).readField(registry, feedRegistryField.count))).toEqual({
      name: 'PackageNotFoundError',
      code: 'package_not_found',
      retryable: false,
      registry: 'FeedRegistry',
      packageHash: registry.packageHash,
      message: `FeedRegistry: the chain has no initialized contract under hash-${registry.packageHash}; set the package hash on this chain, or use nodes of its network`,
    })
    calls.reset()
    await registry.at(chain.advance())
    expect(calls.byMethod()).toEqual({ query_global_state: 2 })
  })

  test('error: the message about malformed bytes names their field', async () => {
    const chain = createBareChain()
    chain.feeds.write(4, '', `${u64(1)}00`)
    const { reader, registry } = readerOf(chain, chain.advance())
    const error = await errorOf(reader.readField(registry, feedRegistryField.count))
    expect(error.message).toContain('cannot decode FeedRegistry.count: 1 trailing bytes')
  })

  // What went wrong once must not stay wrong for as long as no new block comes.
  test('error: a failed confirmation is repeated', async () => {
    const chain = createBareChain()
    const { reader, at, registry, node } = readerOf(chain, chain.advance())
    await reader.readField(registry, feedRegistryField.count)
    const next = at(chain.advance())
    let items = 0
    node.answer = (method, params) => (++items === 2 ? unavailable : chain.answer)(method, params)
    await errorOf(next.readField(registry, feedRegistryField.feed('A')))
    expect(await next.readField(registry, feedRegistryField.feed('A'))).toBeNull()
  })
})
