import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { DeadlineError, PackageNotFoundError } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { stateRootOf } from '@wattfeed/casper-devnet/testing/recordedNode'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { AdvanceEvent } from '../../src/client/clientOptions.ts'
import { createClient } from '../../src/client/createClient.ts'
import { LaggingNodeError } from '../../src/client/errors.ts'
import { attestBare, bareReading, createBareChain, registerBare } from '../support/bareChain.ts'
import { callsOf, holdAnswers, localClient } from '../support/localClient.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId

const isRoot = (method: string): boolean => method === 'chain_get_state_root_hash'

/** A chain that replaces another one: the same packages, everything else new. */
function restarted(chain: RegistryChain, next: RegistryChain): AnswerRpc {
  const packages = new Map([
    [chain.feedRegistryPackageHash, next.feedRegistryPackageHash],
    [chain.attestationRegistryPackageHash, next.attestationRegistryPackageHash],
  ])
  return (method, params) => {
    if (method === 'info_get_status') return chain.answer(method, params)
    const key = packages.get(String(memberAt(params, 'key')))
    return next.answer(method, key === undefined ? params : { ...Object(params), key })
  }
}

describe('one state root', () => {
  test('default: the first list of n feeds takes 9 + 3n calls', async () => {
    const chain = await createRegistryChain({ feeds: 7 })
    const { client, calls } = localClient(chain)
    expect(await callsOf(calls, () => client.listReadings())).toBe(9 + 3 * 7)
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: as long as it stays, an answer costs one call', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    const readings = await client.listReadings()
    expect(await callsOf(calls, () => client.listReadings())).toBe(1)
    expect(await client.listReadings()).toBe(readings)
    expect(await callsOf(calls, () => client.getReading(id(1)))).toBe(1)
    expect(await callsOf(calls, () => client.feedCount())).toBe(1)
    expect(await callsOf(calls, () => client.getReading('ABSENT'))).toBe(1)
  })

  test('behavior: all waiting callers share one call', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    await client.listReadings()
    const all = () => Promise.all(Array.from({ length: 500 }, () => client.getReading(id(1))))
    expect(await callsOf(calls, all)).toBe(1)
  })

  test('behavior: the first reads of one feed share their calls', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    const all = () => Promise.all(Array.from({ length: 100 }, () => client.getReading(id(1))))
    expect(await callsOf(calls, all)).toBe(1 + 1 + 4 + 2)
  })

  test('behavior: the first lists share their calls', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    const all = () => Promise.all(Array.from({ length: 100 }, () => client.listReadings()))
    expect(await callsOf(calls, all)).toBe(9 + 3 * 3)
  })

  test('behavior: no answer is older than its question', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    // A slow call does not delay the next one.
    using _ = stopClock()
    const { client, calls, answerWith } = localClient(chain)
    await client.listReadings()
    const { answer, held, release } = holdAnswers(chain.answer, isRoot)
    const asOfBefore = chain.answerAsOf(chain.stateRootHash())
    answerWith((method, params) => (isRoot(method) ? answer(method, params) : chain.answer(method, params)))
    const early = client.snapshot()
    await settle()
    expect(held()).toBe(1)
    // The answer to the first call is in flight when the chain advances.
    const frozen = await asOfBefore('chain_get_state_root_hash', {})
    chain.attest(id(0), { amount: 77n })
    const after = await chain.advance()
    const late = Promise.all([client.snapshot(), client.getReading(id(0))])
    await settle()
    expect(held()).toBe(1)
    answerWith(chain.answer)
    release()
    expect((await early).stateRootHash).toBe(after)
    const [snapshot, reading] = await late
    expect([snapshot.stateRootHash, reading?.amount]).toEqual([after, 77n])
    expect(memberAt(frozen, 'result', 'state_root_hash')).not.toBe(after)
    expect(calls.byMethod().chain_get_state_root_hash).toBe(3)
  })
})

