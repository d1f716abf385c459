import { expect, test } from 'bun:test'
import type { MerkleProof } from '@wattfeed/casper'
import { decodeMerkleProof } from '@wattfeed/casper/testing/internals'
import { fromHex } from '@wattfeed/testing/decoding'
import network from '../../../../fixtures/chain/network.json'
import { createStateTrie } from '../../src/state/stateTrie.ts'
import { recordedProofs } from '../support/recordedProofs.ts'

/** Bytes of a serialized dictionary key. */
const KEY_BYTES = 33

/** A real node's proofs of the dictionary items of one state root. */
const items = recordedProofs.filter(
  ({ asked, stateRootHash }) => 'itemKey' in asked && stateRootHash === network.state_root_hash,
)

const decode = (hex: string): MerkleProof => decodeMerkleProof(fromHex(hex), KEY_BYTES)

/** Returns the number of sibling leaves, or null if one sibling is not a leaf. */
function siblings({ steps: [step] }: MerkleProof): number | null {
  if (step?.kind !== 'node') return null
  const tags = Array.from({ length: step.pointers.length / 34 }, (_, nth) => step.pointers[34 * nth + 1])
  return tags.every((tag) => tag === 0) ? tags.length : null
}

test('default: a branch whose leaves are all recorded equals the recorded one', () => {
  const proofs = items.map(({ merkleProof }) => decode(merkleProof))
  const state = createStateTrie()
  const writes = proofs.map(({ leaf }) => [leaf.slice(0, KEY_BYTES).toHex(), leaf.slice(KEY_BYTES)] as const)
  const root = state.commit(state.emptyRootHash, writes)
  const same = proofs.filter((recorded) => {
    const own = decode(state.prove(root, recorded.leaf.slice(0, KEY_BYTES).toHex())?.toHex() ?? '')
    expect(own.leaf).toEqual(recorded.leaf)
    const isComplete = siblings(recorded) !== null && siblings(own) === siblings(recorded)
    if (isComplete) expect(own.steps[0]).toEqual(recorded.steps[0])
    return isComplete
  })
  expect([items.length, same.length]).toEqual([362, 269])
})
