import { createCursor, DecodeError, decodeHex, encodeHex, nextTask } from '@wattfeed/base'
import {
  followElement,
  startWalk,
  type TrieElement,
  unwrapDictionaryItem,
  type VerifiedProof,
} from '@wattfeed/casper'
import { encodeKey, formatStoredValue, readStoredValue, type StoredValueJson } from '@wattfeed/casper/types'
import type { ProofFile } from './proofFile.ts'

/** A value of global state. */
export interface ItemRequest<T = unknown> {
  /** Names the value in errors. */
  what: string
  /** Its key as a node formats it. */
  key: string
  /** Its place in a dictionary; undefined for other values. */
  item?: { seedUref: string; itemKey: string }
  /** @throws {WattfeedError} when the value is not of the expected type. */
  decode(stored: StoredValueJson): T
}

/**
 * What is known about a value before it is read:
 *
 * - `listed`: a proven count includes it, or it names the contract. It is on chain.
 * - `optional`: it may be absent. Null without evidence, which the caller must replace by a sum.
 * - `decided`: it may be absent, and null needs evidence.
 */
export type Presence = 'listed' | 'optional' | 'decided'

/** Reads proven values at one state root, in the order of the requests. Throws if a listed value is not there. */
export type ReadItems = <T>(requests: Iterable<ItemRequest<T>>, presence: Presence) => AsyncIterable<T | null>

/** The result of a walk down the trie. */
export type Found<T> =
  | { state: 'present'; value: T }
  | { state: 'absent' }
  /** An element on the path is missing. */
  | { state: 'unknown'; missingHash: string }

/** Follows the path to a value through elements. @throws {WattfeedError} when one contradicts it. */
export function findItem<T>(
  elements: { find(hash: string): TrieElement | null },
  stateRootHash: string,
  request: ItemRequest<T>,
): Found<T> {
  const key = encodeKey(request.key)
  let place = startWalk(decodeHex(stateRootHash, 'state root'))
  for (;;) {
    const hash = encodeHex(place.pointer.hash)
    const element = elements.find(hash)
    if (element === null) return { state: 'unknown', missingHash: hash }
    const next = followElement(place, element, key)
    if (next === 'absent') return { state: 'absent' }
    if (next !== 'present') place = next
    else if (element.kind === 'leaf')
      return { state: 'present', value: valueIn(element.content.subarray(key.length), request) }
  }
}

function valueIn<T>(bytes: Uint8Array, request: ItemRequest<T>): T {
  const cursor = createCursor(bytes, request.what)
  const stored = readStoredValue(cursor)
  cursor.end()
  return decodeItem(stored, request)
}

/** Decodes a value. That of a dictionary item is checked to be of this dictionary and key. */
export function decodeItem<T>(
  stored: VerifiedProof['storedValue'],
  { item, what, decode }: ItemRequest<T>,
): T {
  return decode(
    item === undefined ? formatStoredValue(stored) : unwrapDictionaryItem(stored, { ...item, what }),
  )
}

/** Number of values to read before yielding to the event loop. */
export const SLICE = 64

/** Reads values from a complete proof, offline. */
export const itemsInFile = (file: ProofFile, stateRootHash: string): ReadItems =>
  async function* (requests, presence) {
    let done = 0
    for (const request of requests) {
      if (++done % SLICE === 0) await nextTask()
      const found = findItem(file, stateRootHash, request)
      if (found.state === 'present') yield found.value
      else if (presence === 'optional' || (presence === 'decided' && found.state === 'absent')) yield null
      else throw new DecodeError('data set proof', `${request.what}: ${ruleOf(file, found)}`)
    }
  }

function ruleOf(file: ProofFile, found: Exclude<Found<unknown>, { state: 'present' }>): string {
  if (found.state === 'absent') return 'it is absent'
  const place = file.isAtEnd() ? 'the file ends before' : `line ${file.lineNumber} is not`
  return `${place} the element ${found.missingHash} on its path`
}
