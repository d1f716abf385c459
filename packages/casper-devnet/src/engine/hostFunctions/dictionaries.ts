import { accessRights, type ClValue, dictionaryKey, encodeDictionaryItem } from '@wattfeed/casper/types'
import { blake2b } from '../../blake2b.ts'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { assertRights, mayUse } from '../contextAccessRights.ts'
import { ExecutionError, invalidAccessError } from '../executionError.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readClValueInput, readKeyInput, readText, readUrefInput } from './input.ts'
import { toClValue } from './storage.ts'
import { assertKeyInValue, createUrefWith, writeStored } from './writeStored.ts'

const UREF_BYTES = 33
const MAX_ITEM_KEY_BYTES = 128
const utf8 = new TextEncoder()

/** An item is identified by the dictionary's seed URef and a text. */
export const dictionaryFunctions: HostFunctions = {
  new_dictionary: {
    parameters: 1,
    hasResult: true,
    // The chainspec has no cost of this function: a node charges for a new URef with a URef as its value.
    cost: (costs) => costOf('new_uref')(costs, [0, 0, UREF_BYTES]),
    run(runtime, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const seed = createUrefWith(runtime)
      return provideValue(runtime, { clType: 'URef', bytes: seed }, sizePointer, 'writeU64')
    },
  },
  dictionary_get: {
    parameters: 5,
    hasResult: true,
    cost: costOf('dictionary_get', 2),
    run(runtime, urefPointer, urefSize, itemPointer, itemSize, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const seed = readUrefInput(runtime, urefPointer, urefSize)
      const itemKey = readText(runtime, itemPointer, itemSize)
      if (itemKey === null) return apiErrors.InvalidDictionaryItemKey
      if (!mayUse(seed, accessRights.read)) throw invalidAccessError(accessRights.read)
      assertRights(runtime.accessRights, seed)
      if (itemSize > MAX_ITEM_KEY_BYTES)
        throw new ExecutionError('Dictionary item key exceeded maximum length')
      return provideItem(runtime, dictionaryItemKey(seed, itemKey), sizePointer)
    },
  },
  dictionary_read: {
    parameters: 3,
    hasResult: true,
    cost: costOf('read_value'),
    run(runtime, keyPointer, keySize, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      return provideItem(runtime, readKeyInput(runtime, keyPointer, keySize), sizePointer)
    },
  },
  dictionary_put: {
    parameters: 6,
    hasResult: true,
    cost: costOf('dictionary_put', 2),
    run(runtime, urefPointer, urefSize, itemPointer, itemSize, valuePointer, valueSize) {
      const seed = readUrefInput(runtime, urefPointer, urefSize)
      if (itemSize > MAX_ITEM_KEY_BYTES) return apiErrors.DictionaryItemKeyTooLarge
      const itemKey = readText(runtime, itemPointer, itemSize)
      if (itemKey === null) return apiErrors.InvalidDictionaryItemKey
      const value = readClValueInput(runtime, valuePointer, valueSize)
      putItem(runtime, seed, itemKey, value)
      return 0
    },
  },
}

function putItem(runtime: Runtime, seed: Uint8Array, itemKey: string, value: ClValue): void {
  if (!mayUse(seed, accessRights.write)) throw invalidAccessError(accessRights.write)
  assertRights(runtime.accessRights, seed)
  assertKeyInValue(runtime, value)
  const item = { value, seed: seed.subarray(0, 32), itemKey: utf8.encode(itemKey) }
  writeStored(runtime, dictionaryItemKey(seed, itemKey), {
    kind: 'CLValue',
    value: encodeDictionaryItem(item),
  })
}

function provideItem(runtime: Runtime, key: Uint8Array, sizePointer: number): number {
  const stored = runtime.execution.state.read(key)
  if (stored === null) return apiErrors.ValueNotFound
  return provideValue(runtime, toClValue(key, stored), sizePointer)
}

/** Returns the key of an item, from the address of its dictionary's seed and its name. */
export const dictionaryItemKey = (seed: Uint8Array, itemKey: string): Uint8Array =>
  dictionaryKey(blake2b(seed.subarray(0, 32), utf8.encode(itemKey)))
