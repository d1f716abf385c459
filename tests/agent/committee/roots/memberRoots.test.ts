import { describe, expect, test } from 'bun:test'
import { LIFETIME_MS } from '../../../../src/agent/committee/slot.ts'
import { datasetConfig, manifestOf, takenOf, weekly } from '../../datasets/fakes.ts'
import { announced, createRoots, dataset, feedId, keysOf, rootOf, T, threeOfFive } from './bench.ts'

describe('isAgreed', () => {
  test('default: members of enough weight, this one included, hold the same root', () => {
    const { roots, hold } = createRoots()
    hold()
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
    roots.note(feedId, 'b', announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
    // When they began to read does not matter.
    roots.note(feedId, 'c', announced({ began: 7 }))
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(true)
  })

  test('behavior: keys count by their weights', () => {
    const { roots, hold } = createRoots()
    hold()
    roots.note(feedId, 'b', announced())
    expect(roots.isAgreed(dataset, keysOf(4, { a: 1, b: 3 }))).toBe(true)
    expect(roots.isAgreed(dataset, keysOf(5, { a: 1, b: 3, c: 9 }))).toBe(false)
    expect(roots.isAgreed(dataset, keysOf(4, { a: 3, b: 1 }))).toBe(true)
  })

  test('behavior: keys that are not associated do not count, nor does this one if it is not', () => {
    const { roots, hold } = createRoots()
    hold()
    for (const member of ['b', 'stranger']) roots.note(feedId, member, announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
    roots.note(feedId, 'c', announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(true)
    expect(roots.isAgreed(dataset, keysOf(3, { b: 1, c: 1, d: 1 }))).toBe(false)
  })

  test('behavior: members that have been silent for more than a lifetime do not count until they announce again', () => {
    const { roots, hold, world } = createRoots()
    hold()
    for (const member of ['b', 'c']) roots.note(feedId, member, announced())
    world.time = T + LIFETIME_MS
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(true)
    roots.note(feedId, 'b', announced())
    world.time += 1
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
    expect(roots.listOthers(dataset)).toEqual([{ ...announced(), member: 'b' }])
    roots.note(feedId, 'c', announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(true)
  })

  test.each([
    ['root', { root: rootOf('cd') }],
    ['size', { size: 99 }],
    ['period', { period: 20_261_117 }],
  ])('behavior: the same snapshot with another %s is another root', (_, changes) => {
    const { roots, hold } = createRoots()
    hold()
    for (const member of ['b', 'c']) roots.note(feedId, member, announced(changes))
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
  })

  test('behavior: what a member announced last counts, once', () => {
    const { roots, hold } = createRoots()
    hold()
    roots.note(feedId, 'b', announced())
    roots.note(feedId, 'b', announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
    roots.note(feedId, 'c', announced())
    roots.note(feedId, 'b', announced({ root: rootOf('cd') }))
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
  })

  test('behavior: without a root of its own, a member agrees with nobody', () => {
    const { roots } = createRoots()
    for (const member of ['b', 'c', 'd', 'e']) roots.note(feedId, member, announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
  })

  test('behavior: what members hold of another dataset does not count', () => {
    const { roots, hold, world } = createRoots()
    world.datasets = [dataset, weekly]
    hold()
    for (const member of ['b', 'c']) roots.note(weekly.feed_id, member, announced())
    expect(roots.isAgreed(dataset, threeOfFive)).toBe(false)
  })
})

describe('what this member holds', () => {
  test('default: the snapshot that it took, with the newest period as on chain', () => {
    const { roots, hold, events } = createRoots()
    expect([roots.held(dataset), roots.own(dataset)]).toEqual([null, null])
    hold({ retrievedAt: 5 })
    const { counts } = takenOf()
    expect(roots.held(dataset)).toMatchObject({
      ...{ manifest: manifestOf({ retrievedAt: 5 }), counts },
      ...{ since: T, taken: 1 },
    })
    const root = announced({ began: 5 })
    expect(roots.own(dataset)).toEqual(root)
    expect(events).toEqual([{ event: 'root_announced', feedId, member: 'a', root }])
  })

  test('behavior: the same root taken again keeps its time, another one begins a new one', () => {
    const { roots, hold, world } = createRoots()
    const since = () => roots.held(dataset)?.since
    hold()
    world.time = T + 1
    hold({ retrievedAt: 9 })
    expect([since(), roots.held(dataset)?.taken, roots.own(dataset)?.began]).toEqual([T, 2, 9])
    hold({ root: rootOf('cd') })
    expect(since()).toBe(T + 1)
    world.time = T + 2
    hold()
    expect(since()).toBe(T + 2)
  })

  test.each([
    ['columns', { columns: ['value', 'other'], periods: 1 }],
    ['periods', { columns: ['value'], periods: 2 }],
    ['all periods', { columns: ['value'], periods: null }],
  ])('behavior: other %s in the feeds file mean that nothing is held', (_, selection) => {
    const { roots, hold, world } = createRoots()
    hold()
    for (const member of ['b', 'c']) roots.note(feedId, member, announced())
    const changed = datasetConfig({ dataset: selection })
    world.datasets = [changed]
    expect([roots.held(changed), roots.own(changed), roots.isAgreed(changed, threeOfFive)]).toEqual([
      null,
      null,
      false,
    ])
    world.time = T + 1
    hold({}, changed)
    // The same root of another selection is held anew.
    expect(roots.held(changed)?.since).toBe(T + 1)
    expect(roots.held(dataset)).toBeNull()
  })

  test('behavior: columns in another order, and other texts, are the same selection', () => {
    const { roots, hold } = createRoots()
    const columns = ['value', 'other']
    hold({}, datasetConfig({ dataset: { columns, periods: 1 } }))
    const same = datasetConfig({ dataset: { columns: columns.toReversed(), periods: 1 }, title: 'New' })
    expect(roots.held(same)).not.toBeNull()
  })

  test('behavior: after a restart, a member holds nothing and knows of no other', () => {
    const before = createRoots()
    before.hold()
    before.roots.note(feedId, 'b', announced())
    const { roots } = createRoots()
    expect([roots.held(dataset), roots.listOthers(dataset)]).toEqual([null, []])
  })

  test('behavior: what EIA says again replaces a snapshot, and counts as the same taking', () => {
    const { roots, hold, world, eventsOf } = createRoots()
    hold()
    const held = roots.held(dataset)
    if (held === null) throw new Error('it holds one')
    world.time = T + 1
    expect(roots.replace(dataset, held, takenOf({ root: rootOf('cd') }))).toBe(true)
    expect(roots.held(dataset)).toMatchObject({ since: T + 1, taken: 1, manifest: { root: rootOf('cd') } })
    expect(eventsOf('root_announced').at(-1)?.root).toEqual(announced({ root: rootOf('cd') }))
    // Of two replacements, the second is based on the first.
    const next = roots.held(dataset)
    if (next === null) throw new Error('it holds one')
    expect(roots.replace(dataset, next, takenOf({ root: rootOf('ef') }))).toBe(true)
  })

  test('behavior: a replacement is dropped if another snapshot was taken meanwhile', () => {
    const { roots, hold } = createRoots()
    hold()
    const held = roots.held(dataset)
    if (held === null) throw new Error('it holds one')
    hold({ retrievedAt: 9 })
    expect(roots.replace(dataset, held, takenOf({ root: rootOf('cd') }))).toBe(false)
    expect(roots.own(dataset)).toEqual(announced({ began: 9 }))
  })
})

describe('what others announce', () => {
  test('default: it is reported with each repetition', () => {
    const { roots, events } = createRoots()
    const event = { event: 'root_announced' as const, feedId, member: 'b', root: announced() }
    for (const _ of [1, 2]) roots.note(feedId, 'b', announced())
    expect(events).toEqual([event, event])
  })

  test('behavior: any number of feeds that are no datasets of the file are not kept', () => {
    const { roots, events, world } = createRoots()
    const other = datasetConfig({ feed_id: 'EIA.DATASET.JUNK' })
    roots.note(other.feed_id, 'b', announced())
    expect(events).toEqual([])
    world.datasets = [dataset, other]
    expect(roots.listOthers(other)).toEqual([])
  })
})
