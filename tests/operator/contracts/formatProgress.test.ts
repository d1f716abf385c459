import { expect, test } from 'bun:test'
import { formatProgress } from '../../../src/operator/contracts/formatProgress.ts'
import type { ProgressEvent } from '../../../src/operator/contracts/operation.ts'

const install = { step: { kind: 'install', contract: 'FeedRegistry' }, transactionHash: 'abc' } as const
const wire = { kind: 'wire', contract: 'AttestationRegistry' } as const
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

const lines: [ProgressEvent, string][] = [
  [{ ...install, event: 'signed' }, 'install FeedRegistry: sending abc'],
  [{ ...install, event: 'accepted' }, 'install FeedRegistry: accepted, waiting for a block'],
  [{ ...install, event: 'pending' }, 'install FeedRegistry: waiting for a block'],
  [{ ...install, event: 'sent_again' }, 'install FeedRegistry: sent again, the same bytes'],
  [{ ...install, event: 'unreachable' }, 'install FeedRegistry: no node answers, asking again'],
  [
    { step: wire, event: 'executed', executed },
    'AttestationRegistry.set_feed_registry: executed in block 170, cost 1.375 CSPR',
  ],
]
test.each(lines)('default: %#', (progress, line) => {
  expect(formatProgress(progress)).toBe(line)
})
