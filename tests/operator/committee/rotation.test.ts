// cspell:ignore ABCDF ABCDFGHI CDEFGH
import { describe, expect, test } from 'bun:test'
import { alwaysIntersect, countArgumentBytes, findDisjoint, totalWeight } from '@wattfeed/casper/types'
import fc from 'fast-check'
import { type Committee, isSameCommittee, quorumsOf, weightOfAll } from '../../../src/committee/committee.ts'
import { isSmallEnough, planRotation } from '../../../src/operator/committee/rotation.ts'
import { changeArguments } from '../../../src/operator/committee/submitChange.ts'
import { committeeOf } from './committeeOf.ts'

/** Formats steps like `2 AB`: the threshold and the keys. */
const format = (steps: readonly Committee[] | null): string[] =>
  (steps ?? []).map(({ weights, deployment }) => `${deployment} ${[...weights.keys()].sort().join('')}`)

const anyCommittee = (names: string): fc.Arbitrary<Committee> =>
  fc
    .record({
      weights: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 1, max: 4 })), {
        selector: ([name]) => name,
        minLength: 1,
      }),
      above: fc.nat(),
    })
    .map(({ weights, above }) => {
      const total = totalWeight({ weights: new Map(weights) })
      const least = Math.floor(total / 2) + 1
      return committeeOf(least + (above % (total - least + 1)), Object.fromEntries(weights))
    })

describe('planRotation', () => {
  test('default: a change that keeps a common key is one step', () => {
    expect(format(planRotation(committeeOf(4, 'ABCDE'), committeeOf(4, 'ABCDF')))).toEqual(['4 ABCDF'])
    expect(planRotation(committeeOf(4, 'ABCDE'), committeeOf(4, 'ABCDE'))).toEqual([])
  })

  test('default: a single key becomes 4 of 5', () => {
    expect(format(planRotation(committeeOf(1, 'A'), committeeOf(4, 'ABCDE')))).toEqual(['2 AB', '4 ABCDE'])
  })

  test('default: a key of 3 of 5 is replaced', () => {
    expect(format(planRotation(committeeOf(3, 'ABCDE'), committeeOf(3, 'ABCDF')))).toEqual([
      '3 ABCD',
      '3 ABCDF',
    ])
  })

  test('default: 5 of 9 becomes 3 of the five keys that are left', () => {
    expect(format(planRotation(committeeOf(5, 'ABCDEFGHI'), committeeOf(3, 'ABCDE')))).toEqual([
      '5 ABCDE',
      '3 ABCDE',
    ])
  })

  test('behavior: the steps that tolerate most missing members are preferred', () => {
    const steps = planRotation(committeeOf(2, 'ABC'), committeeOf(3, 'ABCDE'))
    expect(format(steps)).toEqual(['3 ABCD', '3 ABCDE'])
  })

  test('behavior: a key without weight is removed by the first step', () => {
    const steps = planRotation(committeeOf(1, { A: 1, Z: 0 }), committeeOf(4, 'ABCDE'))
    expect(format(steps)).toEqual(['2 AB', '4 ABCDE'])
  })

  test('behavior: every key is replaced', () => {
    const steps = planRotation(committeeOf(2, 'ABC'), committeeOf(2, 'DEF'))
    expect(steps?.at(-1)).toEqual(committeeOf(2, 'DEF'))
  })

  test('behavior: a recovery key does not count, neither as long as it is there', () => {
    const before = committeeOf(4, { A: 1, B: 1, C: 1, D: 1, E: 1, R: 4 }, 'R')
    expect(planRotation(before, committeeOf(4, 'ABCDE'))).toHaveLength(1)
    expect(planRotation({ ...before, recovery: new Set() }, committeeOf(4, 'ABCDE'))).not.toHaveLength(1)
  })

  test('behavior: a recovery key that does not sign alone is like any other key', () => {
    const { weights } = quorumsOf(committeeOf(3, { A: 1, B: 1, C: 1, R: 3, S: 2 }, 'RS'))
    expect([...weights.keys()].join('')).toBe('ABCS')
  })

  test('behavior: a lost key need not sign any step', () => {
    const targets = [
      committeeOf(3, 'ABCDF'),
      { ...committeeOf(3, 'ABCDF'), keyManagement: 5 },
      committeeOf(3, 'ABCD'),
      committeeOf(5, 'ABCDFGHI'),
    ]
    for (const target of targets)
      for (const { weights, keyManagement } of planRotation(committeeOf(3, 'ABCDE'), target) ?? []) {
        const kept = [...weights].filter(([key]) => target.weights.has(key))
        expect(totalWeight({ weights: new Map(kept) })).toBeGreaterThanOrEqual(keyManagement)
      }
  })

  test('behavior: every step keeps a common key, and can be signed', () => {
    fc.assert(
      fc.property(anyCommittee('ABCDEF'), anyCommittee('CDEFGH'), (before, target) => {
        const steps = planRotation(before, target)
        expect(steps).not.toBeNull()
        let previous = before
        for (const step of steps ?? []) {
          expect(findDisjoint(quorumsOf(previous), quorumsOf(step))).toBeNull()
          expect(alwaysIntersect(quorumsOf(step))).toBe(true)
          expect(step.deployment).toBeLessThanOrEqual(step.keyManagement)
          expect(step.deployment).toBeGreaterThan(0)
          expect(weightOfAll(step)).toBeGreaterThanOrEqual(step.keyManagement)
          previous = step
        }
        expect(isSameCommittee(previous, target)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('behavior: planning again after each step leads to the target', () => {
    fc.assert(
      fc.property(anyCommittee('ABCDEF'), anyCommittee('CDEFGH'), (before, target) => {
        let left = planRotation(before, target) ?? []
        while (left.length > 0) {
          const next = planRotation(left[0] ?? target, target)
          expect(next?.length).toBeLessThan(left.length)
          left = next ?? []
        }
      }),
      { numRuns: 500 },
    )
  })

  test('behavior: every step fits in a transaction', () => {
    const thirteen = (from: number) =>
      committeeOf(9, Object.fromEntries(Array.from({ length: 13 }, (_, index) => [hashOf(from + index), 1])))
    const steps = planRotation(thirteen(0), thirteen(13)) ?? []
    expect(steps.at(-1)).toEqual(thirteen(13))
    for (const [index, next] of steps.entries())
      expect(countArgumentBytes(changeArguments(steps[index - 1] ?? thirteen(0), next))).toBeLessThanOrEqual(
        1_024,
      )
  })

  test('behavior: the size of a change is that of its arguments', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.nat({ max: 20 }), fc.nat({ max: 3 }), (old, added, recovery) => {
        const keysOf = (count: number): [string, number][] =>
          Array.from({ length: count }, (_, index) => [hashOf(index), 1])
        const [before, after] = [keysOf(old), keysOf(added)].map((keys) =>
          committeeOf(1, Object.fromEntries(keys)),
        )
        if (before === undefined || after === undefined) throw new Error('unreachable')
        const withRecovery = { ...after, recovery: new Set([...after.weights.keys()].slice(0, recovery)) }
        expect(isSmallEnough(before, withRecovery)).toBe(
          countArgumentBytes(changeArguments(before, withRecovery)) <= 1_024,
        )
      }),
    )
  })
})

const hashOf = (index: number): string => `account-hash-${index.toString(16).padStart(64, '0')}`
