import type { ChainBlock, ChainView } from '../chain/chainView.ts'

/** The block at a height that the chain has. */
export function blockAt(chain: ChainView, height: number): ChainBlock {
  return chain.getBlock({ height }) ?? chain.tip()
}
