import { blake2b } from '@noble/hashes/blake2.js'
import { DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { decodeContract } from '../../casper/contract.ts'
import { newestContractKey } from '../../casper/package.ts'
import { encodeKey } from '../../casper/proof/key.ts'
import { itemKey } from '../../odra/itemKey.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { attestationRegistryField, feedRegistryField } from '../fields.ts'
import type { FieldRequest } from '../rootReader.ts'

/** The field of each registry that a reading is made of. */
export const readingFields = {
  FeedRegistry: feedRegistryField.feed,
  AttestationRegistry: attestationRegistryField.latest,
} as const

/** The seed URef of a registry's fields, as its stored contract names it. */
export function stateUrefOf(registry: RegistryName, storedContract: unknown): string {
  const uref = decodeContract(storedContract).namedKeys.get('state')
  if (uref === undefined) throw new DecodeError(registry, 'the contract has no named key "state"')
  return uref
}

/** The key of the contract that a stored package names as its newest enabled version. */
export function contractKeyOf(registry: RegistryName, storedPackage: unknown): string {
  const key = newestContractKey(storedPackage)
  if (key === null) throw new DecodeError(registry, 'the package has no enabled version')
  return key
}

/** The dictionary item key of a field's entry. */
export function dictionaryItemKeyOf({ field, key }: FieldRequest<unknown>): string {
  return itemKey(field, key)
}

/** The key in global state of a dictionary's item, as a node formats it. */
export function dictionaryKeyOf(seedUref: string, dictionaryItemKey: string): string {
  const seed = encodeKey(seedUref).subarray(1, 33)
  const item = new TextEncoder().encode(dictionaryItemKey)
  const preimage = new Uint8Array(seed.length + item.length)
  preimage.set(seed)
  preimage.set(item, seed.length)
  return `dictionary-${encodeHex(blake2b(preimage, { dkLen: 32 }))}`
}
