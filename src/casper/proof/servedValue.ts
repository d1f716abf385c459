import { isRecord } from '../types/isRecord.ts'
import type { PrintedValue } from '../types/storedValue.ts'
import { MerkleProofError } from './merkleProofError.ts'

/**
 * Asserts that a `stored_value` that a node served says what was proven.
 *
 * Only who shows the served value to others needs this: whoever reads uses the proven one. `parsed` and
 * whatever else the node adds is not proven and not compared.
 *
 * @throws {MerkleProofError}
 *
 * @example
 * ```ts
 * const proven = verifyMerkleProof({ merkleProof, stateRootHash, key, what })
 * assertServedValue(result.stored_value, proven, what)
 * ```
 */
export function assertServedValue(served: unknown, proven: PrintedValue, what: string): void {
  if (!includes(served, proven))
    throw new MerkleProofError(what, 'stored value', 'the value beside the proof is another one')
}

/** Whether `served` has every member of `proven`, at every depth, and lists have the same items. */
function includes(served: unknown, proven: unknown): boolean {
  if (Array.isArray(proven))
    return (
      Array.isArray(served) &&
      served.length === proven.length &&
      proven.every((item, index) => includes(served[index], item))
    )
  if (isRecord(proven))
    return (
      isRecord(served) &&
      Object.entries(proven).every(
        ([name, item]) => Object.hasOwn(served, name) && includes(served[name], item),
      )
    )
  return served === proven
}
