import { expect, test } from 'bun:test'
import type { AccountKeys } from '../../../../src/agent/committee/accountKeys.ts'
import { keepConverging } from '../../../../src/agent/committee/roots/keepConverging.ts'
import { LOOK_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import { createManualWait, turn } from '../../run/fakes.ts'
import { threeOfFive } from './bench.ts'

/** Rounds that end when the test says so. */
function createBench(known: AccountKeys | null = threeOfFive) {
  const world = { keys: known, announcements: 0 }
  const rounds: PromiseWithResolvers<void>[] = []
  const { wait, waits } = createManualWait()
  const stop = new AbortController()
  const converge = () => {
    const round = Promise.withResolvers<void>()
    rounds.push(round)
    return round.promise
  }
  const announceRoots = () => {
    world.announcements += 1
  }
  const working = keepConverging({
    ...{ convergence: { converge }, member: { announceRoots }, wait, stop: stop.signal },
    keys: () => world.keys,
  })
  return {
    ...{ world, rounds, waits, stop, working },
    async look() {
      waits.at(-1)?.end()
      await turn()
    },
  }
}

test('default: a round every 20 s, also while one before is in progress', async () => {
  const { world, rounds, waits, look } = createBench()
  await look()
  expect(waits.map(({ ms }) => ms)).toEqual([LOOK_MS, LOOK_MS])
  expect([rounds.length, world.announcements]).toEqual([2, 2])
})

test('behavior: none before a block was read', async () => {
  const { world, rounds, look } = createBench(null)
  await look()
  expect(rounds.length).toBe(0)
  world.keys = threeOfFive
  await look()
  expect(rounds.length).toBe(1)
})

test('behavior: at the end, it waits for the rounds in progress', async () => {
  const { rounds, stop, working } = createBench()
  stop.abort()
  let isEnded = false
  const ended = working.then(() => {
    isEnded = true
  })
  await turn()
  expect([isEnded, rounds.length]).toEqual([false, 1])
  rounds[0]?.resolve()
  await ended
})
