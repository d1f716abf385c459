import { encodeHex } from '../../bytes/hex.ts'
import { keyTags } from '../../casper/types/key.ts'
import type { NamedKeys } from '../../casper/types/namedKeys.ts'
import { forgedReferenceError } from './executionError.ts'

/** The access rights to URefs that a call has. */
export interface ContextAccessRights {
  /** Adds the rights of URefs, 33 bytes each. */
  extend(urefs: Iterable<Uint8Array>): void
  /** Whether the call has all rights of a URef. */
  has(uref: Uint8Array): boolean
  /** @throws {ExecutionError} when the call lacks a right of the URef */
  validate(uref: Uint8Array): void
  /** Validates a serialized key. Keys other than URefs need no rights. @throws {ExecutionError} when a right is missing */
  validateKey(key: Uint8Array): void
}

export function createContextAccessRights(): ContextAccessRights {
  const rights = new Map<string, number>()
  const has = (uref: Uint8Array): boolean => {
    const known = rights.get(addressOf(uref))
    const wanted = uref[32] ?? 0
    return known !== undefined && (known & wanted) === wanted
  }
  const validate = (uref: Uint8Array): void => {
    if (!has(uref)) throw forgedReferenceError(uref)
  }
  return {
    extend(urefs) {
      for (const uref of urefs) {
        const address = addressOf(uref)
        rights.set(address, (rights.get(address) ?? 0) | (uref[32] ?? 0))
      }
    },
    has,
    validate,
    validateKey(key) {
      if (key[0] === keyTags.uref) validate(key.subarray(1))
    },
  }
}

const addressOf = (uref: Uint8Array): string => encodeHex(uref.subarray(0, 32))

/** Lists the URefs among named keys. */
export function namedUrefs(namedKeys: NamedKeys): Uint8Array[] {
  return [...namedKeys.values()].filter((key) => key[0] === keyTags.uref).map((key) => key.subarray(1))
}
