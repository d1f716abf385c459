import { assertOptions, DecodeError, encodeHex } from '@wattfeed/base'
import { verifyDictionaryItem, verifyMerkleProof } from '../proof/verifyMerkleProof.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { dictionaryAddress } from '../types/keyKinds.ts'
import type { AbsenceEvidenceFinder } from './absenceEvidence.ts'
import { AbsenceNotProvenError, type AbsenceWay } from './absent.ts'
import { type AbsenceCheck, createAgreeingRpc, createGlobalState, type GlobalState } from './globalState.ts'

/** Options of {@link createProvenState}. */
export interface ProvenStateOptions {
  rpc: Rpc
  evidence: AbsenceEvidenceFinder
  /** Whether an absence that is not proven is an error. Otherwise two nodes must agree on it. @default false */
  requireAbsenceProof?: boolean
  /** Called when the absence of a value was shown. */
  onAbsence?: ((way: AbsenceWay) => void) | undefined
}

/** A key at a state root. */
interface ReadKey {
  stateRootHash: string
  key: string
  what: string
  signal?: Parameters<AbsenceEvidenceFinder['find']>[2]
}

/**
 * Creates the proven form of {@link GlobalState}. `decode` receives the value that the `merkle_proof` proves at the
 * requested state root; the served value is ignored. That a value is absent is proven by evidence, if there is any.
 * Otherwise two nodes must agree on it.
 *
 * The state root must come from a block that you trust, for example from the head of a light client.
 *
 * @example
 * ```ts
 * import { absentAsNull, createAbsenceEvidenceFinder, createProvenState, createRpc } from '@wattfeed/casper'
 *
 * const rpc = createRpc({ urls: ['http://localhost:11101/rpc'], chainName: 'casper-devnet', fetch })
 * const evidence = createAbsenceEvidenceFinder({ rpc })
 * const state = createProvenState({ rpc, evidence })
 *
 * async function readProven(key: string, stateRootHash: string): Promise<unknown> {
 *   return state.query({ key, stateRootHash, decode: (value) => value, absent: absentAsNull })
 * }
 * ```
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 * @throws {AllNodesFailedError} from each read. It has a {@link MerkleProofError} for each node with a wrong proof.
 * @throws {AbsenceNotProvenError} from a read, with `requireAbsenceProof`.
 */
export function createProvenState(options: ProvenStateOptions): GlobalState {
  assertOptions(options, { rpc: 1, evidence: 1, requireAbsenceProof: 1, onAbsence: 1 })
  const { rpc, evidence } = options
  /** Creates the state for one read, which returns only values that are proven for its key. */
  const servedFor = (read: ReadKey): GlobalState =>
    createGlobalState(createAgreeingRpc(rpc, { check: absenceCheckOf(read, options) }))
  /** Returns the value that a proof proves, and keeps the proof as evidence for other reads. */
  function prove<V>({ stateRootHash, key, what }: ReadKey, proof: unknown, verify: (proof: string) => V): V {
    const merkleProof = proofText(proof, what)
    const value = verify(merkleProof)
    evidence.keep(stateRootHash, key, merkleProof)
    return value
  }

  return {
    isProven: true,
    async query(request) {
      const { stateRootHash, key, decode, signal } = request
      if (stateRootHash === null) throw new DecodeError(key, 'cannot be proven without a state root')
      const read = { stateRootHash, key, what: key, signal }
      const verify = (merkleProof: string) => verifyMerkleProof({ ...read, merkleProof })
      return servedFor(read).query({
        ...request,
        decode: (_, proof) => decode(prove(read, proof, verify), proof),
      })
    },
    item(request) {
      const { stateRootHash, seedUref, itemKey, what, decode, signal } = request
      const key = `dictionary-${encodeHex(dictionaryAddress(seedUref, itemKey))}`
      const read = { stateRootHash, key, what, signal }
      const verify = (merkleProof: string) => verifyDictionaryItem({ ...request, merkleProof })
      return servedFor(read).item({
        ...request,
        decode: (_, proof) => decode(prove(read, proof, verify), proof),
      })
    },
  }
}

function absenceCheckOf(
  { stateRootHash, key, what, signal }: ReadKey,
  { evidence, requireAbsenceProof, onAbsence }: ProvenStateOptions,
): AbsenceCheck {
  return {
    async decide() {
      const found = await evidence.find(stateRootHash, key, signal)
      if (found?.verdict === 'absent') onAbsence?.('merkleProof' in found.evidence ? 'proof' : 'walk')
      return found?.verdict ?? null
    },
    onUnproven(way) {
      if (requireAbsenceProof) throw new AbsenceNotProvenError(what)
      onAbsence?.(way)
    },
  }
}

function proofText(merkleProof: unknown, what: string): string {
  if (typeof merkleProof === 'string') return merkleProof
  throw new DecodeError(what, 'the answer has no merkle_proof')
}
