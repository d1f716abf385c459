import { DecodeError, type DecodeErrorKind, encodeHex, WattfeedError } from '@wattfeed/base'
import { formatAccessRights, keyTags } from '@wattfeed/casper/types'
import { formatRevert } from './apiErrors.ts'

/** An error ended a transaction. The message is the node's `error_message`. */
export class ExecutionError extends WattfeedError {
  static override readonly name = 'ExecutionError'
  readonly code = 'execution'
  readonly retryable = false
}

/** Returns the error of a trap, or of a memory access out of bounds. */
export const interpreterError = (reason: string): ExecutionError =>
  new ExecutionError(`Interpreter error: ${reason}`)

export const revertError = (status: number): ExecutionError => new ExecutionError(formatRevert(status))

export const outOfGasError = (): ExecutionError => new ExecutionError('Out of gas error')

export const invalidAccessError = (required: number): ExecutionError =>
  new ExecutionError(`Invalid access rights: ${formatAccessRights(required)}`)

/** Returns the error for a URef that the code does not have, or does not have with these rights. */
export const forgedReferenceError = (uref: Uint8Array): ExecutionError =>
  new ExecutionError(
    `Forged reference: URef(${encodeHex(uref.subarray(0, 32))}, ${formatAccessRights(uref[32] ?? 0)})`,
  )

export const invalidContextError = (): ExecutionError => new ExecutionError('Invalid context')

export const typeMismatchError = (expected: string, found: string): ExecutionError =>
  new ExecutionError(`Type mismatch. Expected ${expected} but found ${found}.`)

/** The node's messages for bytes that cannot be decoded. */
const decodeMessages: Readonly<Record<DecodeErrorKind, string>> = {
  early_end_of_stream: 'Deserialization error: early end of stream',
  left_over_bytes: 'Deserialization error: left-over bytes',
  exceeded_recursion_depth: 'exceeded recursion depth',
  formatting: 'Deserialization error: formatting',
}

/** Decodes the input of a contract. @throws {ExecutionError} when it cannot be decoded */
export function decodeInput<T>(decode: () => T, prefix = 'Serialization error'): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeError) throw new ExecutionError(`${prefix}: ${decodeMessages[error.kind]}`)
    throw error
  }
}

export const keyNotFoundError = (key: Uint8Array): ExecutionError =>
  new ExecutionError(`Key ${describeKey(key)} not found`)

/** Formats a key like in the node's errors: `Key::Hash(…)`. */
function describeKey(key: Uint8Array): string {
  const hex = encodeHex(key.subarray(1, 33))
  if (key[0] === keyTags.account) return `Key::Account(${hex})`
  if (key[0] === keyTags.uref) return `Key::URef(${hex}, ${formatAccessRights(key[33] ?? 0)})`
  if (key[0] === keyTags.balance) return `Key::Balance(${hex})`
  return `Key::Hash(${hex})`
}

export const lockedPackageError = (): ExecutionError =>
  new ExecutionError('A locked contract cannot be upgraded')
