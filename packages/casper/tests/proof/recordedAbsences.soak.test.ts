import { expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import network from '../../../../fixtures/chain/network.json'
import { recordedProofs } from '../../../../tests/support/recordedProofs.ts'
import { readRecording } from '../../../../tests/support/recordings.ts'
import { sampled } from '../../../../tests/support/soak.ts'
import { verifyAbsence } from '../../src/proof/verifyAbsence.ts'
import { dictionaryKey } from '../../src/types/key.ts'
import { dictionaryAddress, formatKey } from '../../src/types/keyKinds.ts'

const stateRootHash = network.state_root_hash
const proofs = recordedProofs.filter((proof) => proof.stateRootHash === stateRootHash)

/** The keys of the items that a real node reported as absent at this root. */
const absentKeys = ['snapshot', 'history', 'events'].flatMap((name) =>
  readRecording(name).flatMap((exchange) => {
    const uref = memberAt(exchange.params, 'dictionary_identifier', 'URef')
    if (!('error' in exchange) || uref === undefined) return []
    const seedUref = String(memberAt(uref, 'seed_uref'))
    return [
      formatKey(dictionaryKey(dictionaryAddress(seedUref, String(memberAt(uref, 'dictionary_item_key'))))),
    ]
  }),
)

test('default: the proofs of a real network show every recorded absence', () => {
  expect(absentKeys.length).toBeGreaterThanOrEqual(50)
  for (const key of sampled(absentKeys)) {
    const verdicts = new Set(
      proofs.map(({ merkleProof }) =>
        verifyAbsence({ key, stateRootHash, evidence: { merkleProof }, what: key }),
      ),
    )
    expect(verdicts).toContain('absent')
    expect(verdicts).not.toContain('present')
  }
})

test('behavior: no proof of that network shows the absence of what it stores', () => {
  const evidence = proofs.map(({ merkleProof }) => ({ merkleProof }))
  for (const { asked } of sampled(proofs.slice(0, 40))) {
    const key =
      'key' in asked ? asked.key : formatKey(dictionaryKey(dictionaryAddress(asked.seedUref, asked.itemKey)))
    const verdicts = new Set(
      evidence.map((each) => verifyAbsence({ key, stateRootHash, evidence: each, what: key })),
    )
    expect(verdicts).not.toContain('absent')
    expect(verdicts).toContain('present')
  }
})