describe('a new state root', () => {
  // feeds/feedList.test.ts says what each call reads.
  const changes: [string, (chain: RegistryChain) => void, number][] = [
    ['one attestation', (chain) => chain.attest(id(0), { amount: 9n }), 2],
    [
      'five attestations',
      (chain) => {
        for (let index = 0; index < 5; index++) chain.attest(id(index), { amount: 9n })
      },
      2 * 5,
    ],
    [
      'three changes of metadata',
      (chain) => {
        for (let index = 0; index < 3; index++) chain.register(id(index), { unit: 'changed' })
      },
      2 * 3,
    ],
    [
      'a new feed with a value',
      (chain) => {
        chain.register('NEW')
        chain.attest('NEW', {})
      },
      1 + 2 + 1,
    ],
    ['a new feed without a value', (chain) => chain.register('NEW'), 2],
    ['metadata of a feed without a value', (chain) => chain.register('EMPTY', { unit: 'changed' }), 1],
    ['no change', () => {}, 0],
  ]
  test.each(changes)('behavior: %s has the right list, at the least cost', async (_, change, cost) => {
    const chain = await createRegistryChain({ feeds: 5 })
    chain.register('EMPTY')
    await chain.advance()
    const { client, calls } = localClient(chain)
    const before = await client.listReadings()
    change(chain)
    await chain.advance()
    expect(await callsOf(calls, () => client.listReadings())).toBe(1 + 3 + cost)
    const after = await client.listReadings()
    expect([...after]).toEqual(chain.readings())
    expect(after === before).toBe(cost === 0)
  })

  test('behavior: a client that never lists reads two items, and no log', async () => {
    const chain = await createRegistryChain({ feeds: 5 })
    const { client, calls } = localClient(chain)
    await client.getReading(id(0))
    chain.attest(id(1), { amount: 3n })
    await chain.advance()
    expect(await callsOf(calls, () => client.getReading(id(1)))).toBe(1 + 2)
    expect(await client.getReading(id(1))).toEqual(chain.readings()[1] as never)
  })

  test('behavior: any number of skipped roots are one step', async () => {
    const chain = await createRegistryChain({ feeds: 5 })
    const { client, calls } = localClient(chain)
    await client.listReadings()
    for (const amount of [1n, 2n, 3n]) {
      chain.attest(id(0), { amount })
      await chain.advance()
    }
    expect(await callsOf(calls, () => client.listReadings())).toBe(1 + 3 + 2 * 3)
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: reports every step', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const events: AdvanceEvent[] = []
    const { client } = localClient(chain, { observe: { advance: (event) => events.push(event) } })
    const first = chain.stateRootHash()
    await client.getReading(id(0))
    await client.listReadings()
    await client.listReadings()
    chain.attest(id(0), {})
    chain.register('NEW')
    const second = await chain.advance()
    await client.feedCount()
    const third = await chain.advance()
    await client.getReading(id(0))
    expect(events).toEqual([
      { stateRootHash: first, changes: null, feeds: 2, undecodable: 0 },
      { stateRootHash: second, changes: 2, feeds: 3, undecodable: 0 },
      { stateRootHash: third, changes: 0, feeds: 3, undecodable: 0 },
    ])
  })

  test('behavior: lists that start at different roots have the right result', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, answerWith } = localClient(chain)
    const first = await client.snapshot()
    const expected = chain.readings()
    const { answer, release } = holdAnswers(chain.answer, (method) => method === 'state_get_dictionary_item')
    answerWith(answer)
    const firstList = first.listReadings()
    await settle()
    chain.attest(id(1), { amount: 5n })
    chain.register('NEW')
    chain.attest('NEW', { amount: 6n })
    await chain.advance()
    const secondList = client.listReadings()
    await settle()
    answerWith(chain.answer)
    for (let released = 0; released < 20; released++) release()
    expect([...(await secondList)]).toEqual(chain.readings())
    expect([...(await firstList)]).toEqual(expected)
  })

  // A failed list at another root does not make this one fail.
  test('error: a list at a root that the node has forgotten does not fail the next one', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, answerWith } = localClient(chain)
    const first = await client.snapshot()
    const { answer, release } = holdAnswers(chain.answer, (method) => method === 'state_get_dictionary_item')
    answerWith(answer)
    const firstList = first.listReadings().catch((error: unknown) => error)
    await settle()
    await chain.advance()
    answerWith((method, params) => {
      const pruned = memberAt(params, 'state_root_hash') === first.stateRootHash
      return pruned ? { error: { code: -32602, message: 'pruned' } } : chain.answer(method, params)
    })
    const secondList = client.listReadings()
    await settle()
    for (let released = 0; released < 20; released++) release()
    expect([...(await secondList)]).toEqual(chain.readings())
    await firstList
  })
})

