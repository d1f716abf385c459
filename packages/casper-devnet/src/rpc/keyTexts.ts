import { DecodeError, decodeHex } from '@wattfeed/base'
import { accountHashOfHex, accountKey, hashKey, keyTags, parseKey } from '@wattfeed/casper/types'
import { hashFault, hexFault, InvalidParamsError, textOf } from '../params.ts'
import { addressFault, parseAccountHashText, parsePublicKey } from '../transaction/nodeReader.ts'

/** Returns a serialized key. @throws {InvalidParamsError} */
export function keyParam(value: unknown): Uint8Array {
  const text = textOf(value)
  const key = tryParseKey(text)
  if (key === null) throw new InvalidParamsError({ rule: keyFault(text) })
  return key
}

/** Returns the node's message for a text that is not a key. Long kinds, such as `message-…`, have an unknown prefix here. */
export function keyFault(text: string): string {
  const [, hash] = /^account-hash-(.*)$/.exec(text) ?? []
  if (hash !== undefined) return `account-key from string error: ${addressFault(hash)}`
  const [, kind, hex = ''] = /^(hash|dictionary|balance|bid|withdraw|unbond)-([^-]*)$/.exec(text) ?? []
  if (kind !== undefined) return `${kind}-key from string error: ${hashFault(hex)}`
  const zeros = zeroKeys.find(([prefix]) => text.startsWith(prefix))
  if (zeros === undefined) return 'unknown prefix for key'
  const [prefix, name, what] = zeros
  return `${name} string error: ${hexFault(text.slice(prefix.length)) ?? `Failed to deserialize ${what} key`}`
}

/** Prefixes of keys that have only zeros after them, and their names in a node's messages. */
const zeroKeys: readonly (readonly [prefix: string, name: string, what: string])[] = [
  ['era-summary-', 'era-summary-key from', 'era summary'],
  ['system-entity-registry-', 'system-contract-registry-key from', 'system registry'],
  ['chainspec-registry-', 'chainspec-registry-key from', 'chainspec registry'],
  ['checksum-registry-', 'checksum-registry-key from', 'checksum registry'],
  ['block-time-', 'block-message-count-key form', 'global block time'],
  ['block-message-count-', 'block-message-count-key form', 'global block message count'],
  ['block-protocol-version-', 'block-message-count-key form', 'global block protocol version'],
  ['block-addressable-entity-', 'block-message-count-key form', 'global block addressable entity'],
]

/** Returns a serialized key; null if the text is not a key. */
export function tryParseKey(text: string): Uint8Array | null {
  try {
    return parseKey(text)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/**
 * Returns the address and the access rights.
 *
 * @param refuse creates the error to throw from the node's message
 */
export function parseUref(text: string, refuse: (rule: string) => Error): Uint8Array {
  if (!text.startsWith('uref-')) throw refuse("prefix is not 'uref-'")
  const key = tryParseKey(text)
  if (key?.[0] !== keyTags.uref) throw refuse('it is not an address and access rights')
  return key.subarray(1)
}

/** Returns the hash after the first prefix that matches; null if none does, or if 64 hex digits do not follow. */
export function hashAfter(prefixes: readonly string[], text: string): Uint8Array | null {
  const prefix = prefixes.find((each) => text.startsWith(each)) ?? ''
  const hex = text.slice(prefix.length)
  return prefix !== '' && /^[0-9a-f]{64}$/i.test(hex) ? decodeHex(hex, prefix) : null
}

/** Parses `account-hash-…` or a public key, with the message of the node's untagged enum. @throws {InvalidParamsError} */
export function accountIdentifier(text: string): Uint8Array {
  try {
    return text.startsWith('account-hash-')
      ? parseAccountHashText(text)
      : accountHashOfHex(parsePublicKey(text))
  } catch (error) {
    if (!(error instanceof InvalidParamsError)) throw error
    const rule = 'data did not match any variant of untagged enum AccountIdentifier'
    throw new InvalidParamsError({ rule })
  }
}

/** Parses `contract-…`. @throws {InvalidParamsError} */
export function contractKey(text: string): Uint8Array {
  const hash = hashAfter(['contract-'], text)
  if (hash === null) throw new InvalidParamsError({ rule: 'invalid prefix' })
  return hashKey(hash)
}

/** Parses `entity-account-…` or `entity-contract-…`. @throws {InvalidParamsError} */
export function entityKey(text: string): Uint8Array {
  const [, kind, hash = ''] = /^entity-(account|contract)-([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (kind === undefined) throw new InvalidParamsError({ rule: "prefix is not 'entity-'" })
  const bytes = decodeHex(hash, 'entity')
  return kind === 'account' ? accountKey(bytes) : hashKey(bytes)
}
