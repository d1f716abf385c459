import { describe, expect, test } from 'bun:test'
import { createGlobalState, getStateRootHash } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { settle } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { LaggingNodeError } from '../../../src/client/errors.ts'
import type { FeedList } from '../../../src/client/feeds/feedList.ts'
import { Known } from '../../../src/client/feeds/known.ts'
import type { Verification } from '../../../src/client/verification.ts'
import { createRegistryContract } from '../../../src/registry/registryContract.ts'
import { createRootReader } from '../../../src/registry/rootReader.ts'
import { callsOf, holdAnswers } from '../../support/localClient.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../../support/registryChain.ts'

/** What is known of a chain, its reports, and readers at state roots in the order of their creation. */
async function knownOf(chain: RegistryChain) {
  const node = { answer: chain.answer as AnswerRpc }
  const calls = createCallCounter((method, params) => node.answer(method, params))
  const rpc = createLocalRpc(calls.answer, patience)
  const state = createGlobalState(rpc)
  const told: FeedList[] = []
  const registry = (name: 'FeedRegistry' | 'AttestationRegistry', hash: string) =>
    createRegistryContract(state, name, hash.replace('hash-', ''), () => 0)
  const options = {
    rpc,
    state,
    feedRegistry: registry('FeedRegistry', chain.feedRegistryPackageHash),
    attestationRegistry: registry('AttestationRegistry', chain.attestationRegistryPackageHash),
    concurrency: 16,
    now: () => 0,
    wallClock: Date.now,
    onAdvance: (list: FeedList) => told.push(list),
  }
  const root = { ...(await getStateRootHash(rpc)), verification: null }
  const known = new Known(options, root)
  calls.reset()
  let sequence = 0
  const readerAt = (root: string) => createRootReader(state, root, ++sequence)
  return { known, told, calls, rpc, state, node, readerAt }
}

/** Attests 101 times, in as many blocks as necessary. */
async function attestOften(chain: RegistryChain): Promise<string> {
  for (let period = 1; period <= 101; period++) {
    chain.attest(testFeedId(1), { period })
    if (period === 51) await chain.advance()
  }
  return chain.advance()
}

const verification: Verification = {
  level: 'proofs',
  blockHeight: 1,
  blockHash: '00'.repeat(32),
  eraId: 1,
  weightSigned: 1n,
  weightTotal: 1n,
  blockTimestamp: 0,
  ageMs: 0,
}

const out: AnswerRpc = () => ({ error: { code: -32602, message: 'out of order' } })

