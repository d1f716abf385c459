import type { Rpc } from '../rpc/rpc.ts'
import { decodeBlock } from '../types/block.ts'
import type { BlockHeader } from '../types/blockHeader.ts'
import { getBlock } from './getBlock.ts'

/** A block's place, time and state. */
export type BlockPlace = Pick<BlockHeader, 'height' | 'timestamp' | 'stateRootHash'>

/** Reads a block's header. @param height null for the newest block */
export const readBlockPlace = (rpc: Rpc, height: number | null): Promise<BlockPlace> =>
  getBlock(rpc, {
    identifier: height === null ? null : { Height: height },
    decode: (json) => decodeBlock(json).header,
  })
