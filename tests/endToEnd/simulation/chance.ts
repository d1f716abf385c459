import { createRandom } from '@wattfeed/testing/random'

/** A random source that is independent of all others. */
export interface Chance {
  random: () => number
  /** Returns a uniform number. */
  between(from: number, to: number): number
  /** Returns a random time until an event that occurs with this average frequency. */
  until(meanMs: number): number
  happens(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Creates the random source of one part of a simulation. */
export function createChance(seed: number, purpose: string): Chance {
  const random = createRandom(Bun.hash.crc32(`${seed} ${purpose}`))
  return {
    random,
    between: (from, to) => from + random() * (to - from),
    until: (meanMs) => -meanMs * Math.log(1 - random()),
    happens: (probability) => random() < probability,
    pick(list) {
      const picked = list[Math.floor(random() * list.length)]
      if (picked === undefined) throw new Error('there is nothing to pick')
      return picked
    },
  }
}
