import { describe, expect, test } from 'bun:test'
import type { Side } from '@wattfeed/dataset/compare'
import type { UpstreamRow } from '../../../../packages/eia/src/answerEia.ts'
import { Convergence } from '../../../../src/agent/committee/roots/convergence.ts'
import { spotRows } from '../../datasets/datasetApi.ts'
import { createKeeperBench, never } from '../../datasets/keeperBench.ts'
import { createManualWait } from '../../run/fakes.ts'
import { createRoots, keysOf, T } from './bench.ts'

const PERIODS = 2
const bothOfTwo = keysOf(2, { a: 1, b: 1 })

/** A member with a folder of its own, whose dataset is the newest two periods. */
function createMember(name: string) {
  const world = { time: T }
  const bench = createKeeperBench([], { periods: PERIODS, now: () => world.time })
  const { roots, world: known } = createRoots(name)
  known.datasets = [bench.feed]
  const failed: Error[] = []
  const sides = new Map<string, Side>()
  const convergence = new Convergence({
    ...{ roots, keeper: bench.keeper, now: () => T, random: () => 0, stop: never },
    wait: createManualWait().wait,
    peers: {
      sideOf(member) {
        const side = sides.get(member)
        if (side === undefined) throw new Error(`${member} shows nothing`)
        return side
      },
    },
    onChanged: () => {},
    onEvent: () => {},
    onBehind: () => {},
    onFailed: (_feed, _member, error) => void failed.push(error),
  })
  const root = () => roots.own(bench.feed)?.root ?? ''
  return {
    ...{ name, roots, convergence, failed, sides, root, api: bench.api },
    isExhausted: () => convergence.isExhausted(bench.feed),
    /** Reads what EIA has then. */
    async read(rows: readonly UpstreamRow[], time: number): Promise<void> {
      bench.api.rows = rows
      world.time = time
      roots.hold(bench.feed, await bench.keeper.take(bench.feed, null, never))
    },
    /** Announces what it holds to another member, and shows it. */
    async announce(to: { roots: typeof roots; sides: typeof sides }): Promise<void> {
      const [own, side] = [roots.own(bench.feed), await bench.keeper.openSide(bench.feed, root())]
      if (own === null || side === null) throw new Error(`${name} holds nothing`)
      to.sides.set(name, side)
      to.roots.note(bench.feed.feed_id, name, own)
    },
    [Symbol.dispose]: () => bench[Symbol.dispose](),
  }
}

type Member = ReturnType<typeof createMember>

/** Does a round of both, in which EIA says the same to both. */
async function converge(members: readonly [Member, Member], rows: readonly UpstreamRow[]): Promise<void> {
  const [a, b] = members
  await Promise.all([a.announce(b), b.announce(a)])
  for (const { api, convergence } of members) {
    api.rows = rows
    await convergence.converge(bothOfTwo)
  }
  await Promise.all([a.announce(b), b.announce(a)])
}

/** The root of the snapshot that is read as a whole. */
async function freshRoot(rows: readonly UpstreamRow[]): Promise<string> {
  using fresh = createKeeperBench(rows, { periods: PERIODS })
  return await fresh.take()
}

const earlier = spotRows([20, 19, 18], ['A', 'B'])
const newPeriod = spotRows([21], ['A', 'B', 'C'])

describe('a window of periods', () => {
  test('default: a new period moves it at the member that read before', async () => {
    using a = createMember('a')
    using b = createMember('b')
    const later = [...newPeriod, ...earlier]
    await a.read(earlier, T)
    await b.read(later, T + 1)
    await converge([a, b], later)
    expect([a.root(), b.root()]).toEqual(Array(2).fill(await freshRoot(later)))
    expect([a.failed, a.isExhausted()]).toEqual([[], false])
  })

  test('behavior: a newest period that EIA takes back is adopted by none: both read again', async () => {
    using a = createMember('a')
    using b = createMember('b')
    // Each was told another value of the newest period, and then EIA has none of them.
    await a.read([...newPeriod.slice(0, 1), ...earlier], T)
    await b.read([...newPeriod.slice(1, 2), ...earlier], T)
    const before = [a.root(), b.root()]
    await converge([a, b], earlier)
    expect([a.root(), b.root()]).toEqual(before)
    expect([a.isExhausted(), b.isExhausted()]).toEqual([true, true])
    expect(a.failed).toMatchObject([{ code: 'window_moved_back' }])
    await a.read(earlier, T + 1)
    await b.read(earlier, T + 1)
    expect([a.root(), b.root()]).toEqual(Array(2).fill(await freshRoot(earlier)))
    expect([a.isExhausted(), b.isExhausted()]).toEqual([false, false])
  })
})
