// cspell:ignore ABCDF CDEFGH CDEFGHIJ
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  alwaysIntersect,
  countSigners,
  findDisjoint,
  type Quorums,
  toleranceOf,
} from '../../src/types/quorum.ts'

const of = (threshold: number, ...weights: number[]): Quorums => ({
  weights: new Map(weights.map((weight, index) => [String.fromCharCode(65 + index), weight])),
  threshold,
})

/** Named keys with equal weights. */
const named = (threshold: number, names: string): Quorums => ({
  weights: new Map([...names].map((name) => [name, 1])),
  threshold,
})

/** Every set of some names. */
const subsets = <T>(names: readonly T[]): T[][] =>
  Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, index) => (bits >> index) & 1))

const weigh = ({ weights }: Quorums, names: readonly string[]): number =>
  names.reduce((total, name) => total + (weights.get(name) ?? 0), 0)

const quorumsOf = (quorums: Quorums): string[][] =>
  subsets([...quorums.weights.keys()]).filter((names) => weigh(quorums, names) >= quorums.threshold)

/** The largest number of keys for which a rule holds for every choice of that many keys, and of fewer; -1 if none. */
function mostOf(quorums: Quorums, holds: (faulty: readonly string[]) => boolean): number {
  const failing = subsets([...quorums.weights.keys()]).filter((faulty) => !holds(faulty))
  return Math.min(quorums.weights.size + 1, ...failing.map(({ length }) => length)) - 1
}

/** Small weights make close calls likely. */
const smallQuorums = (names: string, most: number): fc.Arbitrary<Quorums> =>
  fc
    .record({
      weights: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: most })), {
        selector: ([name]) => name,
        minLength: 1,
      }),
      threshold: fc.integer({ min: 1, max: 4 * most }),
    })
    .map(({ weights, threshold }) => ({ weights: new Map(weights), threshold }))

describe('toleranceOf', () => {
  test('default: 3 of 5 and 4 of 5', () => {
    expect(toleranceOf(of(3, 1, 1, 1, 1, 1))).toEqual({ down: 2, liars: 2, doubleSigners: 0 })
    expect(toleranceOf(of(4, 1, 1, 1, 1, 1))).toEqual({ down: 1, liars: 3, doubleSigners: 2 })
  })

  test('default: the formulas for equal weights', () => {
    for (let n = 1; n <= 9; n += 1)
      for (let m = Math.floor(n / 2) + 1; m <= n; m += 1)
        expect(toleranceOf(of(m, ...Array<number>(n).fill(1)))).toEqual({
          down: n - m,
          liars: m - 1,
          doubleSigners: 2 * m - n - 1,
        })
  })

  test('behavior: half of the keys needs no double signer', () => {
    expect(toleranceOf(of(2, 1, 1, 1, 1))).toEqual({ down: 2, liars: 1, doubleSigners: null })
  })

  test('behavior: keys that cannot reach the threshold tolerate nothing', () => {
    expect(toleranceOf(of(3, 1, 1))).toBeNull()
    expect(countSigners(of(3, 1, 1))).toBeNull()
  })

  test('behavior: the worst case of unequal weights', () => {
    expect(toleranceOf(of(4, 3, 1, 1, 1))).toEqual({ down: 0, liars: 1, doubleSigners: 0 })
  })

  test('behavior: sums beyond 255 are exact', () => {
    const quorums = of(200, 100, 100, 100, 100, 100)
    expect(alwaysIntersect(quorums)).toBe(false)
    expect(toleranceOf(quorums)).toEqual({ down: 3, liars: 1, doubleSigners: null })
  })

  test('behavior: equals trying every set of up to 8 keys', () => {
    fc.assert(
      fc.property(smallQuorums('ABCDEFGH', 5), (quorums) => {
        const all = quorumsOf(quorums)
        const names = [...quorums.weights.keys()]
        if (all.length === 0) return expect(toleranceOf(quorums)).toBeNull()
        expect(countSigners(quorums)).toBe(Math.min(...all.map(({ length }) => length)))
        const doubleSigners = mostOf(quorums, (faulty) =>
          all.every((one) =>
            all.every((other) => one.some((each) => other.includes(each) && !faulty.includes(each))),
          ),
        )
        expect(toleranceOf(quorums)).toEqual({
          down: mostOf(
            quorums,
            (faulty) =>
              weigh(
                quorums,
                names.filter((name) => !faulty.includes(name)),
              ) >= quorums.threshold,
          ),
          liars: mostOf(quorums, (faulty) => weigh(quorums, faulty) < quorums.threshold),
          doubleSigners: doubleSigners === -1 ? null : doubleSigners,
        })
      }),
      { numRuns: 60 },
    )
  })

  test('behavior: if the rule holds, two quorums always share a key', () => {
    fc.assert(
      fc.property(smallQuorums('ABCDEFGH', 5), (quorums) => {
        fc.pre(alwaysIntersect(quorums))
        expect(toleranceOf(quorums)?.doubleSigners).not.toBeNull()
      }),
    )
  })
})

describe('findDisjoint', () => {
  test('default: 5 of 9, then 3 of the five keys that are left', () => {
    expect(findDisjoint(named(5, 'ABCDEFGHI'), named(3, 'ABCDE'))).toEqual({
      before: ['E', 'F', 'G', 'H', 'I'],
      after: ['A', 'B', 'C', 'D'],
    })
  })

  test('behavior: replacing a key of 4 of 5 keeps a common key, of 3 of 5 does not', () => {
    expect(findDisjoint(named(4, 'ABCDE'), named(4, 'ABCDF'))).toBeNull()
    expect(findDisjoint(named(3, 'ABCDE'), named(3, 'ABCDF'))).not.toBeNull()
  })

  test('behavior: equals trying every pair of quorums', () => {
    fc.assert(
      fc.property(smallQuorums('ABCDEF', 4), smallQuorums('CDEFGH', 4), (before, after) => {
        const isDisjoint = quorumsOf(before).some((one) =>
          quorumsOf(after).some((other) => other.every((name) => !one.includes(name))),
        )
        expect(findDisjoint(before, after) !== null).toBe(isDisjoint)
      }),
      { numRuns: 300 },
    )
  })

  test('behavior: what it finds are quorums without a common key', () => {
    fc.assert(
      fc.property(smallQuorums('ABCDEFGH', 4), smallQuorums('CDEFGHIJ', 4), (before, after) => {
        const found = findDisjoint(before, after)
        fc.pre(found !== null)
        expect(weigh(before, found.before)).toBeGreaterThanOrEqual(before.threshold)
        expect(weigh(after, found.after)).toBeGreaterThanOrEqual(after.threshold)
        expect(found.after.filter((name) => found.before.includes(name))).toEqual([])
      }),
    )
  })

  test('behavior: 100 keys of any weight', () => {
    const hundred = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 100, maxLength: 100 })
    fc.assert(
      fc.property(hundred, hundred, (old, added) => {
        const [before, after] = [of(255, ...old), of(255, ...added)]
        expect(findDisjoint(before, after)).not.toBeNull()
        expect(toleranceOf(before)?.doubleSigners).toBeNull()
      }),
      { numRuns: 3 },
    )
  })
})
