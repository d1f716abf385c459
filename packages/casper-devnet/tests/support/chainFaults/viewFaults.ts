import { formatKey, normalizeKey } from '@wattfeed/casper/types'
import type { ChainBlock } from '../../../src/chain/chainBlock.ts'
import {
  blockAt,
  type ChainView,
  type KnownTransaction,
  outsideBlocks,
} from '../../../src/chain/chainView.ts'
import { UnknownRootError } from '../../../src/state/stateTrie.ts'
import type { Refusal } from '../../../src/transaction/refusal.ts'
import type { Transaction } from '../../../src/transaction/transaction.ts'
import type { Faults, LieOptions } from './faults.ts'
import { changeLastByte, wrongValue } from './lies.ts'

export type ViewFaults = Pick<Faults, 'lag' | 'lie' | 'stopFinality' | 'withhold' | 'clear'>

interface ActiveFaults {
  lagBlocks: number
  lie: LieOptions | null
  /** Height of the newest block that is shown with all its signatures. */
  lastFinalHeight: number
  /** Withheld transactions by hash; null if the fault is not active. */
  withheld: Map<string, KnownTransaction> | null
}

const noFaults = { lagBlocks: 0, lie: null, lastFinalHeight: Number.POSITIVE_INFINITY, withheld: null }

export function createViewFaults(chain: ChainView): { view: ChainView; faults: ViewFaults } {
  const active: ActiveFaults = { ...noFaults }
  const change = (changes: Partial<ActiveFaults>): void => void Object.assign(active, changes)
  return {
    view: faultyView(chain, active),
    faults: {
      lag: (lagBlocks) => change({ lagBlocks }),
      lie(lie = {}) {
        change({ lie })
      },
      stopFinality: () => change({ lastFinalHeight: chain.tip().height }),
      withhold: () => change({ withheld: active.withheld ?? new Map() }),
      clear: () => change(noFaults),
    },
  }
}

/** Returns a view of the chain that reads `active` at each call. */
function faultyView(chain: ChainView, active: ActiveFaults): ChainView {
  const tipHeight = (): number => Math.max(0, chain.tip().height - active.lagBlocks)
  const show = (block: ChainBlock): ChainBlock =>
    block.height > active.lastFinalHeight ? unfinal(block) : block
  return {
    ...chain,
    put: (transaction) => put(chain, active, transaction),
    tip: () => show(blockAt(chain, tipHeight())),
    getBlock(identifier) {
      const block = chain.getBlock(identifier)
      return block === null || block.height > tipHeight() ? null : show(block)
    },
    latestSwitchBlock: () => show(switchBlockUpTo(chain, tipHeight())),
    read(stateRootHash, key) {
      assertKnownRoot(chain, tipHeight(), stateRootHash)
      return active.lie !== null && concerns(active.lie, key)
        ? wrongValue(chain, stateRootHash, key)
        : chain.read(stateRootHash, key)
    },
    trieElement(hash) {
      const element = chain.trieElement(hash)
      // An element belongs to many keys, so a lie about some keys leaves it as it is.
      const isLie = active.lie !== null && active.lie.keys === undefined
      return isLie && element !== null ? changeLastByte(element) : element
    },
    getTransaction(version, hash) {
      const known = chain.getTransaction(version, hash) ?? active.withheld?.get(hash) ?? null
      if (known === null || known.blockHeight === null || known.blockHeight <= tipHeight()) return known
      return outsideBlocks(known)
    },
  }
}

/** Withholds an acceptable transaction if that fault is active. */
function put(chain: ChainView, { withheld }: ActiveFaults, transaction: Transaction): Refusal | null {
  if (withheld === null) return chain.put(transaction)
  const refusal = chain.check(transaction)
  if (refusal === null) withheld.set(transaction.hash, outsideBlocks(transaction))
  return refusal
}

function switchBlockUpTo(chain: ChainView, height: number): ChainBlock {
  let block = blockAt(chain, height)
  while (!block.isSwitchBlock) block = blockAt(chain, block.height - 1)
  return block
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
