import { describe, expect, test } from 'bun:test'
import type { Pending } from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import { Ballots } from '../../../../src/agent/committee/ballots.ts'
import type { Differing } from '../../../../src/agent/committee/roots/convergence.ts'
import { LOOK_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import { RootsDifferError, RootVote } from '../../../../src/agent/committee/roots/rootVote.ts'
import { LIFETIME_MS, SLOT_MS } from '../../../../src/agent/committee/slot.ts'
import type { ChainValue } from '../../../../src/agent/plan/decide.ts'
import { createAttestPurpose } from '../../../../src/agent/state/attestPurpose.ts'
import { weekly } from '../../datasets/fakes.ts'
import { createManualWait, executedAs, turn } from '../../run/fakes.ts'
import { announced, createRoots, dataset, feedId, leafOf, rootOf, T, threeOfFive } from './bench.ts'

const PATIENCE_MS = 10 * LOOK_MS
const chainValue = (root: string): ChainValue => ({ period: 20_261_116, amount: 100n, source_hash: root })

/** A member that waits for its root, with the real ballots. The test ends each look. */
function createBench({
  latest = null,
  readsAgain = true,
}: {
  latest?: ChainValue | null
  readsAgain?: boolean
} = {}) {
  const { roots, hold, world: time } = createRoots()
  const world = Object.assign(time, {
    /** The machine's clock, which may be set. */
    clock: T,
    isExhausted: false,
    differing: null as Differing | null,
    keys: threeOfFive as typeof threeOfFive | null,
  })
  const stop = new AbortController()
  const { wait, waits } = createManualWait()
  const nameOf = (key: string) => `name of ${key}`
  const ballots = new Ballots({
    ...{ nameOf, keyHash: 'a', unready: () => null, wait },
    ...{ patienceMs: 1, stop: stop.signal },
  })
  const vote = new RootVote({
    ...{ roots, ballots, nameOf, stop: stop.signal },
    convergence: { isExhausted: () => world.isExhausted, differing: () => world.differing },
    keys: () => world.keys,
    patienceMs: PATIENCE_MS,
    readsAgain,
    now: () => world.clock,
    steadyNow: () => world.time,
  })
  hold()
  return {
    ...{ roots, hold, world, stop, ballots, vote, waits },
    /** Begins to wait for what this member held when it planned. */
    begin: (root = rootOf('ab')) =>
      vote.wait(dataset, { feedId, height: 6, latest, values: [chainValue(root)] }),
    /** Ends a look. */
    async look() {
      world.time += LOOK_MS
      waits.at(-1)?.end()
      await turn()
    },
    /** The committee attests a root. */
    execute(root: string) {
      const transaction: Pending = {
        chain_name: 'c',
        purpose: createAttestPurpose([{ feed_id: feedId, ...chainValue(root) }]),
        transaction_hash: root,
        expires_at: 1,
        payment_motes: '1',
        transaction: { Version1: { hash: root } },
      }
      ballots.noteExecuted(transaction, executedAs(root))
    },
    answer: (member: string) =>
      ballots.hear({
        event: 'answered',
        proposal: {
          ...{ hash: rootOf('ab'), timestamp: 1, expiresAt: 2, chainName: 'c', initiator: 'i' },
          ...{
            paymentMotes: 1n,
            payload: null,
            attestations: [{ feed_id: feedId, ...chainValue(rootOf('ab')) }],
          },
        },
        member,
        refusal: null,
      }),
  }
}

/** Whether a wait has ended by now. */
async function isPending(waiting: Promise<unknown>): Promise<boolean> {
  await turn()
  return (
    (await Promise.race([
      waiting.then(
        () => false,
        () => false,
      ),
      turn().then(() => true),
    ])) === true
  )
}

test('default: it finds datasets of the feeds file, and no other feeds', () => {
  const { vote } = createBench()
  expect([vote.find(feedId), vote.find(weekly.feed_id)]).toEqual([dataset, null])
})

describe('wait', () => {
  test('default: it ends with the transaction, and says what was attested', async () => {
    const { begin, execute } = createBench()
    const waiting = begin()
    execute(rootOf('ab'))
    expect(await waiting).toMatchObject({
      executed: { transactionHash: rootOf('ab') },
      about: { row: { value: '100' }, result: { ...chainValue(rootOf('ab')), decision: 'new-period' } },
    })
  })

  test('behavior: it looks every 20 s, and waits for the root that this member holds then', async () => {
    const { begin, execute, hold, look, waits } = createBench()
    const waiting = begin()
    hold({ root: rootOf('cd') })
    await look()
    expect(waits.map(({ ms }) => ms)).toEqual([LOOK_MS, LOOK_MS])
    execute(rootOf('cd'))
    expect(await waiting).toMatchObject({
      executed: { transactionHash: rootOf('cd') },
      about: { result: { source_hash: rootOf('cd') } },
    })
  })

  test('error: if another root is attested than this member holds, the chain has moved', async () => {
    const { begin, execute } = createBench()
    const waiting = errorOf(begin())
    execute(rootOf('cd'))
    expect(await waiting).toMatchObject({
      ...{ code: 'chain_moved', retryable: true },
      found: { source_hash: rootOf('cd') },
    })
  })

  test('behavior: it ends without a transaction if EIA has taken back what was new', async () => {
    const { begin, hold, look } = createBench({ latest: chainValue(rootOf('ef')) })
    const waiting = begin()
    hold({ root: rootOf('ef') })
    await look()
    expect(await waiting).toMatchObject({
      executed: null,
      dropped: [],
      about: { result: { ...chainValue(rootOf('ef')), decision: 'unchanged' } },
    })
  })

  test('behavior: a dataset that has shrunk is waited for: its signature depends on more', async () => {
    const { begin, execute } = createBench({ latest: { ...chainValue(rootOf('ef')), amount: 200n } })
    const waiting = begin()
    execute(rootOf('ab'))
    expect(await waiting).toMatchObject({ about: { result: { decision: 'revision' } } })
  })

  test('error: after its patience, it says what each member has answered', async () => {
    const { begin, look, answer } = createBench()
    const waiting = begin()
    answer('b')
    for (let looks = 1; looks < PATIENCE_MS / LOOK_MS; looks += 1) await look()
    expect(await isPending(waiting)).toBe(true)
    const error = errorOf(waiting)
    await look()
    expect(await error).toMatchObject({
      code: 'waiting_for_approvals',
      message: expect.stringContaining('name of b approved'),
    })
  })

  test("error: its patience ends also if the machine's clock is set back", async () => {
    const { begin, look, world } = createBench()
    const waiting = errorOf(begin())
    world.clock = T - 3_600_000
    for (let looks = 1; looks <= PATIENCE_MS / LOOK_MS; looks += 1) await look()
    expect(await waiting).toMatchObject({ code: 'waiting_for_approvals' })
  })

  test('error: it ends when the agent stops', async () => {
    const { begin, stop } = createBench()
    const waiting = errorOf(begin())
    stop.abort()
    expect(await waiting).toMatchObject({ code: 'waiting_for_approvals' })
  })

  test('error: it ends when the agent stops at the end of a look', async () => {
    const { begin, stop, world, waits, roots } = createBench()
    const waiting = errorOf(begin())
    roots.note(feedId, 'c', announced({ root: rootOf('cd') }))
    world.isExhausted = true
    world.time += LOOK_MS
    waits[0]?.end()
    stop.abort()
    expect(await waiting).toMatchObject({ code: 'waiting_for_approvals' })
    expect(waits.length).toBe(1)
  })

  test('error: it ends if the feeds file selects something else meanwhile', async () => {
    const { begin, hold, look } = createBench()
    const waiting = errorOf(begin())
    hold({}, { ...dataset, dataset: { columns: ['value'], periods: 2 } })
    await look()
    expect(await waiting).toMatchObject({ code: 'root_not_held', retryable: true })
  })
})

describe('members that differ', () => {
  const differing = { ...announced(), root: rootOf('cd') }

  test('error: the dataset is read again if rounds do not help and too few agree', async () => {
    const { begin, look, world, roots } = createBench()
    const waiting = errorOf(begin())
    roots.note(feedId, 'b', announced())
    for (const member of ['c', 'd']) roots.note(feedId, member, differing)
    world.isExhausted = true
    await look()
    expect(await waiting).toMatchObject({
      ...{ code: 'roots_differ', retryable: true, feedId, own: rootOf('ab') },
      ...{ members: ['name of c', 'name of d'], first: null },
    })
    expect(await waiting).toBeInstanceOf(RootsDifferError)
  })

  test('error: the wait grows up to a minute while no root changes, and a stranger is not heard', async () => {
    const { begin, hold, look, world, roots } = createBench()
    world.isExhausted = true
    const waitOf = async (root: string) => {
      const waiting = errorOf(begin())
      roots.note(feedId, 'c', { ...differing, root })
      roots.note(feedId, 'stranger', { ...differing, root: `${world.time}`.padStart(64, '0') })
      await look()
      const error = await waiting
      return error instanceof RootsDifferError ? [error.waitMs, error.members] : error
    }
    for (const seconds of [30, 60, 60])
      expect(await waitOf(rootOf('cd'))).toEqual([1_000 * seconds, ['name of c']])
    expect(await waitOf(rootOf('ef'))).toEqual([30_000, ['name of c']])
    expect(await waitOf(rootOf('ef'))).toEqual([60_000, ['name of c']])
    hold({ root: rootOf('01') })
    expect(await waitOf(rootOf('ef'))).toEqual([30_000, ['name of c']])
  })

  test('error: it names the first value that differs', async () => {
    const { begin, look, world, roots } = createBench()
    const waiting = errorOf(begin())
    roots.note(feedId, 'c', differing)
    const { value: _value, unit: _unit, ...key } = leafOf(1)
    const leaves = { key, own: leafOf(1), other: null }
    const first = { ...leaves, member: 'c', ownRoot: rootOf('ab'), otherRoot: rootOf('cd') }
    Object.assign(world, { isExhausted: true, differing: { since: T, first } })
    await look()
    expect((await waiting).message).toContain(
      `this one ${rootOf('ab')}, and name of c others; first petroleum/pri/spt daily value series=000001 2026-11-16: here 1 $/BBL, at name of c none; each reads`,
    )
  })

  test('error: the dataset is read again if a root that enough have announced is not attested in time', async () => {
    const { begin, look, world, roots } = createBench()
    const waiting = begin()
    const announce = () => {
      for (const member of ['b', 'd']) roots.note(feedId, member, announced())
      roots.note(feedId, 'c', differing)
    }
    announce()
    world.isExhausted = true
    world.time = T + LIFETIME_MS + SLOT_MS - LOOK_MS - 1
    announce()
    await look()
    expect(await isPending(waiting)).toBe(true)
    world.time = T + LIFETIME_MS + SLOT_MS - LOOK_MS
    const error = errorOf(waiting)
    await look()
    expect(await error).toMatchObject({ code: 'roots_differ', members: ['name of c'] })
  })

  test('behavior: a command, which reads once, waits for members that start later', async () => {
    const { begin, look, world, roots, execute } = createBench({ readsAgain: false })
    const waiting = begin()
    for (const member of ['c', 'd']) roots.note(feedId, member, differing)
    world.isExhausted = true
    await look()
    expect(await isPending(waiting)).toBe(true)
    execute(rootOf('ab'))
    expect(await waiting).toMatchObject({ executed: { transactionHash: rootOf('ab') } })
  })

  test('behavior: a member that says another size of the same root holds another one', async () => {
    const { begin, look, world, roots } = createBench()
    const waiting = errorOf(begin())
    roots.note(feedId, 'c', announced({ size: 99 }))
    world.isExhausted = true
    await look()
    expect(await waiting).toMatchObject({ code: 'roots_differ', members: ['name of c'] })
  })

  test.each<[string, (bench: ReturnType<typeof createBench>) => void]>([
    [
      'further rounds may help',
      ({ world }) => {
        world.isExhausted = false
      },
    ],
    [
      'enough agree',
      ({ roots }) => {
        for (const member of ['d', 'e']) roots.note(feedId, member, announced())
      },
    ],
    [
      'no block was read',
      ({ world }) => {
        world.keys = null
      },
    ],
    [
      'the others are silent',
      ({ world }) => {
        world.time += 150_000
      },
    ],
  ])('behavior: it waits on if %s', async (_, change) => {
    const bench = createBench()
    const { begin, look, world, roots, execute } = bench
    const waiting = begin()
    roots.note(feedId, 'c', differing)
    world.isExhausted = true
    change(bench)
    await look()
    expect(await isPending(waiting)).toBe(true)
    execute(rootOf('ab'))
    expect(await waiting).toMatchObject({ executed: { transactionHash: rootOf('ab') } })
  })
})
