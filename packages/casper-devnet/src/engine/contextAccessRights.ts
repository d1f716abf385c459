import { encodeHex } from '@wattfeed/base'
import { keyTags, type NamedKeys } from '@wattfeed/casper/types'
import { forgedReferenceError } from './executionError.ts'

/** The access rights that a call has to URefs, by their address in hex. */
export type ContextAccessRights = Map<string, number>

/** @param urefs 33 bytes each */
export function extendRights(rights: ContextAccessRights, urefs: Iterable<Uint8Array>): void {
  for (const uref of urefs) {
    const address = addressOf(uref)
    rights.set(address, (rights.get(address) ?? 0) | (uref[32] ?? 0))
  }
}

/** Returns whether a URef (33 bytes) includes a right. Does not check whether the code has the URef. */
export const mayUse = (uref: Uint8Array, right: number): boolean => ((uref[32] ?? 0) & right) !== 0

/**
 * Gives a call the rights of a URef for as long as a function runs.
 *
 * @returns what the function returns
 */
export function withRights<T>(rights: ContextAccessRights, uref: Uint8Array, run: () => T): T {
  const address = addressOf(uref)
  const before = rights.get(address)
  extendRights(rights, [uref])
  const result = run()
  rights.set(address, before ?? 0)
  return result
}

/** Takes all rights of a URef from a call, which still knows it. */
export function revokeRights(rights: ContextAccessRights, uref: Uint8Array): void {
  rights.set(addressOf(uref), 0)
}

/** Returns whether a call has all rights of a URef. */
export function hasRights(rights: ContextAccessRights, uref: Uint8Array): boolean {
  const known = rights.get(addressOf(uref))
  const wanted = uref[32] ?? 0
  return known !== undefined && (known & wanted) === wanted
}

/** @throws {ExecutionError} when the call lacks a right of the URef */
export function assertRights(rights: ContextAccessRights, uref: Uint8Array): void {
  if (!hasRights(rights, uref)) throw forgedReferenceError(uref)
}

/** Keys other than URefs need no rights. @throws {ExecutionError} when the call lacks a right of the serialized key */
export function assertKeyRights(rights: ContextAccessRights, key: Uint8Array): void {
  if (key[0] === keyTags.uref) assertRights(rights, key.subarray(1))
}

const addressOf = (uref: Uint8Array): string => encodeHex(uref.subarray(0, 32))

/** Lists the URefs among named keys. */
export function namedUrefs(namedKeys: NamedKeys): Uint8Array[] {
  return [...namedKeys.values()].filter((key) => key[0] === keyTags.uref).map((key) => key.subarray(1))
}
