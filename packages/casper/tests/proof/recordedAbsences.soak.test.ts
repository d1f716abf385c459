import { expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { recordedProofs } from '@wattfeed/casper-devnet/testing/recordedProofs'
import { readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { IS_SOAK, sampled } from '@wattfeed/testing/soak'
import network from '../../../../fixtures/chain/network.json'
import { verifyAbsence } from '../../src/proof/verifyAbsence.ts'
import { dictionaryKey } from '../../src/types/key.ts'
import { dictionaryAddress, formatKey } from '../../src/types/keyKinds.ts'

const stateRootHash = network.state_root_hash

const itemKey = (seedUref: string, key: string): string =>
  formatKey(dictionaryKey(dictionaryAddress(seedUref, key)))

const proofs = recordedProofs
  .filter((proof) => proof.stateRootHash === stateRootHash)
  .map(({ asked, merkleProof }) => ({
    merkleProof,
    provenKey: 'key' in asked ? asked.key : itemKey(asked.seedUref, asked.itemKey),
  }))

/** The keys of the items that a real node reported as absent at this root. */
const absentKeys = ['snapshot', 'history', 'events'].flatMap((name) =>
  readRecording(name).flatMap((exchange) => {
    const uref = memberAt(exchange.params, 'dictionary_identifier', 'URef')
    if (!('error' in exchange) || uref === undefined) return []
    return [itemKey(String(memberAt(uref, 'seed_uref')), String(memberAt(uref, 'dictionary_item_key')))]
  }),
)

/** The verdicts of all proofs in a soak, otherwise of those for the 60 nearest keys: only near ones can decide. */
function verdictsOf(key: string): Set<string> {
  const shared = (other: string): number => [...key].findIndex((digit, index) => digit !== other[index]) >>> 0
  const nearest = proofs.toSorted((a, b) => shared(b.provenKey) - shared(a.provenKey))
  return new Set(
    nearest
      .slice(0, IS_SOAK ? undefined : 60)
      .map(({ merkleProof }) => verifyAbsence({ key, stateRootHash, evidence: { merkleProof }, what: key })),
  )
}

test('default: the proofs of a real network show every recorded absence', () => {
  expect(absentKeys.length).toBeGreaterThanOrEqual(50)
  for (const key of sampled(absentKeys)) {
    const verdicts = verdictsOf(key)
    expect(verdicts).toContain('absent')
    expect(verdicts).not.toContain('present')
  }
})

test('behavior: no proof of that network shows the absence of what it stores', () => {
  for (const { provenKey } of sampled(proofs.slice(0, 40))) {
    const verdicts = verdictsOf(provenKey)
    expect(verdicts).not.toContain('absent')
    expect(verdicts).toContain('present')
  }
})
