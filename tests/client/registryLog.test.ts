import { describe, expect, test } from 'bun:test'
import { createGlobalState } from '../../src/casper/state/globalState.ts'
import { readKnownEvent, readLog, readLogLength } from '../../src/client/registryLog.ts'
import { decodeFeedRegistered } from '../../src/registry/events.ts'
import { createRegistryContract } from '../../src/registry/registryContract.ts'
import { createRootReader } from '../../src/registry/rootReader.ts'
import { createLocalRpc } from '../casper/localNode.ts'
import { createCallCounter } from '../support/callCounter.ts'
import { patience } from '../support/patience.ts'
import { type BareChain, createBareChain, registerBare } from './bareChain.ts'

/** A reader at the newest state root of a chain, for its FeedRegistry. */
function readerOf(chain: BareChain) {
  const calls = createCallCounter(chain.answer)
  const state = createGlobalState(createLocalRpc(calls.answer, patience))
  const packageHash = chain.feedRegistryPackageHash.replace('hash-', '')
  const registry = createRegistryContract(state, 'FeedRegistry', packageHash, () => 0)
  const source = { feedRegistry: registry, attestationRegistry: registry, concurrency: 1 }
  return { reader: createRootReader(state, chain.advance(), 7), registry, source, calls }
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

  test('behavior: null where the contract keeps no log', async () => {
    const { reader, registry, calls } = readerOf(withoutLog())
    expect(await readLogLength(reader, registry)).toBeNull()
    expect(calls.byMethod()).toEqual({ query_global_state: 2 })
  })
})

describe('readLog', () => {
  test('default: events with their bytes', async () => {
    const { reader, registry } = readerOf(chainOf(['A', 'B', 'C']))
    const range = { from: 1, to: 3, concurrency: 2 }
    expect(await readLog(reader, registry, range, decodeFeedRegistered)).toEqual([
      { bytes: expect.stringMatching(/^[0-9a-f]+$/), event: { feedId: 'B' }, fault: null },
      { bytes: expect.stringMatching(/^[0-9a-f]+$/), event: { feedId: 'C' }, fault: null },
    ])
  })

  test('behavior: nothing where the contract keeps no log', async () => {
    const { reader, registry } = readerOf(withoutLog())
    const range = { from: 0, to: 3, concurrency: 2 }
    expect(await readLog(reader, registry, range, decodeFeedRegistered)).toEqual([])
  })
})

describe('readKnownEvent', () => {
  const at = (index: number) => ({ registry: 'FeedRegistry', index, bytes: null }) as const

  test('default: the bytes that the range has too', async () => {
    const { reader, registry, source } = readerOf(chainOf(['A', 'B']))
    const [event] = await readLog(reader, registry, { from: 1, to: 2, concurrency: 1 }, decodeFeedRegistered)
    expect(await readKnownEvent(source, at(1), reader)).toEqual({ ...at(1), bytes: event?.bytes as string })
  })

  test('behavior: null past the end, and where the contract keeps no log', async () => {
    const { reader, source } = readerOf(chainOf(['A']))
    expect(await readKnownEvent(source, at(1), reader)).toBeNull()
    const without = readerOf(withoutLog())
    expect(await readKnownEvent(without.source, at(0), without.reader)).toBeNull()
  })
})
