import { describe, expect, test } from 'bun:test'
import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'
import { dropSuperseded } from '../../../src/agent/send/checkChain.ts'
import { attestationOf } from './outboxBench.ts'

const attestation = attestationOf(0)
const { feed_id } = attestation
const onChain: Attestation = {
  period: 20261119,
  amount: 41234n,
  source_hash: 'ab'.repeat(16),
  attester: 'account-hash-00',
  timestamp: 0,
}

describe('dropSuperseded', () => {
  const cases: [string, Attestation | null, 'unchanged' | 'older-than-chain' | null][] = [
    ['no value', null, null],
    ['an older period', { ...onChain, period: 20261118 }, null],
    ['the same period, amount and hash', onChain, 'unchanged'],
    ['another amount: a revision', { ...onChain, amount: 41235n }, null],
    ['another hash: a revision', { ...onChain, source_hash: 'cd'.repeat(16) }, null],
    ['a newer period', { ...onChain, period: 20261120 }, 'older-than-chain'],
    ['a newer period with the same amount', { ...onChain, period: 20261120, amount: 1n }, 'older-than-chain'],
  ]
  test.each(cases)('default: the chain has %s', (_, latest, decision) => {
    expect(dropSuperseded([attestation], new Map([[feed_id, latest]]))).toEqual(
      decision === null || latest === null
        ? { kept: [attestation], dropped: [] }
        : { kept: [], dropped: [{ feedId: feed_id, decision, latest }] },
    )
  })

  test('behavior: the remaining ones stay in order', () => {
    const all = [0, 1, 2].map((feed) => attestationOf(feed))
    const latest = new Map([[all[1]?.feed_id ?? '', onChain]])
    expect(dropSuperseded(all, latest).kept).toEqual(all.filter((_, index) => index !== 1))
  })
})
