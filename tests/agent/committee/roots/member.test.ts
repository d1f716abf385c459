import { afterAll, describe, expect, test } from 'bun:test'
import type { Refusal } from '../../../../src/agent/committee/refusal.ts'
import { ANNOUNCE_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import type { DatasetConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { takenOf } from '../../datasets/fakes.ts'
import { turn } from '../../run/fakes.ts'
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

  test('behavior: what is held is announced again every 30 s, from the last announcement on', async () => {
    const { member, hold, tickAt } = createDatasetBench()
    hold()
    expect(await tickAt(T)).toEqual(toAll(announced()))
    expect(await tickAt(T + ANNOUNCE_MS - 1)).toEqual([])
    // It may have changed meanwhile.
    hold({ root: rootOf('cd') })
    expect(await tickAt(T + ANNOUNCE_MS)).toEqual(toAll(announced({ root: rootOf('cd') })))
    await tickAt(T + ANNOUNCE_MS + 20_000)
    member.found(feedId)
    expect(await tickAt(T + 2 * ANNOUNCE_MS)).toEqual([])
    expect(await tickAt(T + 2 * ANNOUNCE_MS + 20_000)).toEqual(toAll(announced({ root: rootOf('cd') })))
  })

  test('behavior: it is announced in time if the clock is set back', async () => {
    const { hold, tickAt } = createDatasetBench()
    hold()
    await tickAt(T)
    expect(await tickAt(T - 3_600_000)).toEqual(toAll(announced()))
  })

  test('behavior: it is announced again also while a tick waits for EIA', async () => {
    const { member, hold, tickAt, world, announced: told } = createDatasetBench('b')
    hold()
    const transaction = await groupBy('a', T, [feed])
    const { promise, resolve } = Promise.withResolvers<void>()
    world.onPlan = () => promise
    const received = member.receive(transaction)
    const ticking = tickAt(T)
    await turn()
    expect(told).toEqual([])
    member.announceRoots()
    expect(told).toEqual(['a', 'c'].map((to) => ({ to, feedId, root: announced() })))
    member.announceRoots()
    expect(told.length).toBe(2)
    resolve()
    await Promise.all([ticking, received])
  })

  test('behavior: nothing is announced while nothing is held, and at the next look once something is', async () => {
    const { member, hold, tickAt, announced: told } = createDatasetBench()
    member.found(feedId)
    expect(told).toEqual([])
    expect(await tickAt(T + 1)).toEqual([])
    hold()
    expect(await tickAt(T + 2)).toEqual(toAll(announced()))
  })

  test('behavior: nothing is announced of what the feeds file does not select any more', async () => {
    const { hold, tickAt, setDatasets } = createDatasetBench()
    hold()
    setDatasets([{ ...dataset, dataset: { columns: ['value'], periods: 2 } }])
    expect(await tickAt(T)).toEqual([])
    setDatasets([])
    expect(await tickAt(T + 1)).toEqual([])
    setDatasets([dataset])
    expect(await tickAt(T + 2)).toEqual(toAll(announced()))
  })

  test('behavior: of series, and of what others hold, nothing is repeated', async () => {
    const { member, roots, tickAt } = createDatasetBench()
    member.found(feed)
    roots.note(feedId, 'b', announced())
    expect(await tickAt(T + ANNOUNCE_MS)).toEqual([])
  })

  test('behavior: the root of another member is noted, and causes no read of the chain', async () => {
    const { member, roots, world } = createDatasetBench()
    let plans = 0
    world.onPlan = async () => {
      plans += 1
    }
    await member.announced(feedId, 'b', announced())
    expect(roots.listOthers(dataset)).toEqual([{ ...announced(), member: 'b' }])
    expect(plans).toBe(0)
    await member.announced(feed, 'b', null)
    expect(plans).toBe(1)
  })

  test('behavior: the root of a feed that is no dataset of the file is ignored', async () => {
    const { member, rootEvents } = createDatasetBench()
    await member.announced(feed, 'b', announced())
    await member.announced('EIA.JUNK', 'b', announced())
    expect(rootEvents).toEqual([])
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
