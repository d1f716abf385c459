import { expect, test } from 'bun:test'
import { Doubts } from '../../../../src/agent/committee/roots/doubts.ts'
import { T } from './bench.ts'

const HOUR = 3_600_000

/** A member that makes this one ask EIA in vain for as many datasets as it likes, each only a few times. */
function createBench() {
  const world = { time: T }
  const doubts = new Doubts(() => world.time)
  return {
    world,
    waste(rounds: number, member = 'b') {
      for (let round = 0; round < rounds; round += 1) doubts.noteFutile(`dataset ${round}`, member, 'root')
    },
    isFutile: (member = 'b', root = 'root') => doubts.isFutile('another dataset', member, root),
  }
}

test('behavior: a member that has wasted 60 rounds in an hour, on any datasets, is left out for the rest of it', () => {
  const { world, waste, isFutile } = createBench()
  waste(59)
  expect(isFutile()).toBe(false)
  world.time += HOUR / 2
  waste(1)
  expect([isFutile(), isFutile('b', 'another root'), isFutile('c')]).toEqual([true, true, false])
  world.time += HOUR / 2 - 1
  expect(isFutile()).toBe(true)
  world.time += 1
  expect(isFutile()).toBe(false)
  waste(59)
  expect(isFutile()).toBe(false)
})

test('behavior: a clock that is set back leaves no member out for longer', () => {
  const { world, waste, isFutile } = createBench()
  waste(60)
  expect(isFutile()).toBe(true)
  world.time -= 24 * HOUR
  expect(isFutile()).toBe(false)
})
