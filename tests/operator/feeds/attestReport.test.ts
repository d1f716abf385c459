import { expect, test } from 'bun:test'
import type { SettledStep } from '../../../src/agent/events.ts'
import { decidedOutcome } from '../../../src/agent/feedOutcome.ts'
import { formatAttest, reportAttest } from '../../../src/operator/feeds/attestReport.ts'

const settlementOf = (transactionHash: string, blockHeight: number): SettledStep => ({
  settled: {
    transactionHash,
    feedIds: ['EIA.A'],
    attestedFeedIds: [],
    outcome: 'executed',
    chargedMotes: 2_000_000_000n,
    errorMessage: null,
  },
  executed: {
    transactionHash,
    blockHash: 'cd'.repeat(32),
    blockHeight,
    errorMessage: null,
    limitMotes: 5_000_000_000n,
    consumedMotes: 1_000_000_000n,
    refundMotes: 3_000_000_000n,
    chargedMotes: 2_000_000_000n,
  },
  error: null,
})

test('default: reports all transactions of the feed with their total cost, and names other periods', () => {
  const known = {
    row: { period: '2026-11-16', value: '59.91', unit: '$/BBL', statedUnit: '$/BBL' },
    result: {
      decision: 'new-period',
      period: 20261116,
      amount: 5_991n,
      unit: '$/BBL',
      source_hash: 'ab'.repeat(16),
      source: { route: '', frequency: '', facets: {}, period: '', value: '', unit: '' },
    },
  } as const
  const progress = { transactionHashes: ['01', '02'], caughtUp: [20261113] }
  const outcome = decidedOutcome('EIA.A', known, progress)
  const settlements = [settlementOf('00', 1), settlementOf('01', 2), settlementOf('02', 3)]
  const report = reportAttest('casper-net-1', false, outcome, settlements)
  expect(report).toMatchObject({
    transaction_hash: '02',
    transaction_hashes: ['01', '02'],
    block_height: 3,
    consumed_motes: '2000000000',
    charged_motes: '4000000000',
    settled_before: [{ transaction_hash: '00' }],
  })
  expect(formatAttest(report)).toContain('EIA.A: caught up 20261113\npaid 4 CSPR')
})
