import { type Cursor, createCursor, DecodeError } from '@wattfeed/base'
import { type ClType, type NamedArgument, readU512, readUref } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import { revertError } from '../executionError.ts'
import { nameOfType } from '../nameOfType.ts'

type Arguments = readonly NamedArgument[]

/** Reads an argument of a system contract, of exactly this type. @throws {ExecutionError} when it is missing or of another type */
function readArgument<T>(args: Arguments, name: string, clType: ClType, read: (cursor: Cursor) => T): T {
  const arg = args.find((each) => each.name === name)
  if (arg === undefined) throw revertError(apiErrors.MissingArgument)
  if (nameOfType(arg.clType) !== nameOfType(clType)) throw revertError(apiErrors.InvalidArgument)
  try {
    const cursor = createCursor(arg.bytes, name)
    const value = read(cursor)
    cursor.end()
    return value
  } catch (error) {
    if (error instanceof DecodeError) throw revertError(apiErrors.InvalidArgument)
    throw error
  }
}

/** Reads a number of motes. @throws {ExecutionError} */
export const motesArgument = (args: Arguments, name: string): bigint =>
  readArgument(args, name, 'U512', readU512)

/** Reads a URef of 33 bytes. @throws {ExecutionError} */
export const urefArgument = (args: Arguments, name: string): Uint8Array =>
  readArgument(args, name, 'URef', readUref)

/** Reads the hash of an account, or nothing. @throws {ExecutionError} */
export const optionalAccountArgument = (args: Arguments, name: string): Uint8Array | null =>
  readArgument(args, name, { Option: { ByteArray: 32 } }, (cursor) =>
    readOption(cursor, () => cursor.bytes(32)),
  )

/** Reads a number of 64 bits, or nothing. @throws {ExecutionError} */
export const optionalU64Argument = (args: Arguments, name: string): bigint | null =>
  readArgument(args, name, { Option: 'U64' }, readOptionalU64)

export const readOptionalU64 = (cursor: Cursor): bigint | null => readOption(cursor, cursor.u64)

function readOption<T>(cursor: Cursor, read: () => T): T | null {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('option', `tag ${tag}`)
  return tag === 0 ? null : read()
}
