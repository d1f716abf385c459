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
  | Addition
  /** Named keys that were added to an account or a contract. */
  | { readonly kind: 'AddKeys'; readonly namedKeys: NamedKeys }
  | { readonly kind: 'Prune'; readonly key: Uint8Array }

/** A number was added to another one. */
export interface Addition {
  readonly kind: 'AddInt32' | 'AddUInt64' | 'AddUInt128' | 'AddUInt256' | 'AddUInt512'
  readonly amount: bigint
}

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
    case 'AddInt32':
    case 'AddUInt64':
      return { [transform.kind]: Number(transform.amount) }
    case 'AddUInt128':
    case 'AddUInt256':
    case 'AddUInt512':
      return { [transform.kind]: String(transform.amount) }
    case 'AddKeys':
      return { AddKeys: formatNamedKeys(transform.namedKeys) }
    case 'Prune':
      return { Prune: formatKey(normalizeKey(transform.key)) }
  }
}