describe('snapshot', () => {
  test('default: its reads agree with each other while the chain grows', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client } = localClient(chain)
    const snapshot = await client.snapshot()
    const expected = chain.readings()
    const readAll = async () => ({
      reading: await snapshot.getReading(id(1)),
      feed: await snapshot.getFeed(id(1)),
      value: await snapshot.getValue(id(1)),
      count: await snapshot.getValueCount(id(1)),
      total: await snapshot.totalAttestations(),
      feeds: await snapshot.feedCount(),
      next: await snapshot.feedIdAt(3),
      ids: await snapshot.listFeedIds(),
      list: [...(await snapshot.listReadings())],
    })
    const before = {
      reading: expected[1] ?? null,
      feed: expect.objectContaining({ decimals: 6, title: 'Test feed TEST.FEED.1' }),
      value: expect.objectContaining({ amount: 1_000_003n }),
      count: 1,
      total: 3,
      feeds: 3,
      next: null,
      ids: [id(0), id(1), id(2)],
      list: expected,
    }
    for (let step = 0; step < 3; step++) {
      chain.register(id(1), { unit: `unit ${step}` })
      chain.attest(id(1), { amount: BigInt(step) })
      chain.register(`NEW.${step}`)
      await chain.advance()
      await client.listReadings()
      expect(await readAll()).toEqual(before)
    }
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: has its state root and the time of the fetch', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client } = localClient(chain)
    const first = await client.snapshot()
    expect([first.stateRootHash, first.fetchedAt]).toEqual([chain.stateRootHash(), Date.now()])
    await elapse(500)
    const second = await client.snapshot()
    expect([second.stateRootHash, second.fetchedAt - first.fetchedAt]).toEqual([chain.stateRootHash(), 500])
  })

  test('behavior: caches its reads', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, calls } = localClient(chain)
    const snapshot = await client.snapshot()
    await snapshot.getFeed(id(0))
    expect(await callsOf(calls, () => snapshot.getFeed(id(0)))).toBe(0)
  })

  test('behavior: lists that are requested at once share their calls, also at an older root', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    const snapshot = await client.snapshot()
    const expected = chain.readings()
    chain.attest(id(0), {})
    await chain.advance()
    await client.listReadings()
    calls.reset()
    const lists = await Promise.all([
      snapshot.listReadings(),
      snapshot.listReadings(),
      snapshot.listFeedIds(),
    ])
    expect([...(lists[0] ?? [])]).toEqual(expected as never)
    expect(calls.total()).toBe(2 + 1 + 3 * 3)
  })

  // Everything at its root was known when the snapshot was taken, so nothing is read again.
  test('behavior: lists its own values after the head has changed', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    await client.listReadings()
    chain.attest(id(0), {})
    await chain.advance()
    const snapshot = await client.snapshot()
    const expected = chain.readings()
    chain.attest(id(0), {})
    await chain.advance()
    await client.listReadings()
    calls.reset()
    expect([...(await snapshot.listReadings())]).toEqual(expected)
    expect(calls.total()).toBe(0)
  })
})

