import { DecodeError } from '@wattfeed/base'

/** Height and time of a block. The time is in epoch milliseconds. */
export interface BlockPoint {
  readonly height: number
  readonly timestamp: number
}

/** Maximum number of blocks that a search fetches. It suffices for 8 million blocks. */
export const MAX_FETCHES = 40

/** Time between blocks on public networks. Only the first guess depends on it. */
const USUAL_BLOCK_MS = 8_000

/** Precedes every block. */
const BEFORE_ALL: BlockPoint = { height: -1, timestamp: Number.NEGATIVE_INFINITY }

/** Number of guesses by interpolation before the search bisects. Outages make interpolation slow. */
const MAX_GUESSES = 8

/**
 * Finds the block with a timestamp.
 *
 * @param fetch returns the block at a height
 * @returns null if no block has the timestamp.
 * @throws {DecodeError} if the timestamps of the blocks do not grow with their height.
 */
export async function findBlockAt<Block extends BlockPoint>(
  timestamp: number,
  newest: Block,
  fetch: (height: number) => Promise<Block>,
): Promise<Block | null> {
  const block = await findBlockUntil(timestamp, newest, fetch)
  return block?.timestamp === timestamp ? block : null
}

/**
 * Finds the newest block that is not after a time. It first goes back from the newest block in growing steps until it is before
 * that time, and then guesses by interpolation.
 *
 * @param fetch returns the block at a height
 * @returns null if all blocks are after the time.
 * @throws {DecodeError} if the timestamps of the blocks do not grow with their height.
 */
export async function findBlockUntil<Block extends BlockPoint>(
  timestamp: number,
  newest: Block,
  fetch: (height: number) => Promise<Block>,
): Promise<Block | null> {
  let fetches = 0
  const fetchBetween = async (height: number, low: BlockPoint, high: BlockPoint): Promise<Block> => {
    fetches += 1
    const block = await fetch(height)
    const isOrdered = block.timestamp > low.timestamp && block.timestamp < high.timestamp
    if (block.height !== height || !isOrdered || fetches > MAX_FETCHES)
      throw new DecodeError('block', `block ${height} has the wrong height, or its time is out of order`)
    return block
  }

  if (timestamp >= newest.timestamp) return newest
  let high = newest
  let low: Block | null = null
  let step = Math.ceil((newest.timestamp - timestamp) / USUAL_BLOCK_MS) + 1
  while (low === null) {
    if (high.height === 0) return null
    const block = await fetchBetween(Math.max(0, high.height - step), BEFORE_ALL, high)
    if (block.timestamp === timestamp) return block
    if (block.timestamp > timestamp) high = block
    else low = block
    step *= 2
  }
  for (let guesses = 0; high.height - low.height > 1; guesses++) {
    const height = guesses < MAX_GUESSES ? interpolate(timestamp, low, high) : middle(low, high)
    const block = await fetchBetween(height, low, high)
    if (block.timestamp === timestamp) return block
    if (block.timestamp > timestamp) high = block
    else low = block
  }
  return low
}

const middle = (low: BlockPoint, high: BlockPoint): number => Math.floor((low.height + high.height) / 2)

function interpolate(timestamp: number, low: BlockPoint, high: BlockPoint): number {
  const part = (timestamp - low.timestamp) / (high.timestamp - low.timestamp)
  const height = Math.round(low.height + part * (high.height - low.height))
  return Math.min(Math.max(height, low.height + 1), high.height - 1)
}
