import { type ClValue, decodeDictionaryItem, encodeDictionaryItem } from '../../casper/types/clValue.ts'
import { normalizeKey } from '../../casper/types/key.ts'
import { formatKey } from '../../casper/types/keyKinds.ts'
import { decodeStoredValue, encodeStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainBlock, ChainView, ProvenValue } from '../chain/chainView.ts'
import { UnknownRootError } from '../state/globalState.ts'
import type { Faults, LieOptions } from './faults.ts'

/** Faults that lie in what a node answers. */
export type ViewFaults = Pick<Faults, 'lag' | 'lie' | 'stopFinality' | 'clear'>

/** Shows a chain as a node does that lags behind, lies, or lacks signatures. */
export function createViewFaults(chain: ChainView): { view: ChainView; faults: ViewFaults } {
  let lagBlocks = 0
  let lie: LieOptions | null = null
  let lastFinalHeight = Number.POSITIVE_INFINITY

  const tipHeight = (): number => Math.max(0, chain.tip().height - lagBlocks)
  const show = (block: ChainBlock): ChainBlock => (block.height > lastFinalHeight ? unfinal(block) : block)
  const tip = (): ChainBlock => show(blockAt(chain, tipHeight()))

  const view: ChainView = {
    chainName: chain.chainName,
    startedAtMs: chain.startedAtMs,
    now: chain.now,
    put: chain.put,
    tip,
    getBlock(identifier) {
      const block = chain.getBlock(identifier)
      return block === null || block.height > tipHeight() ? null : show(block)
    },
    latestSwitchBlock() {
      let block = tip()
      while (!block.isSwitchBlock) block = blockAt(chain, block.height - 1)
      return show(block)
    },
    read(stateRootHash, key) {
      assertKnownRoot(chain, tipHeight(), stateRootHash)
      const isToldWrong = lie?.keys?.includes(formatKey(normalizeKey(key))) ?? lie !== null
      return isToldWrong ? wrongValue(chain, stateRootHash, key) : chain.read(stateRootHash, key)
    },
    getTransaction(version, hash) {
      const known = chain.getTransaction(version, hash)
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
      clear: () => {
        lagBlocks = 0
        lie = null
        lastFinalHeight = Number.POSITIVE_INFINITY
      },
    },
  }
}

/** A third of the validators never weighs more than two thirds here. */
function unfinal(block: ChainBlock): ChainBlock {
  const { proofs, ...json } = block.json
  return { ...block, json: { ...json, proofs: proofs.slice(0, Math.floor(proofs.length / 3)) } }
}

/** A node that lags behind does not know the roots of the blocks that it has not seen. */
function assertKnownRoot(chain: ChainView, tipHeight: number, stateRootHash: string): void {
  if (blockAt(chain, tipHeight).stateRootHash === stateRootHash) return
  for (let height = chain.tip().height; height > tipHeight; height--)
    if (blockAt(chain, height).stateRootHash === stateRootHash) throw new UnknownRootError(stateRootHash)
}

/** How far back a lie looks for another value. */
const MAX_BLOCKS_BACK = 64

/**
 * What a node that lies says is stored: an older value with its own proof, or where there is none, one that differs in
 * its last byte with a proof that holds it. Null where there is nothing, which is no lie.
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

/** The block at a height that the chain has. */
function blockAt(chain: ChainView, height: number): ChainBlock {
  return chain.getBlock({ height }) ?? chain.tip()
}
