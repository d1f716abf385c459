import { describe, expect, test } from 'bun:test'
import { type DatasetInput, planDataset } from '../../../src/agent/datasets/planDataset.ts'
import type { ChainValue } from '../../../src/agent/plan/decide.ts'
import { batchPlans } from '../../../src/agent/send/batchPlans.ts'
import { datasetConfig, manifestOf, takenOf } from './fakes.ts'

const feed = datasetConfig()
const feedId = feed.feed_id
const root = 'ab'.repeat(32)
const onChain: ChainValue = { period: 20261116, amount: 100n, source_hash: root }

/** A plan for 100 values of one day; without the snapshot of the newest root, unless it is given. */
const plan = (changes: Partial<DatasetInput> = {}) =>
  planDataset({
    ...{ feed, ...takenOf(), latest: null, before: null, now: 0, height: 7, acceptsShrunk: false },
    ...changes,
  })

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
    ['an earlier period of many more values', { period: 20261113, amount: 112n }, 'new-period, 20261116 100'],
    ['a later period', { period: 20261117 }, 'dataset_shrank'],
  ])('behavior: the chain has %s', (_, changes, words) => {
    expect(wordsOf({ latest: { ...onChain, ...changes } })).toBe(words)
  })

  test('behavior: exactly a tenth less is attested', () => {
    const latest = { ...onChain, source_hash: 'cd'.repeat(32) }
    const words = [90, 89].map((size) => wordsOf({ ...takenOf({ size }), latest }))
    expect(words).toEqual(['revision, 20261116 90', 'dataset_shrank'])
  })

  test('error: the message names what is lost and how to confirm, and the error both sizes and periods', () => {
    const latest = { ...onChain, amount: 300n, source_hash: 'cd'.repeat(32) }
    const before = new Map([['2026-11-16', 300]])
    const { error } = plan({ latest, before })
    expect(error?.message).toBe(
      `EIA has lost 200 of 300 values of 2026-11-16 since the newest root of ${feedId}: nothing is attested; if EIA did remove them, run "feeds attest ${feedId} --accept-shrunk"`,
    )
    expect(error).toMatchObject({
      feedId,
      lost: '200 of 300 values of 2026-11-16',
      onChain: latest,
      found: { period: 20261116, amount: 100n },
    })
  })

  test('behavior: a later period with fewer values than the newest root has', () => {
    const latest = { ...onChain, period: 20261113, amount: 300n, source_hash: 'cd'.repeat(32) }
    const before = new Map([
      ['2026-11-12', 150],
      ['2026-11-13', 150],
    ])
    const manifest = manifestOf({ periods: 4 })
    const withFriday = (count: number) =>
      new Map([
        ['2026-11-13', count],
        ['2026-11-16', 1],
      ])
    expect(wordsOf({ latest, before, manifest, counts: withFriday(150) })).toBe('new-period, 20261116 100')
    expect(wordsOf({ latest, before, manifest, counts: withFriday(134) })).toBe('dataset_shrank')
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
