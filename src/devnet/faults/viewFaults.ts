import { type ClValue, decodeDictionaryItem, encodeDictionaryItem } from '../../casper/types/clValue.ts'
import { normalizeKey } from '../../casper/types/key.ts'
import { formatKey } from '../../casper/types/keyKinds.ts'
import { decodeStoredValue, encodeStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainBlock, ChainView, KnownTransaction, ProvenValue } from '../chain/chainView.ts'
import { UnknownRootError } from '../state/stateTrie.ts'
import type { Faults, LieOptions } from './faults.ts'

export type ViewFaults = Pick<Faults, 'lag' | 'lie' | 'stopFinality' | 'withhold' | 'clear'>

export function createViewFaults(chain: ChainView): { view: ChainView; faults: ViewFaults } {
  let lagBlocks = 0
  let lie: LieOptions | null = null
  let lastFinalHeight = Number.POSITIVE_INFINITY
  /** Withheld transactions by hash; null if the fault is not active. */
  let withheld: Map<string, KnownTransaction> | null = null

  const tipHeight = (): number => Math.max(0, chain.tip().height - lagBlocks)
  const show = (block: ChainBlock): ChainBlock => (block.height > lastFinalHeight ? unfinal(block) : block)
  const tip = (): ChainBlock => show(blockAt(chain, tipHeight()))

  const view: ChainView = {
    ...chain,
    put(transaction) {
      if (withheld === null) return chain.put(transaction)
      const refusal = chain.check(transaction)
      if (refusal === null)
        withheld.set(transaction.hash, { json: transaction.json, blockHeight: null, executionInfo: null })
      return refusal
    },
    tip,
    getBlock(identifier) {
      const block = chain.getBlock(identifier)
      return block === null || block.height > tipHeight() ? null : show(block)
    },
    latestSwitchBlock() {
      let block = blockAt(chain, tipHeight())
      while (!block.isSwitchBlock) block = blockAt(chain, block.height - 1)
      return show(block)
    },
    read(stateRootHash, key) {
      assertKnownRoot(chain, tipHeight(), stateRootHash)
      return lie !== null && concerns(lie, key)
        ? wrongValue(chain, stateRootHash, key)
        : chain.read(stateRootHash, key)
    },
    trieElement(hash) {
      const element = chain.trieElement(hash)
      // An element belongs to many keys, so a lie about some keys leaves it as it is.
      const isLie = lie !== null && lie.keys === undefined
      return isLie && element !== null ? changeLastByte(element) : element
    },
    getTransaction(version, hash) {
      const known = chain.getTransaction(version, hash) ?? withheld?.get(hash) ?? null
      return known && known.blockHeight !== null && known.blockHeight > tipHeight()
        ? { ...known, blockHeight: null, executionInfo: null }
        : known
    },
  }
  return {
    view,
    faults: {
      lag: (blocks) => {
        lagBlocks = blocks
      },
      lie: (options = {}) => {
        lie = options
      },
      stopFinality: () => {
        lastFinalHeight = chain.tip().height
      },
      withhold: () => {
        withheld ??= new Map()
      },
      clear: () => {
        withheld = null
        lagBlocks = 0
        lie = null
        lastFinalHeight = Number.POSITIVE_INFINITY
      },
    },
  }
}

const concerns = ({ keys }: LieOptions, key: Uint8Array): boolean =>
  keys === undefined || keys.includes(formatKey(normalizeKey(key)))

/** Removes signatures. On this chain a third of the validators never has more than two thirds of the weight. */
function unfinal(block: ChainBlock): ChainBlock {
  const { proofs, ...json } = block.json
  return { ...block, json: { ...json, proofs: proofs.slice(0, Math.floor(proofs.length / 3)) } }
}

/** @throws {UnknownRootError} when the root is of a block after `tipHeight`, which a lagging node does not know */
function assertKnownRoot(chain: ChainView, tipHeight: number, stateRootHash: string): void {
  if (blockAt(chain, tipHeight).stateRootHash === stateRootHash) return
  for (let height = chain.tip().height; height > tipHeight; height--)
    if (blockAt(chain, height).stateRootHash === stateRootHash)
      throw new UnknownRootError({ rootHash: stateRootHash })
}

/** Number of previous blocks that a lie searches for an older value. */
const MAX_BLOCKS_BACK = 64

/**
 * Returns an older value with its proof. Without an older value, changes the last byte of the current value, also in its
 * proof. Null if nothing is stored.
 */
function wrongValue(chain: ChainView, stateRootHash: string, key: Uint8Array): ProvenValue | null {
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

/** Length of the number of proofs before the only proof. */
const COUNT_BYTES = 4

/** Changes a value also in its proof, where it follows the key. */
function changedValue(key: Uint8Array, honest: ProvenValue): ProvenValue {
  const { stored, merkleProof } = honest
  const changed = changeValue(stored)
  const start = COUNT_BYTES + normalizeKey(key).length
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

function changeLastByte(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice()
  if (bytes.length > 0) changed[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return changed
}

/** Returns the block at a height that the chain has reached. */
function blockAt(chain: ChainView, height: number): ChainBlock {
  const block = chain.getBlock({ height })
  if (block === null) throw new RangeError(`the chain has no block at height ${height}`)
  return block
}
