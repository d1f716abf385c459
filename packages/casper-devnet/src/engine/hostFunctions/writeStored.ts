import { createCursor } from '@wattfeed/base'
import {
  accessRights,
  type ClType,
  type ClValue,
  createUref,
  encodeStoredValue,
  isKeyType,
  readKey,
  readUref,
  type StoredValue,
  unitValue,
  urefKey,
} from '@wattfeed/casper/types'
import type { CallContext } from '../callContext.ts'
import { assertKeyRights, assertRights, extendRights } from '../contextAccessRights.ts'
import { decodeInput } from '../executionError.ts'

export function chargeStorage({ execution }: CallContext, bytes: number): void {
  execution.gas.charge(bytes * execution.chainspec.storage_costs.gas_per_byte)
}

/** Writes a value and charges for it. Does not check access rights. */
export function writeStored(context: CallContext, key: Uint8Array, value: StoredValue): void {
  const stored = encodeStoredValue(value)
  chargeStorage(context, stored.length)
  context.execution.state.write(key, stored)
}

/** Stores a value under a new URef with all rights. Returns the URef's 33 bytes. */
export function createUrefWith(context: CallContext, value: ClValue = unitValue): Uint8Array {
  const uref = createUref(context.execution.addresses.next(), accessRights.all)
  extendRights(context.accessRights, [uref])
  assertKeyInValue(context, value)
  writeStored(context, urefKey(uref), { kind: 'CLValue', value })
  return uref
}

/**
 * Checks the rights of a value that is a key or a named key, before it is stored. Like in a node, keys inside other values are not checked.
 *
 * @throws {ExecutionError} when the code lacks the rights of the key
 */
export function assertKeyInValue({ accessRights }: CallContext, { clType, bytes }: ClValue): void {
  if (!isKeyType(clType) && !isNamedKeyType(clType)) return
  decodeInput(() => {
    const cursor = createCursor(bytes, 'CLValue')
    if (isNamedKeyType(clType)) cursor.string()
    const key = clType === 'URef' ? null : readKey(cursor)
    const uref = key === null ? readUref(cursor) : null
    cursor.end()
    if (key !== null) assertKeyRights(accessRights, key)
    if (uref !== null) assertRights(accessRights, uref)
  }, 'CLValue error')
}

const isNamedKeyType = (clType: ClType): boolean =>
  typeof clType === 'object' &&
  'Tuple2' in clType &&
  clType.Tuple2[0] === 'String' &&
  clType.Tuple2[1] === 'Key'
