import { type Block, decodeBlock } from '../block/block.ts'
import type { BlockHeader } from '../block/blockHeader.ts'
import { getBlock } from '../block/getBlock.ts'
import type { Rpc } from '../rpc.ts'
import { type DecodeBlock, getBlockByHash, type SwitchBlock } from './switchBlocks.ts'

/** How many walks back go on at once. */
const WALKS = 16

/** Fewer eras are quickly walked one after another. */
const FEWEST_ERAS = 8

/**
 * Fetches the switch blocks between two blocks ahead of the walk that checks them, by several walks at once: each
 * begins at a height of its own, and ends where the next one began. What a node says of heights need not be true;
 * only blocks are kept whose hashes others name. What `fetched` holds already is not fetched again.
 */
export async function prefetchSwitchBlocks<B extends Block>(
  rpc: Rpc,
  from: Pick<SwitchBlock, 'eraId' | 'height'>,
  to: BlockHeader,
  decode: DecodeBlock<B>,
  fetched: Map<string, B> = new Map(),
): Promise<ReadonlyMap<string, B>> {
  if (to.eraId - from.eraId < FEWEST_ERAS) return fetched
  const span = to.height - from.height
  const heights = Array.from({ length: WALKS + 1 }, (_, index) =>
    Math.floor(from.height + (span * index) / WALKS),
  )
  const walks = heights.slice(1).map(async (height, index) => {
    const start = index === WALKS - 1 ? to : await getHeaderAt(rpc, height)
    await walkBack(rpc, start, { downTo: heights[index] ?? from.height, fetched, decode })
  })
  // What is missing is fetched by the walk that checks.
  await Promise.allSettled(walks)
  return fetched
}

interface Walk<B extends Block> {
  downTo: number
  fetched: Map<string, B>
  decode: DecodeBlock<B>
}

async function walkBack<B extends Block>(
  rpc: Rpc,
  start: BlockHeader,
  { downTo, fetched, decode }: Walk<B>,
): Promise<void> {
  let { eraId, lastSwitchBlockHash: hash } = start
  // Eras are counted down, so that no node can keep it busy.
  while (hash !== null && eraId > 0 && !fetched.has(hash)) {
    const block = await getBlockByHash(rpc, hash, decode)
    fetched.set(hash, block)
    if (block.header.height <= downTo || block.header.eraId >= eraId) return
    eraId = block.header.eraId
    hash = block.header.lastSwitchBlockHash
  }
}

function getHeaderAt(rpc: Rpc, height: number): Promise<BlockHeader> {
  return getBlock(rpc, {
    identifier: { Height: height },
    accept: (json) => decodeBlock(json).header,
  })
}
