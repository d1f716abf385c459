import { describe, expect, test } from 'bun:test'
import { EiaNoRowsError } from '@wattfeed/eia'
import { checkBackfill, isBackfill } from '../../../src/agent/committee/checkBackfill.ts'
import type { FeedPlan } from '../../../src/agent/plan/plan.ts'
import { anySource, rowOf } from '../run/fakes.ts'

const at = (period: number, amount = 100n) => ({
  feed_id: 'EIA.A',
  period,
  amount,
  source_hash: `hash of ${amount}`,
})

function planOf(latest: ReturnType<typeof at> | null): FeedPlan {
  const result = { ...at(9), decision: 'unchanged', unit: '', source: anySource } as const
  const about = { row: rowOf(), result }
  const kept = { missing: 0, leftOut: [], gaps: [] }
  return { feedId: 'EIA.A', height: 1, steps: [], latest, about, ...kept, error: null }
}

describe('isBackfill', () => {
  test('default: past periods, oldest first, and then the newest value', () => {
    expect(isBackfill([at(1), at(3), at(9)], planOf(at(9)))).toBeTrue()
  })

  test.each([
    ['only the newest value', [at(9)], planOf(at(9))],
    ['without the newest value', [at(1), at(3)], planOf(at(9))],
    ['another newest value', [at(1), at(9, 7n)], planOf(at(9))],
    ['another order', [at(3), at(1), at(9)], planOf(at(9))],
    ['a repeated period', [at(1), at(1), at(9)], planOf(at(9))],
    ['the newest value twice', [at(9), at(9)], planOf(at(9))],
    ['a later period', [at(10), at(9)], planOf(at(9))],
    ['a feed without values', [at(1), at(9)], planOf(null)],
    [
      'a feed without a plan',
      [at(1), at(9)],
      {
        feedId: 'EIA.A',
        error: new EiaNoRowsError({ route: 'route', status: 200 }),
        about: { row: null, result: null },
      },
    ],
  ] as const)('error: %s', (_, proposed, plan) => {
    expect(isBackfill(proposed, plan)).toBeFalse()
  })
})

describe('checkBackfill', () => {
  const own = new Map([1, 2].map((period) => [period, at(period)]))

  test('default: values of EIA that the chain lacks, or has otherwise', () => {
    expect(checkBackfill([at(1), at(2)], { own, prints: new Map([[2, at(2, 7n)]]) })).toBeNull()
  })

  test.each([
    ['a period that EIA does not have', [at(1), at(3)], new Map(), 'not_released'],
    ['another value', [at(1), at(2, 7n)], new Map(), 'different_value'],
    ['another source', [{ ...at(1), source_hash: 'other' }], new Map(), 'different_value'],
    ['a value of the chain', [at(1), at(2)], new Map([[2, at(2)]]), 'stale_node'],
  ] as const)('error: %s is refused', (_, past, prints, code) => {
    expect(checkBackfill(past, { own, prints })?.code).toBe(code)
  })
})
