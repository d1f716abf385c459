import { describe, expect, test } from 'bun:test'
import { type DatasetInput, planDataset } from '../../../src/agent/datasets/planDataset.ts'
import type { ChainValue } from '../../../src/agent/plan/decide.ts'
import { batchPlans } from '../../../src/agent/send/batchPlans.ts'
import { datasetConfig, manifestOf } from './fakes.ts'

const feed = datasetConfig()
const feedId = feed.feed_id
const root = 'ab'.repeat(32)
const onChain: ChainValue = { period: 20261116, amount: 100n, source_hash: root }

const plan = (changes: Partial<DatasetInput> = {}) =>
  planDataset({ feed, manifest: manifestOf(), latest: null, height: 7, acceptsShrunk: false, ...changes })

/** The decision and what is attested, or the code of the error. */
function wordsOf(changes: Partial<DatasetInput>): string {
  const planned = plan(changes)
  if (planned.error !== null)
    return 'code' in planned.error ? String(planned.error.code) : planned.error.message
  const values = planned.steps.flat().map(({ period, amount }) => `${period} ${amount}`)
  return [planned.about.result.decision, ...values].join(', ')
}

describe('the plan of a dataset', () => {
  test('default: the root, with the number of values and the newest period', () => {
    const value = { ...onChain, feed_id: feedId, role: 'newest' as const }
    expect(plan()).toEqual({
      feedId,
      height: 7,
      latest: null,
      steps: [[value]],
      about: {
        row: { period: '2026-11-16', value: '100', unit: 'values', statedUnit: null },
        result: { ...onChain, decision: 'new-period', unit: 'values' },
      },
      missing: 0,
      leftOut: [],
      gaps: [],
      error: null,
    })
  })

  test.each<[string, Partial<ChainValue>, string]>([
    ['the same root', {}, 'unchanged'],
    ['another root of the same size', { source_hash: 'cd'.repeat(32) }, 'revision, 20261116 100'],
    ['an earlier period', { period: 20261113 }, 'new-period, 20261116 100'],
    ['fewer values', { amount: 1n }, 'revision, 20261116 100'],
    ['a ninth more values', { amount: 111n }, 'revision, 20261116 100'],
    ['more than a ninth more values', { amount: 112n }, 'dataset_shrank'],
    ['an earlier period of many more values', { period: 20261113, amount: 112n }, 'dataset_shrank'],
    ['a later period', { period: 20261117 }, 'dataset_shrank'],
  ])('behavior: the chain has %s', (_, changes, words) => {
    expect(wordsOf({ latest: { ...onChain, ...changes } })).toBe(words)
  })

  test('behavior: exactly a tenth less is attested', () => {
    expect(wordsOf({ manifest: manifestOf({ size: 90 }), latest: onChain })).toBe('revision, 20261116 90')
    expect(wordsOf({ manifest: manifestOf({ size: 89 }), latest: onChain })).toBe('dataset_shrank')
  })

  test('error: the message names both sizes and periods, and how to confirm', () => {
    const { error } = plan({ latest: { ...onChain, period: 20261117, amount: 300n } })
    expect(error?.message).toBe(
      `EIA has 100 values up to 20261116 for ${feedId}, but the newest root on chain is of 300 values up to 20261117: nothing is attested; if EIA did remove them, run "feeds attest ${feedId} --accept-shrunk"`,
    )
  })

  test('behavior: one that has shrunk is attested if that is accepted, alone if its period is earlier', () => {
    const few = { latest: { ...onChain, amount: 112n }, acceptsShrunk: true }
    const early = { latest: { ...onChain, period: 20261117 }, acceptsShrunk: true }
    expect([few, early].map(wordsOf)).toEqual(['revision, 20261116 100', 'revision, 20261116 100'])
    const shared = [few, early].map((changes) => {
      const planned = plan(changes)
      if (planned.error !== null) throw planned.error
      return batchPlans([planned], { offersMany: true, paymentMotes: null }).map(({ isShared }) => isShared)
    })
    expect(shared).toEqual([[true], [false]])
  })

  test('error: a newest period that is not of the frequency', () => {
    expect(wordsOf({ manifest: manifestOf({ newestPeriod: '2026-11' }) })).toBe('period')
  })
})
