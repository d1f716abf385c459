import { describe, expect, test } from 'bun:test'
import type { EiaRow } from '@wattfeed/eia'
import {
  type BackfillInput,
  planBackfill,
  readRange,
} from '../../../src/operator/feeds/backfill/planBackfill.ts'
import { attestationOf, feedOf, NOW, rowOf } from '../../agent/run/fakes.ts'

const feed = feedOf('A', { frequency: 'quarterly' })
const rows: EiaRow[] = ['2026-Q1', '2025-Q4', '2025-Q3', '2025-Q2', '2025-Q1'].map((period) =>
  rowOf({ period }),
)

const planOf = (changes: Partial<BackfillInput>) =>
  planBackfill({
    feed,
    rows,
    latest: null,
    held: new Set(),
    restates: false,
    span: 500,
    batch: { offersMany: true, paymentMotes: null },
    gasPriceTolerance: 1,
    now: NOW,
    ...changes,
  })
const shown = (changes: Partial<BackfillInput>) =>
  planOf(changes).groups.map((group) => group.map(({ period }) => period))

/** The error of planning this. */
function refusalOf(changes: Partial<BackfillInput>): unknown {
  try {
    return planOf(changes)
  } catch (error) {
    return error
  }
}

const latest = attestationOf({ period: 202507 })
const held = new Set([202507])

describe('planBackfill', () => {
  test('behavior: past values that are too far apart at EIA are in different transactions', () => {
    const newest = attestationOf({ period: 202601 })
    const onlyEnds = { latest: newest, held: new Set([202504, 202507, 202601]), restates: true }
    expect(shown(onlyEnds)).toEqual([[202501, 202510, 202601]])
    expect(shown({ ...onlyEnds, span: 3 })).toEqual([
      [202501, 202601],
      [202510, 202601],
    ])
  })

  test('default: the missing periods, oldest first', () => {
    expect(shown({})).toEqual([[202501, 202504, 202507, 202510], [202601]])
    expect(shown({ batch: { offersMany: false, paymentMotes: null } })).toHaveLength(5)
  })

  test('default: earlier periods close with the newest value, later ones follow', () => {
    expect(shown({ latest, held, restates: true })).toEqual([
      [202501, 202504, 202507],
      [202510, 202601],
    ])
  })

  test('behavior: periods on chain are skipped; if only later periods remain, nothing is restated', () => {
    const all = { latest, held: new Set([202501, 202504, 202507]) }
    expect(shown(all)).toEqual([[202510, 202601]])
    expect(planOf(all)).toMatchObject({ isRestating: false, heldPeriods: 3, periods: [202510, 202601] })
    expect(shown({ latest: attestationOf({ period: 202412 }) })).toEqual(shown({}))
  })

  test('behavior: the balance covers all charges, and the payment of the last transaction', () => {
    const [one, five] = [planOf({}), planOf({ gasPriceTolerance: 5 })]
    expect(one.neededMotes > one.estimatedMotes).toBe(true)
    expect(five.neededMotes - one.neededMotes).toBe(4n * 2_500_000_000n)
    expect(planOf({ rows: [] })).toMatchObject({ groups: [], estimatedMotes: 0n, neededMotes: 0n })
  })

  test('error: an earlier period is missing', () => {
    expect(refusalOf({ latest, held })).toMatchObject({ code: 'backfill', reason: 'has_values' })
  })

  test('error: no room for the newest value in a transaction', () => {
    const old = { offersMany: false, paymentMotes: null }
    expect(refusalOf({ latest, held, restates: true, batch: old })).toMatchObject({
      reason: 'no_room',
      message: expect.stringContaining('contracts upgrade'),
    })
    const long = { ...feed, feed_id: 'x'.repeat(400) }
    expect(refusalOf({ latest, held, restates: true, feed: long })).toMatchObject({
      reason: 'no_room',
      message: expect.stringContaining('its id is too long'),
    })
  })
})

test('default: a range in the feed’s own words', () => {
  expect(readRange(feed, { from: '2020-Q1' })).toEqual({ from: 202001, to: null })
  expect(readRange(feed, { from: '2020-Q1', to: '2020-Q1' })).toEqual({ from: 202001, to: 202001 })
  const hours = { feed_id: 'A', frequency: 'hourly' } as const
  expect(readRange(hours, { from: '2026-01-01T00' }).from).toBe(1767225600)
})
