import type { Rpc } from '../rpc/rpc.ts'
import { decodeBlock } from '../types/block.ts'
import type { BlockHeader } from '../types/blockHeader.ts'
import { getBlock, getBlockAt } from './getBlock.ts'

/** A block's place, time and state. */
export type BlockPlace = Pick<BlockHeader, 'height' | 'timestamp' | 'stateRootHash'>

/** Reads a block's header. @param height null for the newest block */
export const readBlockPlace = (rpc: Rpc, height: number | null): Promise<BlockPlace> =>
  height === null
    ? getBlock(rpc, { identifier: null, decode: decodeHeader })
    : getBlockAt(rpc, height, { decode: decodeHeader })

const decodeHeader = (json: unknown): BlockHeader => decodeBlock(json).header
