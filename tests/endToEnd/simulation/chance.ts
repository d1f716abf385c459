import { createRandom } from '../../support/random.ts'

/** A source of chance that no other one disturbs. */
export interface Chance {
  random: () => number
  /** Returns a uniform number. */
  between(from: number, to: number): number
  /** Returns how long it takes until something that comes that often on average. */
  until(meanMs: number): number
  happens(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Creates the chance of one of many things that happen in a simulation. */
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
