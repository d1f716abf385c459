import { DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { dictionaryAddress } from '../../casper/types/key.ts'
import { newestContractKey } from '../../casper/types/storedValueJson.ts'
import { itemKey } from '../../odra/itemKey.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { attestationRegistryField, feedRegistryField } from '../fields.ts'
import type { FieldRequest } from '../rootReader.ts'

/** The field of each registry that a reading is made of. */
export const readingFields = {
  FeedRegistry: feedRegistryField.feed,
  AttestationRegistry: attestationRegistryField.latest,
} as const

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
  return `dictionary-${encodeHex(dictionaryAddress(seedUref, dictionaryItemKey))}`
}