describe('slow answers', () => {
  test('behavior: a caller does not wait for the answer to an earlier question', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain)
    await client.listReadings()
    const held = holdAnswers(chain.answer, isRoot)
    answerWith((method, params) => held.answer(method, params))
    const early = client.snapshot()
    await settle()
    const late = client.snapshot()
    await elapse(10)
    expect(held.held()).toBe(2)
    await chain.advance()
    held.release()
    held.release()
    expect([(await early).stateRootHash, (await late).stateRootHash]).toEqual(
      Array(2).fill(chain.stateRootHash()),
    )
  })

  // Hanging calls take all slots of other calls.
  test('error: a hanging node is not called repeatedly', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain)
    await client.listReadings()
    const held = holdAnswers(chain.answer, isRoot)
    answerWith((method, params) => held.answer(method, params))
    for (let call = 0; call < 100; call++) {
      client.getReading(id(0)).catch(() => {})
      await elapse(10)
    }
    expect(held.held()).toBeLessThanOrEqual(16)
    await elapse(20_000)
  })

  test('behavior: an answer that was overtaken by that to a later question is not used', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain)
    await client.listReadings()
    const before = chain.answerAsOf(chain.stateRootHash())
    const releases: (() => void)[] = []
    let questions = 0
    answerWith(async (method, params) => {
      if (!isRoot(method)) return chain.answer(method, params)
      const answer = questions++ === 0 ? before : chain.answer
      await new Promise<void>((resolve) => releases.push(resolve))
      return answer(method, params)
    })
    const early = client.snapshot()
    await settle()
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    const late = client.snapshot()
    await elapse(10)
    releases[1]?.()
    expect((await late).stateRootHash).toBe(chain.stateRootHash())
    releases[0]?.()
    expect((await early).stateRootHash).toBe(chain.stateRootHash())
  })

  test('behavior: a step that ends late does not lead back where a root may be stale', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain, { maxStalenessMs: 1_000 })
    await client.listReadings()
    await elapse(1_000)
    chain.attest(id(0), { amount: 1n })
    const older = await chain.advance()
    const held = holdAnswers(chain.answer, () => true)
    const answer: AnswerRpc = (method, params) => {
      return stateRootOf(params) === older ? held.answer(method, params) : chain.answer(method, params)
    }
    answerWith(answer)
    const early = client.snapshot()
    await settle()
    chain.attest(id(0), { amount: 2n })
    const newer = await chain.advance()
    const late = client.snapshot()
    await elapse(20)
    expect((await late).stateRootHash).toBe(newer)
    while (held.held() > 0) {
      held.release()
      await settle()
    }
    // The early read found a root older than one returned meanwhile, so it reads again.
    await elapse(1_000)
    expect((await early).stateRootHash).toBe(newer)
    expect((await client.snapshot()).stateRootHash).toBe(newer)
  })

  /** Two overlapping reads: the answers of the first at its root are held back, those of the second at a newer root are not. */
  async function overtaken(late: (chain: RegistryChain) => AnswerRpc) {
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, calls, answerWith } = localClient(chain, { maxStalenessMs: 1_000 })
    await client.listReadings()
    await elapse(1_000)
    const older = await chain.advance()
    const held = holdAnswers(late(chain), () => true)
    answerWith((method, params) =>
      stateRootOf(params) === older ? held.answer(method, params) : chain.answer(method, params),
    )
    const early = client.snapshot().catch(() => null)
    await settle()
    const newer = await chain.advance()
    const second = client.snapshot()
    await elapse(20)
    expect((await second).stateRootHash).toBe(newer)
    await client.getFeed(id(0))
    async function release(): Promise<void> {
      while (held.held() > 0) {
        held.release()
        await settle()
      }
      await early
    }
    return { client, calls, newer, release }
  }

  test('behavior: a step that ends late, without a change, does not lead back either', async () => {
    using _ = stopClock()
    const { client, newer, release } = await overtaken(({ answer }) => answer)
    await release()
    expect((await client.snapshot()).stateRootHash).toBe(newer)
  })

  test('error: what is cached at a newer root stays after a step that fails late', async () => {
    using _ = stopClock()
    const { client, calls, release } = await overtaken(() => () => ({
      error: { code: -32602, message: 'no' },
    }))
    await release()
    await elapse(1_000)
    calls.reset()
    await client.getFeed(id(0))
    // After the failure, the packages are looked up again.
    expect(calls.byMethod()).toEqual({ chain_get_state_root_hash: 1, query_global_state: 2 })
  })

  test('behavior: a step that ends late is not spoilt by a later one that failed', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain)
    await client.listReadings()
    chain.attest(id(0), { amount: 1n })
    const older = await chain.advance()
    const held = holdAnswers(chain.answer, () => true)
    answerWith((method, params) => {
      if (isRoot(method)) return chain.answer(method, params)
      if (stateRootOf(params) === older) return held.answer(method, params)
      return { error: { code: -32602, message: 'out of order' } }
    })
    const early = client.snapshot().then(
      ({ stateRootHash }) => stateRootHash,
      (error: unknown) => error,
    )
    await settle()
    await chain.advance()
    const late = errorOf(client.snapshot())
    await elapse(20)
    expect((await late).message).toContain('out of order')
    while (held.held() > 0) {
      held.release()
      await settle()
    }
    expect(await early).toBe(older)
  })
})

