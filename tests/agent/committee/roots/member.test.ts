import { afterAll, describe, expect, test } from 'bun:test'
import type { Refusal } from '../../../../src/agent/committee/refusal.ts'
import type { DatasetConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { takenOf } from '../../datasets/fakes.ts'
import { createMemberBench, feed, groupBy, planOf, T } from '../memberBench.ts'
import { noDatasets } from '../noDatasets.ts'
import { createDisk } from '../simulation/disk.ts'
import { announced, createRoots, dataset, feedId, rootOf } from './bench.ts'

const disks = new DisposableStack()
afterAll(() => disks.dispose())

/** A member with a dataset, and a clock for both. */
function createDatasetBench(name = 'a') {
  const { roots, world: time, hold, events } = createRoots(name)
  const bench = createMemberBench(name, disks.use(createDisk()), { ...noDatasets, roots })
  bench.world.plans.set(feedId, planOf(feedId))
  return {
    ...bench,
    ...{ roots, hold, rootEvents: events },
    /** Also takes effect on what the member holds. */
    setDatasets: (datasets: readonly DatasetConfig[]) => {
      time.datasets = datasets
    },
    async tickAt(at: number) {
      time.time = at
      bench.world.time = at
      bench.announced.length = 0
      await bench.member.tick()
      return bench.announced
    },
  }
}

const toAll = (root: ReturnType<typeof announced>, of = feedId) =>
  ['b', 'c'].map((to) => ({ to, feedId: of, root }))

describe('announcements', () => {
  test('default: what is found is announced at once, of a dataset with the root that this member holds', async () => {
    const { member, hold, announced: told } = createDatasetBench()
    hold()
    member.found(feedId)
    expect(told).toEqual(toAll(announced()))
    told.length = 0
    member.found(feed)
    expect(told).toEqual(['b', 'c'].map((to) => ({ to, feedId: feed, root: undefined })))
  })

  test('behavior: nothing is announced while nothing is held', () => {
    const { member, announced: told } = createDatasetBench()
    member.found(feedId)
    expect(told).toEqual([])
  })

  test('behavior: nothing is announced of what the feeds file does not select any more', () => {
    const { member, hold, setDatasets, announced: told } = createDatasetBench()
    hold()
    setDatasets([{ ...dataset, dataset: { columns: ['value'], periods: 2 } }])
    member.found(feedId)
    expect(told).toEqual([])
    setDatasets([dataset])
    member.found(feedId)
    expect(told).toEqual(toAll(announced()))
  })
})

describe('proposals', () => {
  test('default: a leader proposes a root once enough members hold it', async () => {
    const { member, roots, hold, sent, events, tickAt } = createDatasetBench()
    hold()
    member.found(feedId)
    await tickAt(T)
    expect(sent).toEqual([])
    roots.note(feedId, 'b', announced({ root: rootOf('cd') }))
    await tickAt(T + 5_000)
    expect(sent).toEqual([])
    // It has not forgotten that it wants to.
    roots.note(feedId, 'b', announced())
    await tickAt(T + 10_000)
    expect(sent.map(({ to, signers }) => [to, signers])).toEqual([
      ['b', ['a']],
      ['c', ['a']],
    ])
    expect(events.map(({ event }) => event)).toContain('proposed')
  })

  test('behavior: a key without weight does not make others agree', async () => {
    const { member, roots, hold, sent, world, tickAt } = createDatasetBench()
    hold()
    member.found(feedId)
    world.keys = ['a', 'c']
    roots.note(feedId, 'b', announced())
    await tickAt(T)
    expect(sent).toEqual([])
    roots.note(feedId, 'c', announced())
    await tickAt(T + 1)
    expect(sent.length).toBe(2)
  })

  test('behavior: a root does not hold up other values, and is proposed apart from them', async () => {
    const { member, roots, hold, events, world, tickAt } = createDatasetBench()
    const proposed = () =>
      events.flatMap((event) =>
        event.event === 'proposed' ? [event.proposal.attestations.map(({ feed_id }) => feed_id)] : [],
      )
    hold()
    for (const each of [feedId, feed]) member.found(each)
    await tickAt(T)
    expect([proposed(), world.alone]).toEqual([[[feed]], []])
    roots.note(feedId, 'b', announced())
    world.plans.set('EIA.B', planOf('EIA.B'))
    member.found('EIA.B')
    await tickAt(T + 1)
    expect(world.alone).toEqual([feedId])
    expect(proposed()).toEqual([[feed], [feedId], ['EIA.B']])
  })

  test('behavior: after another snapshot was taken, a root is agreed anew', async () => {
    const { member, roots, hold, sent, tickAt } = createDatasetBench()
    hold()
    roots.note(feedId, 'b', announced())
    roots.hold(dataset, takenOf({ root: rootOf('cd') }))
    member.found(feedId)
    await tickAt(T)
    expect(sent).toEqual([])
  })

  test('error: a root that changes while it is planned is neither proposed nor signed', async () => {
    const changing = (name: string, other: string) => {
      const bench = createDatasetBench(name)
      const { roots, hold, world } = bench
      hold()
      roots.note(feedId, other, announced())
      world.onPlan = async () => {
        hold({ root: rootOf('cd') })
        roots.note(feedId, other, announced({ root: rootOf('cd') }))
      }
      return bench
    }
    const leader = changing('a', 'b')
    leader.member.found(feedId)
    await leader.tickAt(T)
    expect(leader.sent).toEqual([])
    expect(await changing('b', 'a').member.receive(await groupBy('a', T, [feedId]))).toEqual({
      code: 'not_released',
      detail: `this member does not hold this root of ${feedId} any more`,
    })
  })

  test('error: a transaction with a root and another feed is refused, a root alone is not', async () => {
    const answerTo = async (feedIds: readonly string[]) => {
      const { member, roots, hold } = createDatasetBench('b')
      hold()
      roots.note(feedId, 'c', announced())
      return member.receive(await groupBy('a', T, feedIds))
    }
    const refusal: Refusal = {
      code: 'invalid_terms',
      detail: `${feedId} is a dataset, whose root must be proposed apart`,
    }
    expect(await answerTo([feedId, feed])).toEqual(refusal)
    expect(await answerTo([feed, feedId])).toEqual(refusal)
    expect(await answerTo([feedId])).toBeNull()
  })

  test('error: a member signs its own root only when enough members have announced it', async () => {
    const { member, roots, hold, world } = createDatasetBench('b')
    const transaction = await groupBy('a', T, [feedId])
    const refusal: Refusal = {
      code: 'not_released',
      detail: `too few members have announced the root of ${feedId}`,
    }
    hold()
    expect(await member.receive(transaction)).toEqual(refusal)
    roots.note(feedId, 'c', announced({ root: rootOf('cd') }))
    expect(await member.receive(transaction)).toEqual(refusal)
    roots.note(feedId, 'c', announced())
    // It holds another one than was proposed, or not for long enough.
    world.plans.delete(feedId)
    expect(await member.receive(transaction)).toMatchObject({ code: 'invalid_terms' })
    world.plans.set(feedId, planOf(feedId))
    expect(await member.receive(transaction)).toBeNull()
  })
})
