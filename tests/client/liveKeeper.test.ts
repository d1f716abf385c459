import { describe, expect, test } from 'bun:test'
import type { Live } from '../../src/client/live.ts'
import { createLiveKeeper } from '../../src/client/liveKeeper.ts'
import { createRegistry } from '../../src/client/registry.ts'
import { createRootReader } from '../../src/client/rootReader.ts'
import type { AnswerRpc } from '../../src/devnet/rpcAnswer.ts'
import { settle } from '../casper/clock.ts'
import { createLocalRpc } from '../casper/localNode.ts'
import { createCallCounter } from '../support/callCounter.ts'
import { errorOf } from '../support/errorOf.ts'
import { patience } from '../support/patience.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../support/registryChain.ts'
import { callsOf, holdAnswers } from './localClient.ts'

/** A keeper for a chain, what it tells, and readers at state roots in the order in which they are made. */
function keeperOf(chain: RegistryChain) {
  const node = { answer: chain.answer as AnswerRpc }
  const calls = createCallCounter((method, params) => node.answer(method, params))
  const rpc = createLocalRpc(calls.answer, patience)
  const told: Live[] = []
  const registry = (name: 'FeedRegistry' | 'AttestationRegistry', hash: string) =>
    createRegistry(rpc, name, hash.replace('hash-', ''), () => 0)
  const keeper = createLiveKeeper({
    rpc,
    agreesOnAbsence: false,
    feedRegistry: registry('FeedRegistry', chain.feedRegistryPackageHash),
    attestationRegistry: registry('AttestationRegistry', chain.attestationRegistryPackageHash),
    concurrency: 16,
    onAdvance: (live) => told.push(live),
  })
  let sequence = 0
  const readerAt = (root: string) => createRootReader(rpc, root, ++sequence)
  return { keeper, told, calls, node, readerAt }
}

const out: AnswerRpc = () => ({ error: { code: -32602, message: 'out of order' } })

describe('createLiveKeeper', () => {
  test('default: knows nothing, reads everything, and then only what changed', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { keeper, told, calls, readerAt } = keeperOf(chain)
    expect(keeper.newest()).toBeNull()
    const first = await keeper.at(readerAt(chain.stateRootHash()))
    expect([...first.readings]).toEqual(chain.readings())
    chain.attest(testFeedId(1), { amount: 5n })
    const reader = readerAt(await chain.advance())
    expect(await callsOf(calls, () => keeper.at(reader))).toBe(3 + 1)
    expect(await callsOf(calls, () => keeper.at(reader))).toBe(0)
    const second = keeper.newest()
    expect([...(second?.readings ?? [])]).toEqual(chain.readings())
    expect(told).toEqual([first, second as Live])
  })

  test('behavior: readers of one root share the first load', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { keeper, calls, readerAt } = keeperOf(chain)
    const reader = readerAt(chain.stateRootHash())
    const [first, second] = await Promise.all([keeper.at(reader), keeper.at(reader)])
    expect(first).toBe(second)
    expect(calls.total()).toBe(4 + 3 + 3 * 3)
  })

  test('behavior: an older root is read for itself, and nothing steps back', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { keeper, told, readerAt } = keeperOf(chain)
    const older = readerAt(chain.stateRootHash())
    const before = chain.readings()
    chain.attest(testFeedId(1), { amount: 5n })
    const newest = await keeper.at(readerAt(await chain.advance()))
    expect([...(await keeper.at(older)).readings]).toEqual(before)
    expect(keeper.newest()).toBe(newest)
    expect(told).toEqual([newest])
  })

  test('behavior: a step that ends late does not lead back', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { keeper, told, node, readerAt } = keeperOf(chain)
    const first = await keeper.at(readerAt(chain.stateRootHash()))
    chain.attest(testFeedId(1), { amount: 5n })
    const slow = readerAt(await chain.advance())
    const expected = chain.readings()
    const held = holdAnswers(chain.answer, () => true)
    node.answer = held.answer
    const late = keeper.at(slow)
    await settle()
    node.answer = chain.answer
    chain.attest(testFeedId(2), { amount: 6n })
    const newest = await keeper.at(readerAt(await chain.advance()))
    while (held.held() > 0) {
      held.release()
      await settle()
    }
    expect([...(await late).readings]).toEqual(expected)
    expect(keeper.newest()).toBe(newest)
    expect(told).toEqual([first, newest])
  })

  test('error: a step that fails is taken again, and the packages are looked up for it', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { keeper, calls, node, readerAt } = keeperOf(chain)
    await keeper.at(readerAt(chain.stateRootHash()))
    chain.attest(testFeedId(1), { amount: 5n })
    const reader = readerAt(await chain.advance())
    node.answer = out
    expect((await errorOf(keeper.at(reader))).message).toContain('out of order')
    node.answer = chain.answer
    expect(await callsOf(calls, () => keeper.at(reader))).toBe(4 + 3 + 1)
    expect([...(keeper.newest()?.readings ?? [])]).toEqual(chain.readings())
  })

  test('error: a load that fails is tried again', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { keeper, node, readerAt } = keeperOf(chain)
    const reader = readerAt(chain.stateRootHash())
    node.answer = out
    for (const error of await Promise.all([errorOf(keeper.at(reader)), errorOf(keeper.at(reader))]))
      expect(error.message).toContain('out of order')
    node.answer = chain.answer
    expect([...(await keeper.at(reader)).readings]).toEqual(chain.readings())
  })
})
