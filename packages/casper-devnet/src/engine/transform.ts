import {
  decodeStoredValue,
  formatKey,
  formatNamedKeys,
  formatServedValue,
  type NamedKeys,
  normalizeKey,
} from '@wattfeed/casper/types'

export type Transform =
  /** The key was read. */
  | { readonly kind: 'Identity' }
  /** `bytesrepr` of the new `StoredValue`. */
  | { readonly kind: 'Write'; readonly stored: Uint8Array }
  | { readonly kind: 'AddUInt64'; readonly amount: bigint }
  | { readonly kind: 'AddUInt512'; readonly amount: bigint }
  /** Named keys that were added to an account or a contract. */
  | { readonly kind: 'AddKeys'; readonly namedKeys: NamedKeys }
  | { readonly kind: 'Prune'; readonly key: Uint8Array }

export interface Effect {
  /** The serialized key. */
  readonly key: Uint8Array
  readonly transform: Transform
}

/** Formats an effect like a node: URefs have no access rights. */
export function formatEffect({ key, transform }: Effect): { key: string; kind: unknown } {
  return { key: formatKey(normalizeKey(key)), kind: formatTransform(transform) }
}

/** @throws {DecodeError} when this chain never writes values of this kind */
export function formatTransform(transform: Transform): unknown {
  switch (transform.kind) {
    case 'Identity':
      return 'Identity'
    case 'Write':
      return { Write: formatServedValue(decodeStoredValue(transform.stored)) }
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
