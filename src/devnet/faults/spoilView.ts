import { normalizeKey } from '../../casper/types/key.ts'
import { formatKey } from '../../casper/types/keyKinds.ts'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { UnknownRootError } from '../state/globalState.ts'
import { blockAt } from './blockAt.ts'
import type { Faults, LieOptions } from './faults.ts'
import { wrongValue } from './wrongValue.ts'

/** Faults that lie in what a node answers. */
export type ViewFaults = Pick<Faults, 'lag' | 'lie' | 'stopFinality' | 'clear'>

/** Shows a chain as a node does that lags behind, lies, or lacks signatures. */
export function spoilView(chain: ChainView): { view: ChainView; faults: ViewFaults } {
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
