import {
  type ClValue,
  decodeDictionaryItem,
  decodeStoredValue,
  encodeDictionaryItem,
  encodeStoredValue,
  normalizeKey,
} from '@wattfeed/casper/types'
import { blockAt, type ChainView, PROOF_COUNT_BYTES, type ProvenValue } from '../../../src/chain/chainView.ts'
import { UnknownRootError } from '../../../src/state/stateTrie.ts'

/** Number of previous blocks that a lie searches for an older value. */
const MAX_BLOCKS_BACK = 64

/**
 * Returns an older value with its proof. Without an older value, changes the last byte of the current value, also in its
 * proof. Null if nothing is stored.
 */
export function wrongValue(chain: ChainView, stateRootHash: string, key: Uint8Array): ProvenValue | null {
  const honest = chain.read(stateRootHash, key)
  return honest === null ? null : (olderValue(chain, key, honest) ?? changedValue(key, honest))
}

function olderValue(chain: ChainView, key: Uint8Array, honest: ProvenValue): ProvenValue | null {
  const { height } = chain.tip()
  for (let older = height - 1; older >= Math.max(0, height - MAX_BLOCKS_BACK); older--) {
    const found = readOlder(chain, blockAt(chain, older).stateRootHash, key)
    if (found !== null && Buffer.compare(found.stored, honest.stored) !== 0) return found
  }
  return null
}

function readOlder(chain: ChainView, stateRootHash: string, key: Uint8Array): ProvenValue | null {
  try {
    return chain.read(stateRootHash, key)
  } catch (error) {
    if (error instanceof UnknownRootError) return null
    throw error
  }
}

/** Changes a value also in its proof, where it follows the key. */
function changedValue(key: Uint8Array, honest: ProvenValue): ProvenValue {
  const { stored, merkleProof } = honest
  const changed = changeValue(stored)
  const start = PROOF_COUNT_BYTES + normalizeKey(key).length
  const proof = merkleProof.slice()
  proof.set(changed, start)
  return { stored: changed, merkleProof: proof }
}

/** Changes the last byte of a CLValue; returns other values unchanged. */
function changeValue(stored: Uint8Array): Uint8Array {
  const decoded = decodeStoredValue(stored)
  if (decoded.kind !== 'CLValue') return stored
  if (decoded.value.clType !== 'Any')
    return encodeStoredValue({ kind: 'CLValue', value: changeClValue(decoded.value) })
  const item = decodeDictionaryItem(decoded.value)
  const value = encodeDictionaryItem({ ...item, value: changeClValue(item.value) })
  return encodeStoredValue({ kind: 'CLValue', value })
}

const changeClValue = ({ clType, bytes }: ClValue): ClValue => ({ clType, bytes: changeLastByte(bytes) })

export function changeLastByte(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice()
  if (bytes.length > 0) changed[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return changed
}
