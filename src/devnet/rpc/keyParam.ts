import { DecodeError } from '../../bytes/cursor.ts'
import { decodeHex } from '../../bytes/hex.ts'
import { keyTags } from '../../casper/types/key.ts'
import { parseKey } from '../../casper/types/keyKinds.ts'
import { InvalidParamsError, textOf } from '../params.ts'

/** The serialized key of a formatted one: `hash-…`, `uref-…-007`. Throws an {@link InvalidParamsError}. */
export function keyParam(value: unknown): Uint8Array {
  const key = tryParseKey(textOf(value))
  if (key === null) throw new InvalidParamsError('unknown prefix for key')
  return key
}

/** Null where a text is no formatted key. */
export function tryParseKey(text: string): Uint8Array | null {
  try {
    return parseKey(text)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/**
 * The 33 bytes of `uref-…-007`.
 *
 * @param refuse Makes an error of what is wrong, in a node's words.
 */
export function parseUref(text: string, refuse: (rule: string) => Error): Uint8Array {
  if (!text.startsWith('uref-')) throw refuse("prefix is not 'uref-'")
  const key = tryParseKey(text)
  if (key?.[0] !== keyTags.uref) throw refuse('it is not an address and access rights')
  return key.subarray(1)
}

/** The 32 bytes after a prefix: `contract-package-…`. Null where the text is in no such form. */
export function hashAfter(prefixes: readonly string[], text: string): Uint8Array | null {
  const prefix = prefixes.find((each) => text.startsWith(each)) ?? ''
  const hex = text.slice(prefix.length)
  return prefix !== '' && /^[0-9a-f]{64}$/i.test(hex) ? decodeHex(hex, prefix) : null
}