describe('maxStalenessMs', () => {
  test('default: a root that is younger is used without asking', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, calls } = localClient(chain, { maxStalenessMs: 5_000 })
    await client.listReadings()
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    await elapse(4_999)
    expect(await callsOf(calls, () => client.listReadings())).toBe(0)
    expect((await client.getReading(id(0)))?.amount).toBe(0n)
    expect((await client.snapshot()).ageMs()).toBe(4_999)
    await elapse(1)
    expect(await callsOf(calls, () => client.listReadings())).toBe(1 + 3 + 2)
    expect((await client.getReading(id(0)))?.amount).toBe(5n)
  })

  test('behavior: asking for the same root makes it young again', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 1 })
    const { client, calls } = localClient(chain, { maxStalenessMs: 5_000 })
    await client.feedCount()
    await elapse(5_000)
    expect(await callsOf(calls, () => client.feedCount())).toBe(1)
    await elapse(4_999)
    expect(await callsOf(calls, () => client.feedCount())).toBe(0)
  })
})

describe('the packages', () => {
  test('default: are looked up again after a minute, beside other reads', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, calls } = localClient(chain)
    await client.listReadings()
    await elapse(59_000)
    calls.reset()
    await client.listReadings()
    await settle()
    // In the background: the node's newest block at most every 15 s, and the count at most every 10.
    expect(calls.byMethod()).toEqual({
      chain_get_state_root_hash: 1,
      info_get_status: 1,
      state_get_dictionary_item: 1,
    })
    await elapse(1_000)
    calls.reset()
    await client.listReadings()
    await settle()
    expect(calls.byMethod()).toEqual({ chain_get_state_root_hash: 1, query_global_state: 2 })
    expect(await callsOf(calls, () => client.listReadings())).toBe(1)
  })

  test('behavior: after an upgrade everything reads as before', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, calls } = localClient(chain)
    await client.listReadings()
    await chain.upgrade()
    chain.attest(id(1), { amount: 8n })
    await chain.advance()
    expect(await callsOf(calls, () => client.listReadings())).toBe(1 + 3 + 2)
    await elapse(60_000)
    chain.attest(id(0), { amount: 9n })
    await chain.advance()
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    chain.attest(id(0), { amount: 10n })
    await chain.advance()
    calls.reset()
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    expect(calls.byMethod()).toMatchObject({ chain_get_state_root_hash: 1, state_get_dictionary_item: 3 })
  })

  test('behavior: a chain that was restarted at the same URL is followed', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    await client.listReadings()
    const next = await createRegistryChain({ chainName: 'restarted' })
    for (const feedId of ['OTHER.0', 'OTHER.1', id(2)]) {
      next.register(feedId)
      next.attest(feedId, {})
    }
    await next.advance()
    answerWith(restarted(chain, next))
    expect([...(await client.listReadings())]).toEqual(next.readings())
    next.attest(id(2), { amount: 7n })
    await next.advance()
    expect([...(await client.listReadings())]).toEqual(next.readings())
    expect(await client.getReading('ABSENT')).toBeNull()
  })

  test('behavior: a restarted chain is found by a read of an item too', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    await client.getReading(id(0))
    const next = await createRegistryChain({ feeds: 3, chainName: 'restarted' })
    answerWith(restarted(chain, next))
    expect(await errorOf(client.getReading(id(2)))).toBeInstanceOf(PackageNotFoundError)
    expect(await client.getReading(id(2))).toEqual(next.readings()[2] as never)
  })

  // The failed confirmation for the old registry must not stay until the next block.
  test('behavior: what a restarted chain does not hold is null as soon as it is found', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    await client.getReading(id(0))
    answerWith(restarted(chain, await createRegistryChain({ feeds: 3, chainName: 'restarted' })))
    expect(await errorOf(client.getFeed('ABSENT'))).toBeInstanceOf(PackageNotFoundError)
    expect(await client.getFeed('ABSENT')).toBeNull()
  })

  test('error: a package that does not exist', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const feedRegistryPackageHash = '00'.repeat(32)
    const { client } = localClient(chain, { feedRegistryPackageHash })
    const error = new PackageNotFoundError('FeedRegistry', feedRegistryPackageHash, 'no contract package')
    for (const read of [
      client.listReadings(),
      client.getReading(id(0)),
      client.getFeed('ABSENT'),
      client.feedCount(),
    ])
      expect(await errorOf(read)).toEqual(error)
    expect(await client.totalAttestations()).toBe(1)
  })
})

