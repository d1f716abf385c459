import { DecodeError } from '../../bytes/cursor.ts'
import { verifyDictionaryItem, verifyMerkleProof } from '../proof/verifyMerkleProof.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { createAgreeingRpc } from './createAgreeingRpc.ts'
import { createGlobalState, type GlobalState } from './globalState.ts'

/**
 * Creates the proven form of {@link GlobalState}. `decode` receives the value that the `merkle_proof` proves at the
 * requested state root; the served value is ignored. Two nodes must agree that a value is absent, because no node can
 * prove it.
 */
export function createProvenState(rpc: Rpc): GlobalState {
  const served = createGlobalState(createAgreeingRpc(rpc))
  return {
    async query(request) {
      const { stateRootHash, key, decode } = request
      if (stateRootHash === null) throw new DecodeError(key, 'it cannot be proven without a state root')
      return served.query({
        ...request,
        decode(_, proof) {
          const merkleProof = proofText(proof, key)
          return decode(verifyMerkleProof({ merkleProof, stateRootHash, key, what: key }), proof)
        },
      })
    },
    item(request) {
      const { what, decode } = request
      return served.item({
        ...request,
        decode: (_, proof) =>
          decode(verifyDictionaryItem({ ...request, merkleProof: proofText(proof, what) }), proof),
      })
    },
  }
}

function proofText(merkleProof: unknown, what: string): string {
  if (typeof merkleProof === 'string') return merkleProof
  throw new DecodeError(what, 'the answer has no merkle_proof')
}
