import { expect, test } from 'bun:test'
import type { StepPurpose } from '../../../src/operator/contracts/deploymentFile.ts'
import { formatProgress } from '../../../src/operator/contracts/report.ts'
import type { Step } from '../../../src/operator/contracts/steps.ts'
import type { Progress } from '../../../src/operator/progress.ts'

const pendingOf = (step: Step) => ({
  version: 1 as const,
  chain_name: 'casper-net-1',
  purpose: { kind: 'step' as const, step, wasm_sha256: null },
  transaction_hash: 'abc',
  expires_at: 1,
  payment_motes: '2500000000',
  transaction: { Version1: { hash: 'abc' } },
})
const install = { pending: pendingOf({ kind: 'install', contract: 'FeedRegistry' }) }
const wire = pendingOf({ kind: 'wire', contract: 'AttestationRegistry' })
const executed = {
  transactionHash: 'abc',
  blockHash: 'def',
  blockHeight: 170,
  errorMessage: null,
  limitMotes: 2_500_000_000n,
  consumedMotes: 1_000_000_000n,
  refundMotes: 1_125_000_000n,
  chargedMotes: 1_375_000_000n,
}

const lines: [Progress<StepPurpose>, string][] = [
  [{ ...install, event: 'written' }, 'install FeedRegistry: sending abc'],
  [{ ...install, event: 'accepted' }, 'install FeedRegistry: accepted, waiting for a block'],
  [{ ...install, event: 'pending' }, 'install FeedRegistry: waiting for a block'],
  [{ ...install, event: 'sent_again' }, 'install FeedRegistry: sent again, the same bytes'],
  [{ ...install, event: 'unreachable' }, 'install FeedRegistry: no node answers, asking again'],
  [
    { pending: wire, event: 'executed', executed },
    'AttestationRegistry.set_feed_registry: executed in block 170, cost 1.375 CSPR',
  ],
]
test.each(lines)('default: %#', (progress, line) => {
  expect(formatProgress(progress)).toBe(line)
})
