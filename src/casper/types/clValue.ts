import { DecodeError } from '../../bytes/cursor.ts'
import { decodeHex } from '../../bytes/hex.ts'
import { isRecord } from './isRecord.ts'

/**
 * The serialized bytes of the `CLValue` in a `stored_value`, by its own `cl_type`.
 *
 * @throws {DecodeError} that names `what` where there is none.
 */
export function clValueBytes(storedValue: unknown, what: string): Uint8Array {
  const clValue = isRecord(storedValue) ? storedValue.CLValue : undefined
  if (isRecord(clValue) && typeof clValue.bytes === 'string') return decodeHex(clValue.bytes, what)
  throw new DecodeError(what, 'the stored value is not a CLValue')
}
