import { describe, expect, test } from 'bun:test'
import { DatasetError } from '@wattfeed/dataset'
import type { Side } from '@wattfeed/dataset/compare'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createCommitteeKeeper } from '../../../../src/agent/committee/roots/committeeKeeper.ts'
import { takenOf, withoutOthers } from '../../datasets/fakes.ts'
import { announced, createRoots, dataset, feedId, rootOf } from './bench.ts'

const never = new AbortController().signal
const onChain = rootOf('cd')
const newest = { source_hash: onChain, amount: 99n }

/** A keeper whose takings end at once, and which has some snapshots besides. */
function createBench(there: readonly string[] = []) {
  const { roots, eventsOf } = createRoots()
  const taken = takenOf()
  const spares: (string | null)[] = []
  const fetched: { base: string; member: string; root: string; size: number; held: string | undefined }[] = []
  const notFetched: [feedId: string, member: string, message: string][] = []
  const world = {
    time: 0,
    fetch: async (_member: string, _signal: AbortSignal, _side: Side): Promise<void> => {},
    leavesOf: (): Promise<Uint8Array> => Promise.reject(new Error('nothing is compared')),
  }
  const sideOf = (member: string, _: string, { root, size }: Pick<Side, 'root' | 'size'>): Side => ({
    ...{ name: member, root, size },
    digestsOf: () => Promise.reject(new Error('nothing is compared')),
    leavesOf: () => world.leavesOf(),
  })
  const keeper = createCommitteeKeeper(
    {
      ...withoutOthers,
      countsOf: () => new Map([['2026-11-16', 7]]),
      noteAttested: () => {},
      async take(_, spare) {
        spares.push(spare?.source_hash ?? null)
        return taken
      },
      openSide: async (_, root) => (there.includes(root) ? sideOf('own', feedId, { root, size: 1 }) : null),
      async fetch(_, base, side, signal) {
        const { name: member, root, size } = side
        fetched.push({ base, member, root, size, held: roots.own(dataset)?.root })
        await world.fetch(member, signal, side)
      },
    },
    {
      roots,
      peers: { sideOf, members: ['b', 'c', 'd', 'e'] },
      steadyNow: () => world.time,
      onNotFetched: ({ feed_id }, member, error) => void notFetched.push([feed_id, member, error.message]),
    },
  )
  return { ...{ roots, eventsOf, taken, spares, fetched, notFetched, world, keeper } }
}

