import { expect, test } from 'bun:test'
import type { PlannedFeed } from '../../../src/agent/plan/plan.ts'
import { groupPlans } from '../../../src/agent/send/batchPlans.ts'
import { anySource, rowOf } from '../run/fakes.ts'

const attestationAt = (feed_id: string, period: number) => ({
  feed_id,
  period,
  amount: 1n,
  source_hash: 'f'.repeat(32),
  role: 'newest' as const,
})

function planOf(feedId: string, ...steps: number[][]): PlannedFeed {
  const values = steps.map((periods) => periods.map((period) => attestationAt(feedId, period)))
  const result = { ...attestationAt(feedId, 1), decision: 'new-period', unit: '', source: anySource } as const
  return {
    feedId,
    steps: values,
    height: 1,
    latest: null,
    about: { row: rowOf(), result },
    missing: 0,
    leftOut: [],
    gaps: [],
    error: null,
  }
}

const plans = [planOf('A', [1]), planOf('B', [1]), planOf('C', [1, 2], [3]), planOf('D', [1])]
const group = (alone: readonly string[]) =>
  groupPlans(plans, new Set(alone), { offersMany: true, paymentMotes: null }).map((values) =>
    values.map(({ feed_id, period }) => `${feed_id}${period}`).join(' '),
  )

test('default: single values share a transaction, and a longer plan has its first step', () => {
  expect(group([])).toEqual(['C1 C2', 'A1 B1 D1'])
})

test('behavior: a feed that shall be alone has its own transaction', () => {
  expect(group(['B', 'C'])).toEqual(['A1 D1', 'B1', 'C1 C2'])
})
