import { createByteWriter } from '@wattfeed/base'
import {
  accessRights,
  type ClValue,
  decodeDictionaryItem,
  keyTags,
  type StoredValue,
  writeContractPackage,
} from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import { assertKeyRights, hasRights, mayUse } from '../contextAccessRights.ts'
import { decodeInput, invalidAccessError, typeMismatchError } from '../executionError.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readClValueInput, readKeyInput, readUrefInput } from './input.ts'
import { assertKeyInValue, createUrefWith, writeStored } from './writeStored.ts'

export const storageFunctions: HostFunctions = {
  read_value: {
    parameters: 3,
    hasResult: true,
    cost: costOf('read_value'),
    run(runtime, keyPointer, keySize, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const key = readKeyInput(runtime, keyPointer, keySize)
      if (!isReadable(key)) throw invalidAccessError(accessRights.read)
      assertKeyRights(runtime.accessRights, key)
      const stored = runtime.execution.state.read(key)
      if (stored === null) return apiErrors.ValueNotFound
      return provideValue(runtime, toClValue(key, stored), sizePointer)
    },
  },
  write: {
    parameters: 4,
    hasResult: false,
    cost: costOf('write'),
    run(runtime, keyPointer, keySize, valuePointer, valueSize) {
      const key = readKeyInput(runtime, keyPointer, keySize)
      const value = readClValueInput(runtime, valuePointer, valueSize)
      if (key[0] !== keyTags.uref || !mayUse(key.subarray(1), accessRights.write))
        throw invalidAccessError(accessRights.write)
      assertKeyRights(runtime.accessRights, key)
      assertKeyInValue(runtime, value)
      writeStored(runtime, key, { kind: 'CLValue', value })
      return undefined
    },
  },
  new_uref: {
    parameters: 3,
    hasResult: false,
    cost: costOf('new_uref'),
    run(runtime, urefPointer, valuePointer, valueSize) {
      const value = readClValueInput(runtime, valuePointer, valueSize)
      runtime.memory.write(urefPointer, createUrefWith(runtime, value))
      return undefined
    },
  },
  is_valid_uref: {
    parameters: 2,
    hasResult: true,
    cost: costOf('is_valid_uref'),
    run: (runtime, pointer, size) =>
      hasRights(runtime.accessRights, readUrefInput(runtime, pointer, size)) ? 1 : 0,
  },
}

/** Tags of keys that everyone can read. */
const publicTags: ReadonlySet<number | undefined> = new Set([
  keyTags.account,
  keyTags.hash,
  keyTags.balance,
  keyTags.dictionary,
  keyTags.systemEntityRegistry,
  keyTags.bidAddr,
  keyTags.package,
  keyTags.addressableEntity,
  keyTags.byteCode,
  keyTags.message,
  keyTags.blockGlobal,
  keyTags.balanceHold,
  keyTags.entryPoint,
])

const isReadable = (key: Uint8Array): boolean =>
  key[0] === keyTags.uref ? mayUse(key.subarray(1), accessRights.read) : publicTags.has(key[0])

/** Converts a stored value for a contract: unwraps a dictionary item, serializes a package. */
export function toClValue(key: Uint8Array, stored: StoredValue): ClValue {
  if (stored.kind === 'ContractPackage') {
    const writer = writeContractPackage(createByteWriter(), stored.contractPackage)
    return { clType: 'Any', bytes: writer.finish() }
  }
  if (stored.kind !== 'CLValue') throw typeMismatchError('StoredValue', stored.kind)
  if (key[0] !== keyTags.dictionary) return stored.value
  return decodeInput(() => decodeDictionaryItem(stored.value).value, 'CLValue error')
}
