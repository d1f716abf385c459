import { expect, test } from 'bun:test'
import { assertServedValue, verifyMerkleProof } from '../../src/proof/verifyMerkleProof.ts'
import { entityStates } from '../support/entityStates.ts'

const values = [...entityStates.states.values()].flatMap(({ stateRootHash, values }) =>
  [...values].map(([key, value]) => ({ key, stateRootHash, ...value })),
)

test('default: every value of a chain with addressable entities is proven, of every kind', () => {
  const kinds = new Set<string>()
  for (const { key, stateRootHash, stored_value, merkle_proof: merkleProof } of values) {
    const proven = verifyMerkleProof({ key, stateRootHash, merkleProof, what: key })
    kinds.add(Object.keys(proven)[0] ?? '')
    // A node serves the content of a dictionary item without what surrounds it.
    if (!key.startsWith('dictionary-')) assertServedValue(stored_value, proven, key)
  }
  expect([...kinds].sort()).toEqual([
    'Account',
    'AddressableEntity',
    'CLValue',
    'Contract',
    'ContractPackage',
    'EntryPoint',
    'NamedKey',
    'SmartContract',
  ])
})
