import { describe, expect, test } from 'bun:test'
import { EiaNoRowsError } from '@wattfeed/eia'
import { checkValues } from '../../../src/agent/committee/checkValues.ts'
import { FeedClaimedError } from '../../../src/agent/plan/assertAttestable.ts'
import type { PlannedAttestation } from '../../../src/agent/plan/groupSteps.ts'
import type { FeedPlan, PlannedFeed } from '../../../src/agent/plan/plan.ts'
import { LaggingValueError } from '../../../src/agent/state/settledBlocks.ts'
import { FeedNotRegisteredError } from '../../../src/feeds/file/feedConfig.ts'
import { anySource, rowOf } from '../run/fakes.ts'

const at = (period: number, amount = 100n): PlannedAttestation => ({
  feed_id: 'EIA.A',
  period,
  amount,
  source_hash: `hash of ${amount}`,
  role: 'newest',
})

/** A plan whose newest value at EIA is the last one of the steps, or the chain's. */
function planOf(steps: readonly (readonly PlannedAttestation[])[], onChain: number): PlannedFeed {
  const newest = steps.flat().at(-1) ?? at(onChain)
  const { period, amount, source_hash } = newest
  const result = { decision: 'new-period', period, amount, source_hash, unit: '', source: anySource } as const
  return {
    feedId: 'EIA.A',
    steps,
    height: 1,
    latest: at(onChain),
    about: { row: rowOf(), result },
    missing: 0,
    leftOut: [],
    gaps: [],
    error: null,
  }
}

const failed = (error: Error): FeedPlan => ({ feedId: 'EIA.A', error, about: { row: null, result: null } })
const owner = `account-hash-${'aa'.repeat(32)}`

describe('checkValues', () => {
  test.each([
    ['one value', [[at(2)]]],
    ['several values of the first step', [[at(2), at(3)], [at(4)]]],
  ])('default: %s that the own rules attest next', (_, steps) => {
    expect(checkValues(steps[0] ?? [], planOf(steps, 1))).toBeNull()
  })

  test('error: another value of the same period names both', () => {
    const plan = planOf([[at(2)]], 1)
    const value = { period: 2, amount: '100', source_hash: 'hash of 100' }
    const proposed = { period: 2, amount: '7', source_hash: 'hash of 7' }
    const refusal = { code: 'different_value', feed_id: 'EIA.A', proposed, own: value } as const
    expect(checkValues([at(2, 7n)], plan)).toEqual(refusal)
  })

  test.each([
    [
      'another hash of the same amount',
      [{ ...at(2), source_hash: 'other' }],
      planOf([[at(2)]], 1),
      'different_value',
    ],
    ["another value than the chain's newest", [at(1, 7n)], planOf([], 1), 'different_value'],
    ['a later period than EIA has here', [at(2)], planOf([], 1), 'not_released'],
    ['a later period after the next one', [at(2), at(3)], planOf([[at(2)]], 1), 'not_released'],
    ["the chain's newest value", [at(1)], planOf([], 1), 'stale_node'],
    ['only a part of the step', [at(2)], planOf([[at(2), at(3)]], 1), 'invalid_terms'],
    ['two steps at once', [at(2), at(3)], planOf([[at(2)], [at(3)]], 1), 'invalid_terms'],
    ['another order', [at(3), at(2)], planOf([[at(2), at(3)]], 1), 'invalid_terms'],
    ['a repeated value', [at(2), at(2)], planOf([[at(2)]], 1), 'invalid_terms'],
    [
      'a feed that is not registered',
      [at(2)],
      failed(new FeedNotRegisteredError({ feedId: 'EIA.A' })),
      'unknown_feed',
    ],
    [
      "another account's feed",
      [at(2)],
      failed(new FeedClaimedError({ feedId: 'EIA.A', claimant: owner, accountHash: owner })),
      'unknown_feed',
    ],
    [
      'a lagging node',
      [at(2)],
      failed(new LaggingValueError({ feedId: 'EIA.A', settledHeight: 2, height: 1 })),
      'stale_node',
    ],
    ['no rows at EIA', [at(2)], failed(new EiaNoRowsError({ route: 'route', status: 200 })), 'not_released'],
    ['any other error', [at(2)], failed(new TypeError('secret')), 'not_released'],
  ] as const)('error: %s is refused', (_, proposed, plan, code) => {
    const refusal = checkValues(proposed, plan)
    expect(refusal?.code).toBe(code)
    expect(JSON.stringify(refusal)).not.toContain('secret')
  })

  test('error: if other values are next, both lists are named', () => {
    expect(checkValues([at(2)], planOf([[at(2), at(3)]], 1))).toMatchObject({
      detail: expect.stringMatching(/^proposed are 2 = \d+ of .*, but here 2 = \d+, 3 = \d+ are next:/),
    })
  })
})