describe('a lagging node', () => {
  test('error: the only one is called nine times, after growing pauses', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const behind = chain.answerAsOf(chain.stateRootHash())
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    const lagging = createCallCounter(behind)
    let { answer } = chain
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
    const client = createClient({
      rpcUrls: ['http://node.test/rpc'],
      chainName,
      feedRegistryPackageHash,
      attestationRegistryPackageHash,
      fetch: localFetch((method, params) => answer(method, params)),
    })
    await client.listReadings()
    answer = lagging.answer
    const error = errorOf(client.listReadings())
    const times = () => lagging.byMethod().chain_get_state_root_hash
    await settle()
    expect(times()).toBe(1)
    // The first pause takes 20 to 40 ms, the second one 40 to 80.
    await elapse(40)
    expect(times()).toBe(2)
    await elapse(9_000)
    expect(await error).toEqual(new LaggingNodeError('AttestationRegistry', 2, 3))
    expect(times()).toBe(9)
    answer = chain.answer
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: is called again until it has caught up', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const behind = chain.answerAsOf(chain.stateRootHash())
    chain.attest(id(1), { amount: 5n })
    await chain.advance()
    const { client, answerWith } = localClient(chain)
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    let lags = 3
    answerWith((method, params) => {
      if (isRoot(method) && lags-- > 0) return behind(method, params)
      return chain.answer(method, params)
    })
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  test('behavior: is skipped if there is another one', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const asked: string[] = []
    const answers: Record<string, AnswerRpc> = { a: chain.answer, b: chain.answer }
    const { client } = localClient(chain, {
      rpcUrls: ['http://a/rpc', 'http://b/rpc'],
      fetch(url, init) {
        const { host } = new URL(url)
        return localFetch((method, params) => {
          if (isRoot(method)) asked.push(host)
          return (answers[host] ?? chain.answer)(method, params)
        })(url, init)
      },
    })
    const behind = chain.answerAsOf(chain.stateRootHash())
    chain.attest(id(1), { amount: 5n })
    await chain.advance()
    await client.listReadings()
    answers.a = behind
    asked.length = 0
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    expect(asked).toEqual(['a', 'b'])
  })

  test('behavior: an older root without any change since is as good', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const behind = chain.answerAsOf(chain.stateRootHash())
    await chain.advance()
    const { client, answerWith } = localClient(chain)
    const readings = await client.listReadings()
    answerWith(behind)
    expect(await client.listReadings()).toBe(readings)
  })
})

