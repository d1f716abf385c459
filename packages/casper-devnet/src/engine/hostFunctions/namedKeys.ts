import { createByteWriter } from '@wattfeed/base'
import { encodeStoredValue, keyTags, type NamedKeys, type StoredValue } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { assertKeyRights } from '../contextAccessRights.ts'
import { keyNotFoundError, typeMismatchError } from '../executionError.ts'
import { assertNotPaymentPurse } from '../purseUse.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readKeyInput, readStringInput } from './input.ts'
import { chargeStorage, writeStored } from './writeStored.ts'

export const namedKeyFunctions: HostFunctions = {
  get_key: {
    parameters: 5,
    hasResult: true,
    cost: costOf('get_key'),
    run(runtime, namePointer, nameSize, pointer, size, writtenPointer) {
      const key = runtime.namedKeys.get(readStringInput(runtime, namePointer, nameSize))
      if (key === undefined) return apiErrors.MissingKey
      if (key.length > size) return apiErrors.BufferTooSmall
      runtime.memory.write(pointer, key)
      runtime.memory.writeU32(writtenPointer, key.length)
      return 0
    },
  },
  has_key: {
    parameters: 2,
    hasResult: true,
    cost: costOf('has_key'),
    run: (runtime, namePointer, nameSize) =>
      runtime.namedKeys.has(readStringInput(runtime, namePointer, nameSize)) ? 0 : 1,
  },
  put_key: {
    parameters: 4,
    hasResult: false,
    cost: costOf('put_key'),
    run(runtime, namePointer, nameSize, keyPointer, keySize) {
      const name = readStringInput(runtime, namePointer, nameSize)
      const key = readKeyInput(runtime, keyPointer, keySize)
      if (key[0] === keyTags.uref) assertNotPaymentPurse(runtime.purses, key.subarray(1))
      assertKeyRights(runtime.accessRights, key)
      chargeStorage(runtime, namedKeyLength(name, key))
      const { contextKey, execution } = runtime
      const owner = assertOwner(runtime, execution.state.peek(contextKey))
      const changed = withNamedKeys(owner, new Map([...namedKeysOf(owner), [name, key]]))
      execution.state.transform(contextKey, changed, { kind: 'AddKeys', namedKeys: new Map([[name, key]]) })
      runtime.namedKeys.set(name, key)
      return undefined
    },
  },
  remove_key: {
    parameters: 2,
    hasResult: false,
    cost: costOf('remove_key'),
    run(runtime, namePointer, nameSize) {
      const name = readStringInput(runtime, namePointer, nameSize)
      runtime.namedKeys.delete(name)
      const owner = assertOwner(runtime, runtime.execution.state.read(runtime.contextKey))
      const namedKeys = new Map(namedKeysOf(owner))
      // The node writes an account even if the name did not exist.
      if (namedKeys.delete(name) || runtime.contextKey[0] === keyTags.account)
        writeStored(runtime, runtime.contextKey, withNamedKeys(owner, namedKeys))
      return undefined
    },
  },
}

/** Returns the length that a named key is charged for: a stored value that contains the name and the key. */
function namedKeyLength(name: string, key: Uint8Array): number {
  const bytes = createByteWriter().string(name).bytes(key).finish()
  const value = { clType: { Tuple2: ['String', 'Key'] }, bytes } as const
  return encodeStoredValue({ kind: 'CLValue', value }).length
}

/** An account or a contract. */
type NamedKeyOwner = Extract<StoredValue, { kind: 'Account' | 'Contract' }>

function assertOwner({ contextKey }: Runtime, stored: StoredValue | null): NamedKeyOwner {
  if (stored === null) throw keyNotFoundError(contextKey)
  if (stored.kind === 'Account' || stored.kind === 'Contract') return stored
  throw typeMismatchError('Contract', stored.kind)
}

const namedKeysOf = (owner: NamedKeyOwner): NamedKeys =>
  owner.kind === 'Account' ? owner.account.namedKeys : owner.contract.namedKeys

const withNamedKeys = (owner: NamedKeyOwner, namedKeys: NamedKeys): StoredValue =>
  owner.kind === 'Account'
    ? { kind: 'Account', account: { ...owner.account, namedKeys } }
    : { kind: 'Contract', contract: { ...owner.contract, namedKeys } }
