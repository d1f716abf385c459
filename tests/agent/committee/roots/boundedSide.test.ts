import { expect, test } from 'bun:test'
import type { Side } from '@wattfeed/dataset/compare'
import { errorOf } from '@wattfeed/testing/errorOf'
import { boundedSide } from '../../../../src/agent/committee/roots/boundedSide.ts'
import { rootOf } from './bench.ts'

/** A side whose answers the test names by their size. */
function createBench() {
  const world = { bytes: 1, requests: 0, mayGoOn: true }
  const answer = async () => {
    world.requests += 1
    return new Uint8Array(world.bytes)
  }
  const side: Side = { name: 'member b', root: rootOf('ab'), size: 9, digestsOf: answer, leavesOf: answer }
  const bounded = boundedSide(side, () => {
    if (!world.mayGoOn) throw new Error('it took too long')
  })
  return { world, side, bounded }
}

test('default: it answers as the side does', async () => {
  const { side, bounded } = createBench()
  expect(bounded).toMatchObject({ name: side.name, root: side.root, size: side.size })
  expect([(await bounded.digestsOf(4, [])).length, (await bounded.leavesOf([1])).length]).toEqual([1, 1])
})

test('error: leaves of more than 4 MB in all are too many, and hashes are not counted', async () => {
  const { world, bounded } = createBench()
  world.bytes = 2_000_000
  for (const _ of [1, 2, 3]) await bounded.digestsOf(0, [])
  for (const _ of [1, 2]) await bounded.leavesOf([1])
  world.bytes = 1
  expect(await errorOf(bounded.leavesOf([1]))).toMatchObject({ code: 'difference_too_large' })
})

test('error: once it may not go on, it gets no further request', async () => {
  const { world, bounded } = createBench()
  world.mayGoOn = false
  await expect(bounded.digestsOf(4, [])).rejects.toThrow('it took too long')
  await expect(bounded.leavesOf([1])).rejects.toThrow('it took too long')
  expect(world.requests).toBe(0)
})
