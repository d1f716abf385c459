import { createCursor } from '../../../bytes/cursor.ts'
import { type ClType, isKeyType } from '../../../casper/types/clType.ts'
import type { ClValue } from '../../../casper/types/clValue.ts'
import { readUref } from '../../../casper/types/key.ts'
import { readKey } from '../../../casper/types/keyKinds.ts'
import type { CallContext } from '../callContext.ts'
import { decodeInput } from '../executionError.ts'

/**
 * Throws an `ExecutionError` where a value to be stored is a key, or a named key, with rights that the code does not
 * have. Keys inside of other values are not looked at.
 */
export function validateValue({ accessRights }: CallContext, { clType, bytes }: ClValue): void {
  if (!isKeyType(clType) && !isNamedKeyType(clType)) return
  decodeInput(() => {
    const cursor = createCursor(bytes, 'CLValue')
    if (isNamedKeyType(clType)) cursor.string()
    const key = clType === 'URef' ? null : readKey(cursor)
    const uref = key === null ? readUref(cursor) : null
    cursor.end()
    if (key !== null) accessRights.validateKey(key)
    if (uref !== null) accessRights.validate(uref)
  }, 'CLValue error')
}

const isNamedKeyType = (clType: ClType): boolean =>
  typeof clType === 'object' &&
  'Tuple2' in clType &&
  clType.Tuple2[0] === 'String' &&
  clType.Tuple2[1] === 'Key'
