import { type ClValue, decodeDictionaryItem, encodeDictionaryItem } from '../../casper/types/clValue.ts'
import { normalizeKey } from '../../casper/types/key.ts'
import { decodeStoredValue, encodeStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainView, ProvenValue } from '../chain/chainView.ts'
import { UnknownRootError } from '../state/globalState.ts'
import { blockAt } from './blockAt.ts'

/** How far back a lie looks for another value. */
const MOST_BLOCKS_BACK = 64

/**
 * What a node that lies says is stored: an older value with its own proof, or where there is none, one that differs in
 * its last byte with a proof that holds it. Null where there is nothing, which is no lie.
 */
export function wrongValue(chain: ChainView, stateRootHash: string, key: Uint8Array): ProvenValue | null {
  const honest = chain.read(stateRootHash, key)
  return honest === null ? null : (olderValue(chain, key, honest) ?? changedValue(key, honest))
}

function olderValue(chain: ChainView, key: Uint8Array, honest: ProvenValue): ProvenValue | null {
  const { height } = chain.tip()
  for (let older = height - 1; older >= Math.max(0, height - MOST_BLOCKS_BACK); older--) {
    const found = readOlder(chain, blockAt(chain, older).stateRootHash, key)
    if (found !== null && Buffer.compare(found.stored, honest.stored) !== 0) return found
  }
  return null
}

/** Roots of old blocks may be forgotten. */
function readOlder(chain: ChainView, stateRootHash: string, key: Uint8Array): ProvenValue | null {
  try {
    return chain.read(stateRootHash, key)
  } catch (error) {
    if (error instanceof UnknownRootError) return null
    throw error
  }
}

/** The proof holds the value between its key and its steps. */
function changedValue(key: Uint8Array, honest: ProvenValue): ProvenValue {
  const { stored, merkleProof } = honest
  const changed = changeValue(stored)
  const start = 4 + normalizeKey(key).length
  const proof = merkleProof.slice()
  proof.set(changed, start)
  return { stored: changed, merkleProof: proof }
}

/** The same with another last byte in the value itself; only a CLValue is changed. */
function changeValue(stored: Uint8Array): Uint8Array {
  const decoded = decodeStoredValue(stored)
  if (decoded.kind !== 'CLValue') return stored
  if (decoded.value.clType !== 'Any')
    return encodeStoredValue({ kind: 'CLValue', value: changeLastByte(decoded.value) })
  const item = decodeDictionaryItem(decoded.value)
  const value = encodeDictionaryItem({ ...item, value: changeLastByte(item.value) })
  return encodeStoredValue({ kind: 'CLValue', value })
}

function changeLastByte({ clType, bytes }: ClValue): ClValue {
  const changed = bytes.slice()
  changed[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return { clType, bytes: changed }
}
