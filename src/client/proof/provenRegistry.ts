import type { FieldRequest } from '../../registry/rootReader.ts'
import type { FeedProofItem } from './feedProof.ts'

/** A field with its item of a proof. */
export interface ProvenField<T> {
  value: T
  item: FeedProofItem
}

/** A registry's package and contract with their proofs, and a reader of its fields. */
export interface ProvenRegistry {
  items: FeedProofItem[]
  /** Reads a field with its proof; null if it is absent. `isThere` if it is known to be on chain. */
  read<T>(field: FieldRequest<T>, isThere: boolean): Promise<ProvenField<T> | null>
}
