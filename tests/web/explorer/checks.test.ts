import { expect, spyOn, test } from 'bun:test'
import { readDocuments } from '../../../scripts/proofMutants/verdictLines.ts'
import type { FeedReading } from '../../../src/web/explorer/data/readings.ts'
import { checkOf, needsCheck, padlockOf, runCheck } from '../../../src/web/explorer/proof/checks.ts'
import { setTrust } from '../../../src/web/explorer/proof/trust.ts'

test('default: a reading that its proof does not show is checked again after the next block if it is newer, else after 30 s', async () => {
  const [{ document, trust } = { document: null, trust: null }] = await readDocuments()
  if (trust === null) throw new Error('there are documents')
  const proven: FeedReading = Object(document).reading
  using _ = spyOn(globalThis, 'fetch').mockImplementation(
    Object.assign(async () => Response.json(document), { preconnect: () => {} }),
  )
  try {
    setTrust({
      blockHash: trust.trusted_block_hash,
      chainName: trust.chain_name,
      feedRegistry: trust.feed_registry_package_hash,
      attestationRegistry: trust.attestation_registry_package_hash,
      checkpoint: null,
    })
    expect(needsCheck(proven, Date.now())).toBe(true)
    expect(await runCheck(proven.feed_id)).toBeNull()
    const { check, checkedAt } = checkOf(proven.feed_id)
    const blockTime = check?.blockTime ?? 0
    const isDueAfter = (changes: Partial<FeedReading>) =>
      [5_000, 29_999, 30_000].map((ms) => needsCheck({ ...proven, ...changes }, (checkedAt ?? 0) + ms))
    expect(isDueAfter({ title: 'Gold' })).toEqual([false, false, true])
    expect(isDueAfter({ updated_at: blockTime })).toEqual([false, false, true])
    expect(isDueAfter({ updated_at: blockTime + 1 })).toEqual([true, true, true])
    expect(padlockOf({ ...proven, updated_at: blockTime + 1 }).state).toBe('unchecked')
  } finally {
    setTrust(null)
  }
})