describe('take', () => {
  test('default: what it takes is held', async () => {
    const { keeper, roots, taken, spares, fetched, eventsOf } = createBench()
    expect(await keeper.take(dataset, null, never)).toBe(taken)
    expect(roots.own(dataset)).toEqual(announced())
    expect(eventsOf('root_announced').length).toBe(1)
    expect([spares, fetched]).toEqual([[null], []])
  })

  test('behavior: it fetches the newest root on chain from a member that announces it, after it holds its own', async () => {
    const { keeper, roots, fetched, spares, notFetched } = createBench()
    roots.note(feedId, 'b', announced({ root: rootOf('ef') }))
    roots.note(feedId, 'c', announced({ root: onChain, size: 99 }))
    roots.note(feedId, 'd', announced({ root: onChain, size: 99 }))
    await keeper.take(dataset, newest, never)
    const { root: own } = announced()
    expect(fetched).toEqual([{ base: own, member: 'c', root: onChain, size: 99, held: own }])
    expect([spares, notFetched]).toEqual([[onChain], []])
    // What was fetched is not held.
    expect(roots.own(dataset)?.root).toBe(own)
  })

  test('error: if a member fails, it tries the next one', async () => {
    const { keeper, roots, fetched, notFetched, world, taken } = createBench()
    for (const member of ['b', 'c', 'd', 'e']) roots.note(feedId, member, announced({ root: onChain }))
    world.fetch = async (member) => {
      if (member === 'b') throw new DatasetError({ what: 'member b', rule: 'lies' })
      if (member === 'c') throw new Error('down')
    }
    expect(await keeper.take(dataset, newest, never)).toBe(taken)
    expect(fetched.map(({ member }) => member)).toEqual(['b', 'c', 'd'])
    expect(notFetched).toEqual([
      [feedId, 'b', 'member b: lies'],
      [feedId, 'c', 'down'],
    ])
  })

  test('error: a member that answers each request just in time is left after a minute', async () => {
    const { keeper, roots, fetched, notFetched, world } = createBench()
    for (const member of ['b', 'c']) roots.note(feedId, member, announced({ root: onChain }))
    let answers = 0
    world.leavesOf = async () => {
      answers += 1
      world.time += 15_000
      return new Uint8Array()
    }
    world.fetch = async (member, _, side) => {
      if (member === 'b') for (let requests = 0; requests < 200; requests++) await side.leavesOf([])
    }
    await keeper.take(dataset, newest, never)
    expect(answers).toBe(4)
    expect(notFetched).toEqual([[feedId, 'b', expect.stringContaining('took longer than 60 s')]])
    expect(fetched.map(({ member }) => member)).toEqual(['b', 'c'])
  })

  test('error: if all fail, what was taken is held all the same', async () => {
    const { keeper, roots, notFetched, world, taken } = createBench()
    for (const member of ['b', 'c']) roots.note(feedId, member, announced({ root: onChain }))
    world.fetch = () => Promise.reject(new Error('down'))
    expect(await keeper.take(dataset, newest, never)).toBe(taken)
    expect(notFetched.map(([, member]) => member)).toEqual(['b', 'c', 'd', 'e'])
    expect(roots.own(dataset)).toEqual(announced())
  })

  test('behavior: it fetches nothing that is there; what nobody announces any more, any member may have', async () => {
    const there = createBench([onChain])
    there.roots.note(feedId, 'b', announced({ root: onChain }))
    await there.keeper.take(dataset, newest, never)
    const own = createBench()
    own.roots.note(feedId, 'b', announced())
    await own.keeper.take(dataset, { source_hash: own.taken.manifest.root, amount: 100n }, never)
    const unknown = createBench()
    unknown.roots.note(feedId, 'b', announced({ root: rootOf('ef') }))
    await unknown.keeper.take(dataset, newest, never)
    expect([there.fetched, own.fetched]).toEqual([[], []])
    expect(unknown.fetched.map(({ member }) => member)).toEqual(['b'])
  })

  test('error: an abort ends it, without trying the next member', async () => {
    const { keeper, roots, fetched, notFetched, world } = createBench()
    for (const member of ['b', 'c']) roots.note(feedId, member, announced({ root: onChain }))
    const stop = new AbortController()
    world.fetch = async () => {
      stop.abort(new DatasetError({ what: 'the agent', rule: 'stops' }))
      throw new Error('aborted')
    }
    expect(await errorOf(keeper.take(dataset, newest, stop.signal))).toMatchObject({ rule: 'stops' })
    expect([fetched.length, notFetched]).toEqual([1, []])
  })

  test('error: what cannot be taken is not held', async () => {
    const { roots } = createBench()
    const failing = createCommitteeKeeper(
      {
        ...withoutOthers,
        countsOf: () => null,
        noteAttested: () => {},
        take: () => Promise.reject(new DatasetError({ what: 'EIA', rule: 'is down' })),
      },
      {
        roots,
        peers: {
          members: [],
          sideOf: () => {
            throw new Error('nothing is compared')
          },
        },
        steadyNow: () => 0,
        onNotFetched: () => {},
      },
    )
    expect(await errorOf(failing.take(dataset, null, never))).toMatchObject({ rule: 'is down' })
    expect(roots.own(dataset)).toBeNull()
  })
})

test('default: everything else is that of the keeper', async () => {
  const { keeper } = createBench(['aa'])
  expect(keeper.countsOf(dataset, { source_hash: '', amount: 1n })?.size).toBe(1)
  expect((await keeper.openSide(dataset, 'aa'))?.root).toBe('aa')
})
