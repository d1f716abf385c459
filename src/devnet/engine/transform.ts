import { normalizeKey } from '../../casper/types/key.ts'
import { formatKey } from '../../casper/types/keyKinds.ts'
import { formatNamedKeys, type NamedKeys } from '../../casper/types/namedKeys.ts'
import { decodeStoredValue, formatStoredValue } from '../../casper/types/storedValue.ts'

/** What an execution did to what one key names. */
export type Transform =
  /** Read, and left as it was. */
  | { readonly kind: 'Identity' }
  /** `bytesrepr` of the new `StoredValue`. */
  | { readonly kind: 'Write'; readonly stored: Uint8Array }
  | { readonly kind: 'AddUInt64'; readonly amount: bigint }
  | { readonly kind: 'AddUInt512'; readonly amount: bigint }
  /** Named keys put into an account or a contract. */
  | { readonly kind: 'AddKeys'; readonly namedKeys: NamedKeys }
  | { readonly kind: 'Prune'; readonly key: Uint8Array }

/** One step of an execution; the steps stand in the order in which they were taken. */
export interface Effect {
  /** Serialized. */
  readonly key: Uint8Array
  readonly transform: Transform
}

/** An effect as a node prints it; a URef is printed without its access rights. */
export function formatEffect({ key, transform }: Effect): { key: string; kind: unknown } {
  return { key: formatKey(normalizeKey(key)), kind: formatTransform(transform) }
}

/**
 * A transform as a node prints it.
 *
 * @throws {DecodeError} where a written value is of no kind that this chain makes.
 */
export function formatTransform(transform: Transform): unknown {
  switch (transform.kind) {
    case 'Identity':
      return 'Identity'
    case 'Write':
      return { Write: formatStoredValue(decodeStoredValue(transform.stored), transform.stored) }
    case 'AddUInt64':
      return { AddUInt64: Number(transform.amount) }
    case 'AddUInt512':
      return { AddUInt512: String(transform.amount) }
    case 'AddKeys':
      return { AddKeys: formatNamedKeys(transform.namedKeys) }
    case 'Prune':
      return { Prune: formatKey(normalizeKey(transform.key)) }
  }
}
