import { describe, expect, test } from 'bun:test'
import type { Leaf, LeafKey } from '@wattfeed/dataset'
import { DifferenceTooLargeError, type Side } from '@wattfeed/dataset/compare'
import { Convergence } from '../../../../src/agent/committee/roots/convergence.ts'
import { LOOK_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import type { DatasetKeeper } from '../../../../src/agent/datasets/datasetKeeper.ts'
import type { AnnouncedRoot } from '../../../../src/agent/state/announcedRoots.ts'
import type { DatasetConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { takenOf, weekly } from '../../datasets/fakes.ts'
import { createManualWait, turn } from '../../run/fakes.ts'
import {
  announced,
  createRoots,
  createSides,
  dataset,
  feedId,
  keysOf,
  leafOf,
  rootOf,
  T,
  threeOfFive,
} from './bench.ts'

const MINUTE = 60_000

/** The leaves 0 to 9 with value 1, of which those named have another one; null for none. */
function leavesOf(changes: Readonly<Record<number, string | null>> = {}): Leaf[] {
  const numbers = new Set([...Array(10).keys(), ...Object.keys(changes).map(Number)])
  return [...numbers]
    .sort((a, b) => a - b)
    .flatMap((number) => {
      const value = number in changes ? changes[number] : '1'
      return value === null ? [] : [leafOf(number, value)]
    })
}

const keyOf = (number: number): LeafKey => {
  const { value: _value, unit: _unit, ...key } = leafOf(number)
  return key
}

/** The member `a`, which holds a snapshot of the leaves, with peers whose snapshots the test sets. */
async function createBench(own: readonly Leaf[] = leavesOf()) {
  const resources = new DisposableStack()
  const sides = resources.use(createSides())
  const { roots, hold, world: time, events, eventsOf } = createRoots()
  const stop = new AbortController()
  const side = await sides.of('own', own)
  const opened = new Map([[side.root, side]])
  const peers = new Map<string, Side>()
  const asked: { root: string; keys: readonly LeafKey[] }[] = []
  const compared: string[] = []
  const changed: string[] = []
  const behind: string[] = []
  const { wait, waits } = createManualWait()
  const failed: [member: string | null, error: Error][] = []
  const world = Object.assign(time, {
    /** What EIA says now; null if it is what the snapshot has. */
    answer: async (_signal: AbortSignal, _keys: readonly LeafKey[]): ReturnType<DatasetKeeper['askAgain']> =>
      'same',
    random: [] as number[],
  })
  const take = (changes: Parameters<typeof takenOf>[0] = {}) =>
    hold({ root: side.root, size: side.size, ...changes })
  take()
  const convergence = new Convergence({
    roots,
    keeper: {
      openSide: async (_, root) => opened.get(root) ?? null,
      async askAgain(_, root, keys, signal) {
        asked.push({ root, keys })
        return world.answer(signal, keys)
      },
    },
    peers: {
      sideOf(member, of, { root, size }) {
        compared.push(member)
        const other = peers.get(member)
        if (other === undefined) throw new Error(`${member} has no snapshot of ${of}`)
        return { ...other, root, size }
      },
    },
    now: () => world.time,
    random: () => world.random.shift() ?? 0,
    wait,
    onBehind: ({ feed_id }) => void behind.push(feed_id),
    stop: stop.signal,
    onChanged: ({ feed_id }) => void changed.push(feed_id),
    onEvent: (event) => void events.push(event),
    onFailed: (_, member, error) => void failed.push([member, error]),
  })
  return {
    ...{
      roots,
      take,
      world,
      events,
      eventsOf,
      stop,
      side,
      peers,
      asked,
      compared,
      changed,
      failed,
      behind,
      waits,
      convergence,
    },
    /** Lets members announce a snapshot, and show it. */
    async announce(members: string, leaves: readonly Leaf[], changes: Partial<AnnouncedRoot> = {}) {
      const other = await sides.of(`member ${members}`, leaves)
      for (const member of members) {
        peers.set(member, other)
        roots.note(feedId, member, announced({ root: other.root, size: other.size, ...changes }))
      }
      return other
    },
    /** What EIA says from now on, which is written as another snapshot. */
    async answerWith(leaves: readonly Leaf[]) {
      const next = await sides.of('next', leaves)
      opened.set(next.root, next)
      world.answer = async () => takenOf({ root: next.root, size: next.size })
      return next
    },
    round: (keys = threeOfFive) => convergence.converge(keys),
    [Symbol.dispose]: () => resources.dispose(),
  }
}

describe('a round', () => {
  test('default: EIA is asked again for the keys that differ, and what it says now is held', async () => {
    using bench = await createBench()
    const { roots, side, asked, changed, eventsOf } = bench
    await bench.announce('b', leavesOf({ 3: '5', 4: null, 12: '7' }))
    // EIA says neither what this member had, nor what the other has.
    const next = await bench.answerWith(leavesOf({ 3: '6' }))
    await bench.round()
    expect(asked).toEqual([{ root: side.root, keys: [3, 4, 12].map(keyOf) }])
    expect(roots.held(dataset)).toMatchObject({ taken: 1, manifest: { root: next.root } })
    expect(changed).toEqual([feedId])
    expect(eventsOf('converged')).toEqual([
      { event: 'converged', feedId, round: 1, asked: 3, isChanged: true, others: ['b'] },
    ])
  })

  test('behavior: what another member says is not held if EIA says the same as before', async () => {
    using bench = await createBench()
    const { roots, side, changed, eventsOf } = bench
    await bench.announce('b', leavesOf({ 3: '5' }))
    await bench.round()
    expect([roots.own(dataset)?.root, changed]).toEqual([side.root, []])
    expect(eventsOf('converged')).toMatchObject([{ asked: 1, isChanged: false }])
  })

  test('behavior: a snapshot that EIA was asked again for is dropped if another one was taken meanwhile', async () => {
    using bench = await createBench()
    const { roots, take, world, side, changed } = bench
    await bench.announce('b', leavesOf({ 3: '5' }))
    world.answer = async () => {
      take({ retrievedAt: 9 })
      return takenOf({ root: rootOf('cd') })
    }
    await bench.round()
    expect(roots.own(dataset)).toMatchObject({ root: side.root, began: 9 })
    expect(changed).toEqual([])
  })

  test('behavior: one that holds what most hold, and one that holds something else', async () => {
    using bench = await createBench()
    const { asked, compared, world } = bench
    await bench.announce('b', leavesOf({ 1: '2' }))
    await bench.announce('cd', leavesOf({ 2: '2', 3: '2' }))
    await bench.announce('e', leavesOf({ 3: '3', 4: '2' }))
    // The order of chance: d, e, b, c.
    world.random = [0.3, 0.4, 0.1, 0.2]
    await bench.round()
    expect(compared).toEqual(['d', 'e'])
    expect(asked.map(({ keys }) => keys)).toEqual([[2, 3].map(keyOf), [3, 4].map(keyOf)])
    // c, d, e, b
    world.random = [0.4, 0.1, 0.2, 0.3]
    await bench.round()
    expect(compared).toEqual(['d', 'e', 'c', 'e'])
    // b, e, d, c: the most frequent is first all the same.
    world.random = [0.1, 0.4, 0.3, 0.2]
    await bench.round()
    expect(compared.slice(4)).toEqual(['d', 'b'])
  })

  test('behavior: of members that all hold the same, one is asked', async () => {
    using bench = await createBench()
    await bench.announce('bcd', leavesOf({ 1: '2' }))
    await bench.round()
    expect(bench.compared).toEqual(['b'])
  })

  test('behavior: the next holder of a root is compared if the one before it fails', async () => {
    using bench = await createBench()
    const { asked, compared, failed, peers, eventsOf } = bench
    await bench.announce(['b', 'c', 'd', 'e'].join(''), leavesOf({ 1: '2' }))
    peers.delete('b')
    peers.delete('c')
    await bench.round()
    expect(compared).toEqual(['b', 'c', 'd'])
    expect(failed.map(([member]) => member)).toEqual(['b', 'c'])
    expect(asked.map(({ keys }) => keys)).toEqual([[keyOf(1)]])
    expect(eventsOf('converged')).toMatchObject([{ others: ['d'] }])
  })

  test('behavior: what has another size is another root, whoever most hold it', async () => {
    using bench = await createBench()
    const { compared, roots } = bench
    const { root, size } = await bench.announce('bc', leavesOf({ 1: '2', 12: '2' }))
    await bench.announce('de', leavesOf({ 2: '2' }))
    roots.note(feedId, 'b', announced({ root, size: size + 1 }))
    await bench.round()
    expect(compared.slice(0, 2)).toEqual(['d', 'b'])
  })

  test('behavior: EIA is asked for the keys of each of them apart, so that one that lies does not keep out the other', async () => {
    using bench = await createBench()
    const { asked, failed, world, roots, eventsOf, changed } = bench
    await bench.announce('bc', leavesOf({ 1: '2' }))
    await bench.announce('d', leavesOf({ 2: '2' }))
    const next = await bench.answerWith(leavesOf({ 2: '3' }))
    const { answer } = world
    world.answer = (signal, keys) =>
      asked.length === 1 ? Promise.reject(new Error('refused')) : answer(signal, keys)
    await bench.round()
    expect(asked.map(({ keys }) => keys)).toEqual([[keyOf(1)], [keyOf(2)]])
    expect(failed).toEqual([[null, new Error('refused')]])
    expect([roots.own(dataset)?.root, changed]).toEqual([next.root, [feedId]])
    expect(eventsOf('converged')).toMatchObject([{ asked: 2, isChanged: true }])
  })

  test('behavior: the second keys are asked for the snapshot that is held after the first', async () => {
    using bench = await createBench()
    const { asked, side, changed } = bench
    await bench.announce('bc', leavesOf({ 1: '2' }))
    await bench.announce('d', leavesOf({ 2: '2' }))
    const next = await bench.answerWith(leavesOf({ 1: '2' }))
    await bench.round()
    expect(asked.map(({ root }) => root)).toEqual([side.root, next.root])
    expect(changed).toEqual([feedId, feedId])
  })

  test.each<[string, (side: Side) => Partial<Side>]>([
    ['does not answer', () => ({ digestsOf: () => Promise.reject(new Error('down')) })],
    ['sends no leaves', () => ({ leavesOf: () => Promise.reject(new Error('down')) })],
    [
      'throws at once',
      () => ({
        digestsOf: () => {
          throw new Error('down')
        },
      }),
    ],
    ['sends junk', () => ({ digestsOf: async () => new Uint8Array(7) })],
    [
      'sends a leaf that it has not named',
      ({ leavesOf }) => ({ leavesOf: async ([first = 0]) => leavesOf([first === 0 ? 1 : 0]) }),
    ],
    ['names a wrong size', () => ({ size: 11 })],
    ['shows what this member holds as another root', (side) => side],
  ])('error: a member that %s does not keep it from the others', async (_, lie) => {
    using bench = await createBench()
    const { asked, failed, peers, roots, side } = bench
    const other = await bench.announce('b', leavesOf({ 1: '2' }))
    const liar = { ...other, ...lie(side) }
    peers.set('b', liar)
    const isOwn = liar.digestsOf === side.digestsOf
    roots.note(feedId, 'b', announced({ root: isOwn ? rootOf('ef') : other.root, size: liar.size }))
    await bench.announce('c', leavesOf({ 2: '2' }))
    await bench.round()
    expect(failed.map(([member]) => member)).toEqual(['b'])
    expect(asked.map(({ keys }) => keys)).toEqual([[keyOf(2)]])
  })

  test.each([
    ['digests', 4],
    ['leaves', 0],
  ])(
    'error: a member that is late is left after one look, and is not asked for %s any more',
    async (_, lateLevel) => {
      using bench = await createBench()
      const { failed, peers, asked, waits } = bench
      const other = await bench.announce('b', leavesOf({ 1: '2' }))
      await bench.announce('c', leavesOf({ 2: '2' }))
      const late = Promise.withResolvers<void>()
      const requests: (number | 'leaves')[] = []
      peers.set('b', {
        ...other,
        async digestsOf(level, runs) {
          requests.push(level)
          if (level === lateLevel) await late.promise
          return other.digestsOf(level, runs)
        },
        leavesOf(indices) {
          requests.push('leaves')
          return other.leavesOf(indices)
        },
      })
      const round = bench.round()
      while (waits.filter(({ signal }) => signal.aborted).length === 0) await turn()
      expect(waits.map(({ ms, signal }) => [ms, signal.aborted])).toEqual([
        [LOOK_MS, false],
        [LOOK_MS, true],
      ])
      waits[0]?.end()
      await round
      expect(failed).toMatchObject([['b', { code: 'slow_member' }]])
      expect(asked.map(({ keys }) => keys)).toEqual([[keyOf(2)]])
      late.resolve()
      for (let turns = 0; turns < 20; turns += 1) await turn()
      expect(requests.at(-1)).toBe(lateLevel)
    },
  )

  test('error: a member that is no peer is one that fails', async () => {
    using bench = await createBench()
    const { roots, asked, failed } = bench
    roots.note(feedId, 'b', announced({ root: rootOf('ef') }))
    await bench.announce('c', leavesOf({ 2: '2' }))
    await bench.round()
    expect(failed.map(([member]) => member)).toEqual(['b'])
    expect(asked.length).toBe(1)
  })

  test('error: EIA that fails, or a snapshot that is gone, ends the round alone', async () => {
    using bench = await createBench()
    const { failed, world, roots, side, convergence, take } = bench
    await bench.announce('b', leavesOf({ 1: '2' }))
    world.answer = () => Promise.reject(new Error('EIA is down'))
    await bench.round()
    expect(failed).toEqual([[null, new Error('EIA is down')]])
    expect(roots.own(dataset)?.root).toBe(side.root)
    // The keeper has removed it.
    take({ root: rootOf('cd') })
    bench.asked.length = 0
    for (const _ of [1, 2, 3, 4]) await bench.round()
    expect([failed.length, bench.asked, convergence.isExhausted(dataset)]).toEqual([4, [], true])
    expect(failed.at(-1)?.[1].message).toContain(
      'is not in the folder of its feed; the dataset is read again',
    )
    expect(bench.behind).toEqual([feedId, feedId, feedId])
  })
})

describe('rounds', () => {
  test('default: at most three for each snapshot that is taken, however its root changes', async () => {
    using bench = await createBench()
    const { asked, convergence, take, eventsOf } = bench
    await bench.announce('b', leavesOf({ 1: '2' }))
    for (const value of ['3', '4', '5', '6']) {
      expect(convergence.isExhausted(dataset)).toBe(value === '6')
      await bench.answerWith(leavesOf({ 1: value }))
      await bench.round()
    }
    expect(asked.length).toBe(3)
    expect(eventsOf('converged').map(({ round }) => round)).toEqual([1, 2, 3])
    take()
    expect(convergence.isExhausted(dataset)).toBe(false)
    await bench.round()
    expect(asked.length).toBe(4)
    expect(eventsOf('converged').at(-1)?.round).toBe(1)
  })

  test('behavior: ten minutes after the first, there may be three more', async () => {
    using bench = await createBench()
    const { asked, convergence, world, roots } = bench
    const { root, size } = await bench.announce('b', leavesOf({ 1: '2' }))
    const round = () => {
      // It is not silent.
      roots.note(feedId, 'b', announced({ root, size }))
      return bench.round()
    }
    await round()
    world.time += MINUTE
    for (const _ of [1, 2, 3]) await round()
    world.time += 9 * MINUTE - 1
    await round()
    expect([asked.length, convergence.isExhausted(dataset)]).toEqual([3, true])
    world.time += 1
    expect(convergence.isExhausted(dataset)).toBe(false)
    for (const _ of [1, 2, 3, 4]) await round()
    expect([asked.length, convergence.isExhausted(dataset)]).toEqual([6, true])
  })

  test('behavior: rounds that fail count', async () => {
    using bench = await createBench()
    const { compared, convergence, peers } = bench
    await bench.announce('b', leavesOf({ 1: '2' }))
    peers.delete('b')
    for (const _ of [1, 2, 3, 4]) await bench.round()
    expect([compared.length, convergence.isExhausted(dataset)]).toEqual([3, true])
  })

  test('behavior: no round without another root, and none with keys that are not associated', async () => {
    using bench = await createBench()
    const { compared, events, side, roots } = bench
    roots.note(feedId, 'b', announced({ root: side.root, size: side.size, began: 9 }))
    await bench.announce('c', leavesOf({ 1: '2' }))
    events.length = 0
    await bench.round(keysOf(2, { a: 1, b: 0 }))
    expect([compared, events]).toEqual([[], []])
  })

  test('behavior: while enough agree, only members that began to read later are compared', async () => {
    using bench = await createBench()
    const { compared, roots, side, take, events } = bench
    take({ retrievedAt: 5 })
    for (const member of ['b', 'c'])
      roots.note(feedId, member, announced({ root: side.root, size: side.size }))
    await bench.announce('d', leavesOf({ 1: '2' }), { began: 5 })
    events.length = 0
    await bench.round()
    expect([compared, events]).toEqual([[], []])
    await bench.announce('e', leavesOf({ 2: '2' }), { began: 6 })
    await bench.round()
    expect(compared).toEqual(['e'])
    expect(events.map(({ event }) => event)).toEqual(['root_announced', 'converged'])
  })

  test('behavior: while enough agree, a member that invents keys is compared less and less often', async () => {
    using bench = await createBench()
    const { roots, side, asked, world } = bench
    const own = { root: side.root, size: side.size }
    const roundsAt = async (time: number) => {
      world.time = time
      const before = asked.length
      for (const member of ['c', 'd']) roots.note(feedId, member, announced(own))
      await bench.announce('b', leavesOf({ 1: '2' }), { began: 2 * T })
      for (const _ of [1, 2, 3, 4]) await bench.round()
      return asked.length - before
    }
    for (const set of [0, 1, 2, 3]) expect(await roundsAt(T + set * 10 * MINUTE)).toBe(3)
    const last = T + 30 * MINUTE
    expect(await roundsAt(last + 60 * MINUTE - 1)).toBe(0)
    expect(await roundsAt(last + 60 * MINUTE)).toBe(1)
    expect(await roundsAt(last + 180 * MINUTE - 1)).toBe(0)
    // Too few agree.
    roots.note(feedId, 'c', announced({ ...own, period: 1 }))
    const before = asked.length
    await bench.round()
    expect(asked.length).toBe(before + 1)
  })

  test('behavior: a member is doubted if EIA refuses its keys, and not because the dataset is read meanwhile', async () => {
    for (const [answer, rounds] of [
      [async () => 'reading' as const, 3],
      [async () => Promise.reject(new Error('EIA refuses the request')), 0],
    ] as const) {
      using bench = await createBench()
      const { roots, side, asked, world } = bench
      const own = { root: side.root, size: side.size }
      world.answer = answer
      for (const set of [0, 1, 2, 3, 4]) {
        world.time = T + set * 10 * MINUTE
        asked.length = 0
        for (const member of ['c', 'd']) roots.note(feedId, member, announced(own))
        await bench.announce('b', leavesOf({ 1: '2' }), { began: 2 * T })
        for (const _ of [1, 2, 3, 4]) await bench.round()
      }
      expect(asked.length).toBe(rounds)
    }
  })

  test('behavior: after this member holds another root, such a member is compared as before', async () => {
    using bench = await createBench()
    const { roots, side, asked, world, take } = bench
    const agreeOn = (own: { root: string; size: number }) => {
      for (const member of ['c', 'd']) roots.note(feedId, member, announced(own))
    }
    const lie = async (time: number, rounds: number) => {
      world.time = time
      await bench.announce('b', leavesOf({ 1: '2' }), { began: 2 * T })
      for (let round = 0; round < rounds; round += 1) await bench.round()
    }
    for (const set of [0, 1, 2, 3]) {
      world.time = T + set * 10 * MINUTE
      agreeOn(side)
      await lie(world.time, set === 3 ? 2 : 3)
    }
    expect(asked.length).toBe(11)
    const next = await bench.answerWith(leavesOf({ 5: '2' }))
    await bench.round()
    expect([asked.length, roots.own(dataset)?.root]).toEqual([12, next.root])
    world.answer = async () => 'same'
    for (const set of [4, 5]) {
      world.time = T + set * 10 * MINUTE
      take({ root: next.root, size: next.size })
      agreeOn(next)
      await lie(world.time, 3)
    }
    expect(asked.length).toBe(18)
  })

  test('behavior: nothing is compared while this member holds nothing, or for feeds that are no datasets of the file', async () => {
    using bench = await createBench()
    const { world, compared, events } = bench
    await bench.announce('b', leavesOf({ 1: '2' }))
    world.datasets = [{ ...dataset, dataset: { columns: ['value'], periods: 2 } }]
    events.length = 0
    await bench.round()
    world.datasets = []
    await bench.round()
    const gone = { event: 'root_announced' as const, feedId, member: 'a', root: null }
    expect([compared, events, bench.convergence.isExhausted(dataset)]).toEqual([[], [gone], false])
  })
})

describe('a snapshot that differs in too much', () => {
  const tooLarge = { digestsOf: () => Promise.reject(new DifferenceTooLargeError({ max: 10_000 })) }
  const HALF_HOUR = 30 * MINUTE

  /** The member `a` began to read at `began`, and `b` shows too much. */
  async function createDistant(began: number, changes: Partial<AnnouncedRoot>) {
    const bench = await createBench()
    bench.take({ retrievedAt: began })
    const other = await bench.announce('b', leavesOf({ 1: '2' }), changes)
    bench.peers.set('b', { ...other, ...tooLarge })
    return bench
  }

  test('default: more than 10,000 leaves are too many, and as many are not', async () => {
    using bench = await createBench()
    const { asked, convergence } = bench
    const added = (count: number) =>
      leavesOf(Object.fromEntries(Array.from({ length: count }, (_, at) => [at + 20, '2'])))
    await bench.announce('b', added(10_000))
    await bench.announce('c', added(10_001), { began: 1 })
    await bench.round()
    expect(asked.map(({ keys }) => keys.length)).toEqual([10_000])
    expect(convergence.isExhausted(dataset)).toBe(true)
  })

  test('error: leaves that a member has invented, and that have too many bytes, are too many', async () => {
    using bench = await createBench()
    const { asked, failed, convergence } = bench
    const invented = Array.from({ length: 1_100 }, (_, at) => ({
      ...leafOf(0),
      facets: { series: `${'7'.repeat(3_900)}${String(at).padStart(6, '0')}` },
    }))
    await bench.announce('b', [...leavesOf(), ...invented], { began: 1 })
    await bench.round()
    expect([asked, failed, convergence.isExhausted(dataset)]).toEqual([[], [], true])
  })

  test('behavior: if the other one began to read later, this member must read again', async () => {
    using bench = await createDistant(T, { began: T + 1 })
    const { asked, failed, compared, convergence, take, eventsOf } = bench
    await bench.round()
    expect([failed, asked, compared, convergence.isExhausted(dataset)]).toEqual([[], [], ['b'], true])
    expect(eventsOf('roots_differ')).toMatchObject([{ members: ['b'], first: null }])
    take({ retrievedAt: T + 2 })
    expect(convergence.isExhausted(dataset)).toBe(false)
  })

  test('behavior: if it began earlier, or at the same time, that one must', async () => {
    using bench = await createDistant(T, { began: T })
    await bench.round()
    expect([bench.convergence.isExhausted(dataset), bench.behind]).toEqual([false, []])
  })

  test('behavior: such a pair is not compared again, and takes no rounds', async () => {
    using bench = await createDistant(T, { began: T })
    const { compared, eventsOf, take } = bench
    for (const _ of [1, 2, 3, 4]) await bench.round()
    expect([compared, eventsOf('converged').length]).toEqual([['b'], 1])
    expect(eventsOf('roots_differ').length).toBe(4)
    take({ retrievedAt: T + 1 })
    await bench.round()
    expect(compared).toEqual(['b'])
    take({ root: rootOf('cd') })
    await bench.round()
    // This snapshot cannot be opened.
    expect(eventsOf('converged').length).toBe(1)
    const next = await bench.answerWith(leavesOf({ 3: '2' }))
    take({ root: next.root, size: next.size })
    await bench.round()
    expect(compared).toEqual(['b', 'b'])
    await bench.announce('b', leavesOf({ 2: '2' }))
    take()
    await bench.round()
    expect(compared).toEqual(['b', 'b', 'b'])
  })

  test('behavior: one that shows too much as the root of others keeps nobody from comparing it', async () => {
    using bench = await createDistant(T - HALF_HOUR, { began: T })
    const { asked, compared, behind, convergence, peers, roots, side } = bench
    const { root, size } = await bench.announce('c', leavesOf({ 1: '2' }), { began: T })
    await bench.round()
    expect([compared, asked.length]).toEqual([['b', 'c'], 1])
    expect([behind, convergence.isExhausted(dataset)]).toEqual([[], false])
    // While it is the only holder, it can be compared by nobody.
    peers.delete('c')
    roots.note(feedId, 'c', announced({ root: side.root, size: side.size }))
    await bench.round()
    expect([compared.slice(2), asked.length]).toEqual([['b'], 1])
    roots.note(feedId, 'd', announced({ root, size, began: T }))
    peers.set('d', await bench.announce('d', leavesOf({ 1: '2' })))
    await bench.round()
    expect([compared.slice(3), asked.length]).toEqual([['d'], 2])
  })

  test('behavior: it reads again at once if it has not read for half an hour', async () => {
    for (const [ago, isBehind] of [
      [HALF_HOUR - 1, false],
      [HALF_HOUR, true],
    ] as const) {
      using bench = await createDistant(T - ago, { began: T })
      await bench.round()
      expect(bench.behind).toEqual(isBehind ? [feedId] : [])
    }
  })

  test('behavior: it reads again after half an hour if it was too early before, once', async () => {
    using bench = await createDistant(T, { began: T + 1 })
    const { world, behind, roots } = bench
    const other = roots.listOthers(dataset).find(({ member }) => member === 'b')
    const roundAt = async (time: number) => {
      world.time = time
      if (other !== undefined) roots.note(feedId, 'b', other)
      await bench.round()
      return behind.length
    }
    expect(await roundAt(T + 2)).toBe(0)
    expect(await roundAt(T + HALF_HOUR)).toBe(1)
    expect(await roundAt(T + HALF_HOUR + LOOK_MS)).toBe(1)
  })

  test('behavior: one that shows another root each time is believed less and less often, until the root changes', async () => {
    using bench = await createDistant(T - HALF_HOUR, { began: T })
    const { world, behind, roots, take } = bench
    const lieAt = async (time: number, digits: string) => {
      world.time = time
      roots.note(feedId, 'b', announced({ root: rootOf(digits), began: 2 * T }))
      await bench.round()
      return behind.length
    }
    expect(await lieAt(T, 'c1')).toBe(1)
    take({ retrievedAt: T })
    expect(await lieAt(T + 2 * HALF_HOUR - 1, 'c2')).toBe(1)
    expect(await lieAt(T + 2 * HALF_HOUR, 'c3')).toBe(2)
    take({ retrievedAt: T + 2 * HALF_HOUR })
    expect(await lieAt(T + 6 * HALF_HOUR - 1, 'c4')).toBe(2)
    expect(await lieAt(T + 6 * HALF_HOUR, 'c5')).toBe(3)
    const { root, size } = await bench.answerWith(leavesOf({ 5: '2' }))
    take({ root, size, retrievedAt: T + 6 * HALF_HOUR })
    expect(await lieAt(T + 7 * HALF_HOUR, 'c6')).toBe(4)
  })

  test('behavior: also while enough agree', async () => {
    using bench = await createDistant(T - HALF_HOUR, { began: T })
    const { roots, side } = bench
    for (const member of ['c', 'd'])
      roots.note(feedId, member, announced({ root: side.root, size: side.size }))
    await bench.round()
    expect(bench.behind).toEqual([feedId])
    expect(bench.eventsOf('roots_agree')).toEqual([])
  })
})

describe('the end', () => {
  const hanging = (side: Side) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const digestsOf: Side['digestsOf'] = () => {
      resolve()
      return new Promise(() => {})
    }
    return { side: { ...side, digestsOf }, isAsked: promise }
  }

  test('default: an abort while EIA is asked ends it without a failure, and EIA is asked nothing more', async () => {
    using bench = await createBench()
    const { stop, world, failed, asked } = bench
    await bench.announce('bc', leavesOf({ 1: '2' }))
    await bench.announce('d', leavesOf({ 2: '2' }))
    world.answer = (signal) => {
      stop.abort()
      return Promise.reject(signal.reason)
    }
    await bench.round()
    expect([failed, asked.length]).toEqual([[], 1])
  })

  test('behavior: an abort does not wait for the member that is compared', async () => {
    using bench = await createBench()
    const { stop, failed, peers, asked } = bench
    const { side, isAsked } = hanging(await bench.announce('b', leavesOf({ 1: '2' })))
    peers.set('b', side)
    await bench.announce('c', leavesOf({ 2: '2' }))
    const round = bench.round()
    await isAsked
    stop.abort()
    await round
    expect([failed, asked]).toEqual([[], []])
    await bench.round()
    expect([failed, asked]).toEqual([[], []])
  })

  test('behavior: neither a failure of one dataset nor a member that hangs keeps the next one from its round', async () => {
    using bench = await createBench()
    const { stop, world, roots, peers, asked, side, failed } = bench
    world.datasets = [weekly, dataset]
    roots.hold(weekly, takenOf({ root: side.root, size: side.size }))
    roots.note(weekly.feed_id, 'd', announced({ root: rootOf('cd') }))
    roots.note(weekly.feed_id, 'e', announced({ root: rootOf('ef') }))
    const { side: slow, isAsked } = hanging(side)
    peers.set('d', slow)
    await bench.announce('c', leavesOf({ 1: '2' }))
    const { promise, resolve } = Promise.withResolvers<void>()
    world.answer = async () => {
      resolve()
      return 'same'
    }
    const round = bench.round()
    await Promise.all([isAsked, promise])
    expect(asked.map(({ keys }) => keys)).toEqual([[keyOf(1)]])
    expect(failed.map(([member]) => member)).toEqual(['e'])
    stop.abort()
    await round
  })

  test('behavior: while EIA does not answer for one dataset, the next one has its rounds', async () => {
    using bench = await createBench()
    const { stop, world, roots, peers, asked, side } = bench
    world.datasets = [weekly, dataset]
    roots.hold(weekly, takenOf({ root: side.root, size: side.size }))
    const other = await bench.announce('c', leavesOf({ 1: '2' }))
    roots.note(feedId, 'c', announced({ root: side.root, size: side.size }))
    roots.note(weekly.feed_id, 'c', announced({ root: other.root, size: other.size }))
    const { promise, resolve } = Promise.withResolvers<'same'>()
    const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<null>()
    world.answer = () => {
      noteAsked(null)
      return promise
    }
    const hanging = bench.round()
    await isAsked
    world.answer = async () => 'same'
    await bench.announce('d', leavesOf({ 2: '2' }))
    peers.set('c', other)
    await bench.round()
    expect(asked.map(({ keys }) => keys)).toEqual([[keyOf(1)], [keyOf(2)]])
    resolve('same')
    await hanging
    await bench.round()
    expect(asked.length).toBe(4)
    stop.abort()
  })
})

describe('what is reported', () => {
  const differing = (bench: Awaited<ReturnType<typeof createBench>>) => bench.eventsOf('roots_differ').at(-1)

  test('default: since when members differ, who, and the first value; then that they agree', async () => {
    using bench = await createBench()
    const { roots, side, world, eventsOf, convergence } = bench
    const { root: otherRoot } = await bench.announce('b', leavesOf({ 3: '5', 4: '7' }))
    const since = world.time
    await bench.round()
    const first = {
      ...{ key: keyOf(3), own: leafOf(3), other: leafOf(3, '5') },
      ...{ member: 'b', ownRoot: side.root, otherRoot },
    }
    expect(eventsOf('roots_differ')).toEqual([
      { event: 'roots_differ', feedId, since, members: ['b'], othersAgree: false, first },
    ])
    expect(convergence.differing(dataset)).toEqual({ since, first })
    world.time += MINUTE
    await bench.round()
    expect(eventsOf('roots_differ').length).toBe(2)
    expect(differing(bench)).toMatchObject({ since, members: ['b'], first })
    expect(eventsOf('roots_agree')).toEqual([])
    for (const member of ['c', 'd'])
      roots.note(feedId, member, announced({ root: side.root, size: side.size }))
    await bench.round()
    expect(eventsOf('roots_agree')).toEqual([{ event: 'roots_agree', feedId }])
    expect(convergence.differing(dataset)).toBeNull()
    await bench.round()
    expect([eventsOf('roots_differ').length, eventsOf('roots_agree').length]).toEqual([2, 1])
    // They differ anew.
    world.time += MINUTE
    await bench.announce('bcd', leavesOf({ 3: '6' }))
    await bench.round()
    expect(differing(bench)).toMatchObject({ since: since + 2 * MINUTE, members: ['b', 'c', 'd'] })
  })

  test('behavior: a member that fails, or lies, does not hide what another differs in', async () => {
    using bench = await createBench()
    const { peers, compared } = bench
    await bench.announce('bc', leavesOf({ 1: '2' }))
    await bench.announce('d', leavesOf({ 2: '2' }))
    peers.delete('d')
    await bench.round()
    expect(compared).toEqual(['b', 'd'])
    expect(differing(bench)).toMatchObject({
      members: ['b', 'c', 'd'],
      first: { key: keyOf(1), member: 'b' },
    })
    // Nor does one that answers nothing later.
    peers.clear()
    await bench.round()
    expect(differing(bench)).toMatchObject({ first: { key: keyOf(1), member: 'b' } })
  })

  test('behavior: of two members, the first value of the one that is compared first', async () => {
    using bench = await createBench()
    await bench.announce('bc', leavesOf({ 2: '2' }))
    await bench.announce('d', leavesOf({ 1: '2' }))
    await bench.round()
    expect(differing(bench)?.first).toMatchObject({ key: keyOf(2), member: 'b' })
  })

  test('behavior: a first value is not told any more once one of both holds another root', async () => {
    using bench = await createBench()
    await bench.announce('b', leavesOf({ 3: '5', 4: '5' }))
    const next = await bench.answerWith(leavesOf({ 3: '5' }))
    await bench.round()
    expect(differing(bench)).toMatchObject({ members: ['b'], first: null })
    await bench.round()
    expect(differing(bench)?.first).toMatchObject({ key: keyOf(4), ownRoot: next.root })
    bench.peers.clear()
    bench.roots.note(feedId, 'b', announced({ root: rootOf('ef') }))
    await bench.round()
    expect(differing(bench)).toMatchObject({ members: ['b'], first: null })
  })

  test('behavior: members agree if no other holds another root, or those that did are silent', async () => {
    using bench = await createBench()
    const { world, eventsOf } = bench
    await bench.announce('b', leavesOf({ 3: '5' }))
    await bench.round()
    world.time += 3 * MINUTE
    await bench.round()
    expect(eventsOf('roots_agree').length).toBe(1)
  })

  test.each<[string, readonly DatasetConfig[]]>([
    ['removed from the feeds file', []],
    ['not held any more', [{ ...dataset, dataset: { columns: ['value'], periods: 2 } }]],
  ])('behavior: a dataset that is %s is no difference', async (_, datasets) => {
    using bench = await createBench()
    await bench.announce('b', leavesOf({ 3: '5' }))
    await bench.round()
    bench.world.datasets = datasets
    await bench.round()
    expect(bench.eventsOf('roots_agree')).toEqual([{ event: 'roots_agree', feedId }])
    expect(bench.convergence.differing(dataset)).toBeNull()
    // What it held is told nobody any more. Of a removed dataset, all is forgotten.
    const gone = bench.eventsOf('root_announced').filter(({ root }) => root === null)
    expect(gone.map(({ member }) => member)).toEqual(datasets.map(() => 'a'))
  })

  test('behavior: whether enough others hold one and the same root, and so attest without this member', async () => {
    using bench = await createBench()
    const leaves = leavesOf({ 3: '5' })
    for (const member of ['b', 'c']) await bench.announce(member, leaves)
    await bench.announce('d', leavesOf({ 3: '6' }))
    await bench.round()
    expect(differing(bench)).toMatchObject({ members: ['b', 'c', 'd'], othersAgree: false })
    await bench.announce('d', leaves)
    await bench.round()
    expect(differing(bench)).toMatchObject({ members: ['b', 'c', 'd'], othersAgree: true })
  })
})
