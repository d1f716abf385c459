import { expect, test } from 'bun:test'
import { LOOK_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import { planRoot } from '../../../../src/agent/committee/roots/planRoot.ts'
import type { PeriodCounts } from '../../../../src/agent/datasets/periodCounts.ts'
import { weekly } from '../../datasets/fakes.ts'
import { attestationOf, createFakeChain, createFakeEia, observeSettings } from '../../run/fakes.ts'
import { createRoots, dataset, feedId, rootOf, T } from './bench.ts'

/** Plans what a member holds, at a time that the test sets. EIA fails each request. */
function createBench({ acceptsShrunk = false } = {}) {
  const { roots, hold, world: time } = createRoots()
  /** How far the machine's clock is ahead of the steady one. */
  const world = Object.assign(time, { ahead: 0 })
  const chain = createFakeChain([dataset, weekly])
  const { eia, asked } = createFakeEia(() => {
    throw new Error('EIA was asked')
  })
  const counts = new Map<string, PeriodCounts>()
  const attested: string[] = []
  const keeper = {
    countsOf: (_: unknown, { source_hash }: { source_hash: string }) => counts.get(source_hash) ?? null,
    noteAttested: (_: unknown, root: string) => void attested.push(root),
  }
  const settings = observeSettings({ eia, now: () => world.time + world.ahead })
  const plan = async () =>
    planRoot(dataset, await chain.openView(), { roots, keeper, settings, acceptsShrunk })
  /** The values that are planned, or the code of the error. */
  const planned = async () => {
    const { error, ...others } = await plan()
    if (error !== null) return 'code' in error ? error.code : error.message
    return 'steps' in others ? others.steps : null
  }
  return { roots, hold, world, chain, counts, attested, plan, planned, asked }
}

const value = { period: 20_261_116, amount: 100n, source_hash: rootOf('ab') }
const step = [[{ feed_id: feedId, ...value, role: 'newest' }]]

test('default: the root that this member has held for one look, without asking EIA', async () => {
  const { hold, world, planned, asked } = createBench()
  hold()
  world.time = T + LOOK_MS - 1
  expect(await planned()).toBe('root_not_held')
  world.time = T + LOOK_MS
  expect(await planned()).toEqual(step)
  expect(asked).toEqual([])
})

test('behavior: the newest root on chain is noted, also before anything is signed', async () => {
  const { hold, chain, planned, attested } = createBench()
  hold()
  chain.attest(feedId, { ...value, source_hash: rootOf('ef') })
  expect([await planned(), attested]).toEqual(['root_not_held', [rootOf('ef')]])
})

test("behavior: what was held before the machine's clock was set back can be signed", async () => {
  const { hold, world, planned } = createBench()
  hold()
  world.time += LOOK_MS
  world.ahead = -3_600_000
  expect(await planned()).toEqual(step)
})

test('behavior: nothing within one look after the root has changed', async () => {
  const { hold, world, planned } = createBench()
  hold()
  world.time += LOOK_MS
  hold({ root: rootOf('cd') })
  expect(await planned()).toBe('root_not_held')
  world.time += LOOK_MS - 1
  // The same root taken again, and not a change.
  hold({ root: rootOf('cd'), retrievedAt: 9 })
  expect(await planned()).toBe('root_not_held')
  world.time += 1
  expect(await planned()).toEqual([
    [{ feed_id: feedId, ...value, source_hash: rootOf('cd'), role: 'newest' }],
  ])
})

test('error: a member that holds nothing may hold it later', async () => {
  const { plan } = createBench()
  expect((await plan()).error).toMatchObject({ code: 'root_not_held', retryable: true })
})

test('error: a member that holds what the feeds file selected before holds nothing', async () => {
  const { hold, world, plan } = createBench()
  hold({}, { ...dataset, dataset: { columns: ['value'], periods: 2 } })
  world.time += LOOK_MS
  expect((await plan()).error).toMatchObject({
    message: `no root of ${feedId} is signed until this member has read it`,
  })
})

test('behavior: nothing if the chain has the root', async () => {
  const { hold, world, chain, planned } = createBench()
  hold()
  world.time += LOOK_MS
  chain.attest(feedId, value)
  expect(await planned()).toEqual([])
})

test.each([
  [false, 'dataset_shrank'],
  [true, step],
])(
  'error: a dataset that has shrunk is signed only if that is accepted: %j',
  async (acceptsShrunk, found) => {
    const { hold, world, chain, counts, planned } = createBench({ acceptsShrunk })
    hold()
    world.time += LOOK_MS
    chain.attest(feedId, { period: 20_261_116, amount: 120n, source_hash: rootOf('cd') })
    counts.set(rootOf('cd'), new Map([['2026-11-16', 120]]))
    expect(await planned()).toEqual(found)
  },
)

test('error: a feed that cannot be attested is told before the look is over', async () => {
  const { hold, chain, planned } = createBench()
  hold()
  chain.set(feedId, { latest: attestationOf(), feed: null })
  expect(await planned()).toBe('feed_not_registered')
})

test('behavior: a root that was on chain before the newest one is signed only after two minutes', async () => {
  const { hold, world, chain, planned } = createBench()
  hold()
  world.time += LOOK_MS
  chain.attest(feedId, value)
  expect(await planned()).toEqual([])
  chain.attest(feedId, { ...value, source_hash: rootOf('cd') })
  hold({ root: rootOf('cd') })
  await planned()
  hold()
  world.time += 2 * 60_000 - 1
  expect(await planned()).toBe('root_not_held')
  world.time += 1
  expect(await planned()).toEqual(step)
})
