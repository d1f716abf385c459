import { createByteWriter, encodeHex } from '@wattfeed/base'
import { decodeStoredValue, type NamedKeys, type StoredValue } from '@wattfeed/casper/types'
import { type ChainView, PROOF_COUNT_BYTES, type ProvenValue } from '../chain/chainView.ts'
import { UnknownRootError } from '../state/stateTrie.ts'
import { notStored, unknownStateRoot } from './refusedCall.ts'

export interface ServedValue {
  value: StoredValue
  /** `bytesrepr` of the value. */
  stored: Uint8Array
  /** In hex. */
  merkleProof: string
}

/** The state to read, and the node's term for what is read: `dictionary item`. */
export interface StateRead {
  stateRootHash: string
  what: string
}

/** Reads the value of a serialized key; null if nothing is stored. */
export function readServedValue(view: ChainView, read: StateRead, key: Uint8Array): ServedValue | null {
  const found = readProven(view, read, key)
  return found === null ? null : serve([found])
}

/**
 * Reads the value at the end of a path of named keys, starting at a serialized key, with a proof of each step.
 *
 * @throws {RefusedCallError} when the root is unknown or nothing is stored at the end of the path
 */
export function queryState(
  view: ChainView,
  read: StateRead,
  key: Uint8Array,
  path: readonly string[],
): ServedValue {
  const steps = [readExisting(view, read, key)]
  for (const name of path) {
    const last = steps.at(-1)
    const next = namedKeysOf(last && decodeStoredValue(last.stored)).get(name)
    if (next === undefined) throw notStored()
    steps.push(readExisting(view, read, next))
  }
  return serve(steps)
}

function readExisting(view: ChainView, read: StateRead, key: Uint8Array): ProvenValue {
  const found = readProven(view, read, key)
  if (found === null) throw notStored()
  return found
}

function readProven(
  view: ChainView,
  { stateRootHash, what }: StateRead,
  key: Uint8Array,
): ProvenValue | null {
  try {
    return view.read(stateRootHash, key)
  } catch (error) {
    if (error instanceof UnknownRootError) throw unknownStateRoot(what)
    throw error
  }
}

/** Returns the named keys of an account or a contract; none for another value. */
export function namedKeysOf(value: StoredValue | undefined): NamedKeys {
  if (value?.kind === 'Account') return value.account.namedKeys
  return value?.kind === 'Contract' ? value.contract.namedKeys : new Map()
}

/** Joins the proofs of a path's steps; the value is that of the last one. */
function serve(steps: readonly ProvenValue[]): ServedValue {
  const last = steps.at(-1)
  if (last === undefined) throw notStored()
  const writer = createByteWriter(last.merkleProof.length).u32(steps.length)
  for (const { merkleProof } of steps) writer.bytes(merkleProof.subarray(PROOF_COUNT_BYTES))
  const { stored } = last
  return { value: decodeStoredValue(stored), stored, merkleProof: encodeHex(writer.finish()) }
}
