import { expect, test } from 'bun:test'
import type { AccountKeys } from '../../../../src/agent/committee/accountKeys.ts'
import { keepConverging } from '../../../../src/agent/committee/roots/keepConverging.ts'
import { LOOK_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import type { AnnouncedRoot } from '../../../../src/agent/state/announcedRoots.ts'
import { datasetConfig } from '../../datasets/fakes.ts'
import { createManualWait, turn } from '../../run/fakes.ts'
import { announced, createRoots, feedId, rootOf, threeOfFive } from './bench.ts'

/** Rounds that end when the test says so. */
function createBench(known: AccountKeys | null = threeOfFive) {
  const world = { keys: known }
  const { roots, hold, world: rootWorld } = createRoots('a')
  rootWorld.datasets = [...rootWorld.datasets, datasetConfig({ feed_id: 'EIA.DATASET.OTHER' })]
  const told: { to: string; feedId: string; root: AnnouncedRoot | undefined }[] = []
  const peers = {
    members: ['b', 'c'],
    announce: (to: string, of: string, root?: AnnouncedRoot) => void told.push({ to, feedId: of, root }),
  }
  const rounds: PromiseWithResolvers<void>[] = []
  const { wait, waits } = createManualWait()
  const stop = new AbortController()
  const converge = () => {
    const round = Promise.withResolvers<void>()
    rounds.push(round)
    return round.promise
  }
  const working = keepConverging({
    ...{ convergence: { converge }, roots, peers, wait, stop: stop.signal },
    keys: () => world.keys,
  })
  return {
    ...{ world, hold, told, rounds, waits, stop, working },
    async look() {
      waits.at(-1)?.end()
      await turn()
    },
  }
}

test('default: a round every 20 s, also while one before is in progress', async () => {
  const { rounds, waits, look } = createBench()
  await look()
  expect(waits.map(({ ms }) => ms)).toEqual([LOOK_MS, LOOK_MS])
  expect(rounds.length).toBe(2)
})

test('default: what is held is announced to all at each look, also while a round is in progress', async () => {
  const { told, hold, look } = createBench(null)
  expect(told).toEqual([])
  hold()
  await look()
  expect(told).toEqual(['b', 'c'].map((to) => ({ to, feedId, root: announced() })))
  hold({ root: rootOf('cd') })
  await look()
  expect(told.slice(2).map(({ root }) => root?.root)).toEqual([rootOf('cd'), rootOf('cd')])
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
