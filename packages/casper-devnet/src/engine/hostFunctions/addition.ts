import { createCursor } from '@wattfeed/base'
import {
  accessRights,
  type ClType,
  type ClValue,
  encodeBigUint,
  encodeStoredValue,
  keyTags,
  normalizeKey,
} from '@wattfeed/casper/types'
import type { CallContext } from '../callContext.ts'
import { assertKeyRights, mayUse } from '../contextAccessRights.ts'
import { decodeInput, invalidAccessError, keyNotFoundError, typeMismatchError } from '../executionError.ts'
import { nameOfType } from '../nameOfType.ts'
import type { Addition } from '../transform.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readClValueInput, readKeyInput } from './input.ts'
import { assertKeyInValue, chargeStorage } from './writeStored.ts'

/** The host function by which code adds to a number without reading it. */
export const additionFunctions: HostFunctions = {
  add: {
    parameters: 4,
    hasResult: false,
    cost: costOf('add'),
    run(runtime, keyPointer, keySize, valuePointer, valueSize) {
      const key = readKeyInput(runtime, keyPointer, keySize)
      const value = readClValueInput(runtime, valuePointer, valueSize)
      if (key[0] !== keyTags.uref || !mayUse(key.subarray(1), accessRights.add))
        throw invalidAccessError(accessRights.add)
      assertKeyRights(runtime.accessRights, key)
      assertKeyInValue(runtime, value)
      add(runtime, key, value)
      return undefined
    },
  },
}

/** Adds a value to the one of a key. Does not check access rights. @throws {ExecutionError} when they cannot be added */
function add(context: CallContext, key: Uint8Array, value: ClValue): void {
  chargeStorage(context, encodeStoredValue({ kind: 'CLValue', value }).length)
  const { state } = context.execution
  const current = state.peek(key)
  if (current === null) throw keyNotFoundError(normalizeKey(key))
  const addition = additionOf(value)
  if (current.kind !== 'CLValue') throw typeMismatchError('StoredValue', current.kind)
  const { clType } = current.value
  // A node adds named keys to an account or a contract only, and code has no URef of these.
  if (addition === null) throw typeMismatchError('Contract or Account', nameOfType(clType))
  const integer = integerOf(clType)
  if (integer === null)
    throw typeMismatchError(`integral type compatible with ${rustNames[addition.kind]}`, nameOfType(clType))
  const sum = readInteger(current.value, integer) + addition.amount
  state.transform(key, { kind: 'CLValue', value: { clType, bytes: writeInteger(sum, integer) } }, addition)
}

/** The transforms by the type that is added. */
const kinds: Readonly<Partial<Record<string, Addition['kind']>>> = {
  I32: 'AddInt32',
  U64: 'AddUInt64',
  U128: 'AddUInt128',
  U256: 'AddUInt256',
  U512: 'AddUInt512',
}

/** The names of the added types in a node's errors. */
const rustNames: Readonly<Record<Addition['kind'], string>> = {
  AddInt32: 'i32',
  AddUInt64: 'u64',
  AddUInt128: 'casper_types::uint::macro_code::U128',
  AddUInt256: 'casper_types::uint::macro_code::U256',
  AddUInt512: 'casper_types::uint::macro_code::U512',
}

/** Returns what a value adds; null for a named key. */
function additionOf(value: ClValue): Addition | null {
  const name = nameOfType(value.clType)
  if (name === 'Tuple2([String, Key])') return null
  const [kind, integer] = [kinds[name], integerOf(value.clType)]
  if (kind !== undefined && integer !== null) return { kind, amount: readInteger(value, integer) }
  throw typeMismatchError('I32, U64, U128, U256, U512 or (String, Key) tuple', name)
}

interface Integer {
  readonly bits: number
  readonly isSigned?: boolean
  /** Whether its bytes follow a byte with their number. */
  readonly isBig?: boolean
}

const integers: Readonly<Partial<Record<string, Integer>>> = {
  I32: { bits: 32, isSigned: true },
  I64: { bits: 64, isSigned: true },
  U8: { bits: 8 },
  U32: { bits: 32 },
  U64: { bits: 64 },
  U128: { bits: 128, isBig: true },
  U256: { bits: 256, isBig: true },
  U512: { bits: 512, isBig: true },
}

const integerOf = (clType: ClType): Integer | null =>
  (typeof clType === 'string' ? integers[clType] : undefined) ?? null

function readInteger({ bytes }: ClValue, { bits, isSigned, isBig }: Integer): bigint {
  return decodeInput(() => {
    const cursor = createCursor(bytes, 'CLValue')
    const unsigned = isBig ? cursor.bigUint(bits / 8) : littleEndian(cursor.bytes(bits / 8))
    cursor.end()
    return isSigned ? BigInt.asIntN(bits, unsigned) : unsigned
  })
}

/** Encodes the lowest bits of a number, as a node adds: without an error when the sum is too large. */
function writeInteger(value: bigint, { bits, isBig }: Integer): Uint8Array {
  const unsigned = BigInt.asUintN(bits, value)
  if (isBig) return encodeBigUint(unsigned, bits / 8)
  return Uint8Array.fromHex(unsigned.toString(16).padStart(bits / 4, '0')).reverse()
}

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${bytes.toReversed().toHex()}`)