describe('Known', () => {
  test('default: reads everything at first, then only changes', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, told, calls, readerAt } = await knownOf(chain)
    expect(known.list).toBeNull()
    const first = await known.at(readerAt(chain.stateRootHash()))
    expect([...first.readings]).toEqual(chain.readings())
    chain.attest(testFeedId(1), { amount: 5n })
    const reader = readerAt(await chain.advance())
    expect(await callsOf(calls, () => known.at(reader))).toBe(3 + 2)
    expect(await callsOf(calls, () => known.at(reader))).toBe(0)
    const second = known.list
    expect([...(second?.readings ?? [])]).toEqual(chain.readings())
    expect(told).toEqual([first, second as FeedList])
  })

  test('behavior: readers of one root share the first load', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, calls, readerAt } = await knownOf(chain)
    const reader = readerAt(chain.stateRootHash())
    const [first, second] = await Promise.all([known.at(reader), known.at(reader)])
    expect(first).toBe(second)
    expect(calls.total()).toBe(4 + 3 + 3 * 3)
  })

  test('behavior: an older root is read for itself, and nothing steps back', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, told, readerAt } = await knownOf(chain)
    const older = readerAt(chain.stateRootHash())
    const before = chain.readings()
    chain.attest(testFeedId(1), { amount: 5n })
    const newest = await known.at(readerAt(await chain.advance()))
    expect([...(await known.at(older)).readings]).toEqual(before)
    expect(known.list).toBe(newest)
    expect(told).toEqual([newest])
  })

  test('behavior: a step that ends late does not lead back', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, told, node, readerAt } = await knownOf(chain)
    const first = await known.at(readerAt(chain.stateRootHash()))
    chain.attest(testFeedId(1), { amount: 5n })
    const slow = readerAt(await chain.advance())
    const expected = chain.readings()
    const held = holdAnswers(chain.answer, () => true)
    node.answer = held.answer
    const late = known.at(slow)
    await settle()
    node.answer = chain.answer
    chain.attest(testFeedId(2), { amount: 6n })
    const newest = await known.at(readerAt(await chain.advance()))
    while (held.held() > 0) {
      held.release()
      await settle()
    }
    expect([...(await late).readings]).toEqual(expected)
    expect(known.list).toBe(newest)
    expect(told).toEqual([first, newest])
  })

  test('behavior: after more new events than reading all costs, all feeds are read again, in the background', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, calls, rpc, state, readerAt } = await knownOf(chain)
    await known.at(readerAt(chain.stateRootHash()))
    const hash = await attestOften(chain)
    const { node } = await getStateRootHash(rpc)
    const deadline = new AbortController()
    const reader = createRootReader(state, hash, 2, deadline.signal)
    calls.reset()
    expect(await known.advance(reader, { hash, node, verification: null })).toBeNull()
    deadline.abort()
    while (known.list?.stateRootHash !== hash) await settle()
    expect([...(known.list?.readings ?? [])]).toEqual(chain.readings())
    expect(calls.total()).toBeLessThan(30)
  })

  test('behavior: a list after that many new events waits for the new reading', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, calls, readerAt } = await knownOf(chain)
    await known.at(readerAt(chain.stateRootHash()))
    const reader = readerAt(await attestOften(chain))
    calls.reset()
    expect([...(await known.at(reader)).readings]).toEqual(chain.readings())
    expect(calls.total()).toBeLessThan(30)
  })

  test('behavior: the newest events are kept when all feeds are read again', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, calls, readerAt } = await knownOf(chain)
    await known.at(readerAt(chain.stateRootHash()))
    chain.attest(testFeedId(1), { amount: 5n })
    await known.at(readerAt(await chain.advance()))
    const reader = readerAt(await attestOften(chain))
    const logs = known.logs(reader, await known.at(reader))
    expect(await callsOf(calls, () => logs.readEvent('AttestationRegistry', 3))).toBe(0)
    expect(await callsOf(calls, () => logs.readEvent('AttestationRegistry', 4))).toBe(1)
  })

  test('behavior: log lengths of an older root are read after those of a newer one', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, readerAt } = await knownOf(chain)
    const older = readerAt(chain.stateRootHash())
    chain.attest(testFeedId(1), { amount: 5n })
    const newer = readerAt(await chain.advance())
    expect([await known.logLengths(newer, null), await known.logLengths(older, null)]).toEqual([
      'f3.a4',
      'f3.a3',
    ])
  })

  test('behavior: the fifth read of another event in place of a known one replaces the chain', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, node, readerAt } = await knownOf(chain)
    await known.at(readerAt(chain.stateRootHash()))
    const other = chain.fork()
    chain.attest(testFeedId(1), { amount: 5n })
    const before = await known.at(readerAt(await chain.advance()))
    other.attest(testFeedId(1), { amount: 6n })
    const root = await other.advance()
    node.answer = other.answer
    for (let read = 1; read <= 4; read++) {
      expect((await errorOf(known.at(readerAt(root)))).message).toContain('differs from an earlier read')
      expect(known.list).toBe(before)
    }
    const after = await known.at(readerAt(root))
    expect([...after.readings]).toEqual(other.readings())
    expect(after.chain).not.toBe(before.chain)
  })

  test.each([
    ['later', 1, null],
    ['earlier', -1, 4],
  ])('behavior: five times fewer feeds at a block that is %s', async (_, offsetMs, left) => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, rpc, node, readerAt } = await knownOf(chain)
    const shorter = chain.fork()
    chain.register('NEW')
    const list = await known.at(readerAt(await chain.advance()))
    const blockTimestamp = 1_700_001_000_000
    const rootAt = async (timestamp: number) => ({
      ...(await getStateRootHash(rpc)),
      verification: { ...verification, blockTimestamp: timestamp },
    })
    known.confirm(await rootAt(blockTimestamp), list)
    node.answer = shorter.answer
    const root = await rootAt(blockTimestamp + offsetMs)
    for (let read = 1; read <= 5; read++) {
      const error = await errorOf(known.advance(readerAt(root.hash), root))
      expect(error).toEqual(new LaggingNodeError('FeedRegistry', 3, 4))
    }
    expect(known.list?.entries.size ?? null).toBe(left)
  })

  test('error: a step that fails is taken again, and the packages are looked up for it', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, calls, node, readerAt } = await knownOf(chain)
    await known.at(readerAt(chain.stateRootHash()))
    chain.attest(testFeedId(1), { amount: 5n })
    const reader = readerAt(await chain.advance())
    node.answer = out
    expect((await errorOf(known.at(reader))).message).toContain('out of order')
    node.answer = chain.answer
    expect(await callsOf(calls, () => known.at(reader))).toBe(4 + 3 + 2)
    expect([...(known.list?.readings ?? [])]).toEqual(chain.readings())
  })

  test('error: a load that fails is tried again', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { known, node, readerAt } = await knownOf(chain)
    const reader = readerAt(chain.stateRootHash())
    node.answer = out
    for (const error of await Promise.all([errorOf(known.at(reader)), errorOf(known.at(reader))]))
      expect(error.message).toContain('out of order')
    node.answer = chain.answer
    expect([...(await known.at(reader)).readings]).toEqual(chain.readings())
  })
})
