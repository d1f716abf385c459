import { encodeHex } from '../../bytes/hex.ts'
import { keyTags } from '../../casper/types/key.ts'
import type { NamedKeys } from '../../casper/types/namedKeys.ts'
import { forgedReferenceError } from './executionError.ts'

/** What the code of one call may do with which URefs. */
export interface ContextAccessRights {
  /** Adds the rights that a URef (33 bytes) comes with. */
  extend(urefs: Iterable<Uint8Array>): void
  /** Whether a URef's address is known, with all the rights that it claims. */
  has(uref: Uint8Array): boolean
  /** Throws an `ExecutionError` where a URef is not had. */
  validate(uref: Uint8Array): void
  /** The same of a serialized key; those that are no URefs need no rights. */
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

/** The URefs among named keys. */
export function namedUrefs(namedKeys: NamedKeys): Uint8Array[] {
  return [...namedKeys.values()].filter((key) => key[0] === keyTags.uref).map((key) => key.subarray(1))
}