describe('failures', () => {
  test('behavior: a client started while the node is down reads once it is up', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    answerWith(() => ({ error: { code: -32601, message: 'starting up' } }))
    expect((await errorOf(client.listReadings())).message).toContain('starting up')
    answerWith(chain.answer)
    expect([...(await client.listReadings())]).toEqual(chain.readings())
  })

  // The log has an event that this version cannot decode. Whatever it may have changed must be read again.
  test('behavior: an event that does not decode does not stop the list permanently', async () => {
    const chain = createBareChain()
    registerBare(chain, 'A', 0)
    attestBare(chain, 'A', 1n)
    await chain.advance()
    const { client } = localClient(chain)
    await client.listReadings()
    chain.attestations.emit('RevenueAttested', 'ff')
    attestBare(chain, 'A', 2n)
    await chain.advance()
    await client.listReadings().catch(() => {})
    expect([...(await client.listReadings())]).toEqual([bareReading('A', 2n)])
  })
})

describe('the deadline', () => {
  /** Delays answers by this time, on a clock that stands still. */
  const slow =
    (chain: RegistryChain, delays: Record<string, number>): AnswerRpc =>
    async (method, params) => {
      const delayMs = delays[method] ?? 0
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      return chain.answer(method, params)
    }

  /** The outcome of a read with a deadline of one second, when every answer of a method has this delay. */
  async function outcomeOf(
    read: (client: ReturnType<typeof localClient>['client']) => Promise<unknown>,
    delays: Record<string, number>,
  ): Promise<unknown> {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain, { deadlineMs: 1_000 })
    await client.snapshot()
    answerWith(slow(chain, delays))
    let outcome: unknown = 'waits'
    read(client).then(
      () => {
        outcome = 'done'
      },
      (error: unknown) => {
        outcome = error
      },
    )
    await elapse(1_010)
    return outcome
  }

  test('default: a read that is fast enough ends', async () => {
    const delays = { chain_get_state_root_hash: 300, state_get_dictionary_item: 300, query_global_state: 100 }
    expect(await outcomeOf((client) => client.getReading(id(0)), delays)).toBe('done')
  })

  type Client = ReturnType<typeof localClient>['client']
  const [read, list, history] = [
    (client: Client) => client.getReading(id(0)),
    (client: Client) => client.listReadings(),
    (client: Client) => client.getValueHistory(id(0)),
  ]
  test.each<[string, (client: Client) => Promise<unknown>, Record<string, number>]>([
    ['a root that does not come', read, { chain_get_state_root_hash: 1e9 }],
    ['values that do not come', history, { state_get_dictionary_item: 1e9 }],
    [
      'all steps of a read of an item together',
      read,
      { chain_get_state_root_hash: 700, state_get_dictionary_item: 700 },
    ],
    [
      'all steps of a list together',
      list,
      { chain_get_state_root_hash: 700, state_get_dictionary_item: 700 },
    ],
    [
      'all steps of a history together',
      history,
      { chain_get_state_root_hash: 400, state_get_dictionary_item: 400 },
    ],
  ])('error: it holds for %s', async (_, slowRead, delays) => {
    expect(await outcomeOf(slowRead, delays)).toBeInstanceOf(DeadlineError)
  })

  test('error: it is reported together with the fault of a node that lags', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const answer = chain.answerAsOf(chain.stateRootHash())
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    const { client, answerWith } = localClient(chain, { deadlineMs: 1_000 })
    await client.listReadings()
    answerWith(slow({ ...chain, answer }, { chain_get_state_root_hash: 300 }))
    const error = errorOf(client.listReadings())
    await elapse(1_010)
    expect(await error).toBeInstanceOf(DeadlineError)
    expect((await error).message).toContain('lagging node')
  })

  test('behavior: a step that times out ends, so that the next one can start', async () => {
    using _ = stopClock()
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain, { deadlineMs: 1_000 })
    await client.listReadings()
    chain.attest(id(0), { amount: 5n })
    await chain.advance()
    answerWith(slow(chain, { chain_get_state_root_hash: 900, query_global_state: 1e9 }))
    const first = errorOf(client.listReadings())
    await elapse(1_010)
    expect(await first).toBeInstanceOf(DeadlineError)
    answerWith(chain.answer)
    let amount: bigint | undefined
    client.getReading(id(0)).then((reading) => {
      amount = reading?.amount
    })
    await elapse(500)
    expect(amount).toBe(5n)
  })
})
