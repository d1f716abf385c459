import { DecodeError, encodeHex } from '@wattfeed/base'
import { itemKey, stateUrefOf } from '@wattfeed/casper'
import { decodeContract, dictionaryAddress, newestContractKey } from '@wattfeed/casper/types'
import { attestationRegistryField, feedRegistryField } from '../../../registry/fields.ts'
import type { RegistryName } from '../../../registry/layout.ts'
import type { FieldRequest } from '../../../registry/rootReader.ts'

/** Returns the requests for a reading, by registry: of the value at an index, or of the newest value. */
export const requestsOfReading = (feedId: string, index: number | null) => ({
  FeedRegistry: feedRegistryField.feed(feedId),
  AttestationRegistry:
    index === null
      ? attestationRegistryField.latest(feedId)
      : attestationRegistryField.history(feedId, index),
})

/** Returns the field that is absent if a feed is not registered, or has no value. */
export function absentField(feedId: string, absent: 'feed' | 'value') {
  const { FeedRegistry, AttestationRegistry } = requestsOfReading(feedId, null)
  return absent === 'feed'
    ? ({ registry: 'FeedRegistry', field: FeedRegistry } as const)
    : ({ registry: 'AttestationRegistry', field: AttestationRegistry } as const)
}

/** Returns the key of a contract's field in global state. @throws {@link DecodeError} when its state is not named. */
export function fieldKeyOf(
  registry: RegistryName,
  contract: unknown,
  { field, key }: Pick<FieldRequest<unknown>, 'field' | 'key'>,
): string {
  return dictionaryKeyOf(stateUrefOf(registry, decodeContract(contract)), itemKey(field, key))
}

/**
 * Returns the contract key of a package's newest enabled version.
 *
 * @throws {@link DecodeError} when there is none.
 */
export function contractKeyOf(registry: RegistryName, storedPackage: unknown): string {
  const key = newestContractKey(storedPackage)
  if (key === null) throw new DecodeError(registry, 'the package has no enabled version')
  return key
}

/** Returns a dictionary item's key in global state, as a node formats it. */
export function dictionaryKeyOf(seedUref: string, dictionaryItemKey: string): string {
  return `dictionary-${encodeHex(dictionaryAddress(seedUref, dictionaryItemKey))}`
}
