import { cacheRead } from '@wattfeed/base'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Block } from '../types/block.ts'
import type { BlockHeader } from '../types/blockHeader.ts'
import { hash as hashOf, integer, nullable, record } from '../types/jsonField.ts'
import { getBlock } from './getBlock.ts'
import { type DecodeBlock, getBlockByHash, type SwitchBlock } from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'

/** A block whose header names the last switch block of a stretch. */
export type StretchEnd = Pick<BlockHeader, 'eraId' | 'height' | 'lastSwitchBlockHash'>

export interface Fetching<B extends Block> {
  rpc: Rpc
  decode: DecodeBlock<B>
  /** Returns the size of a block in memory, in bytes. */
  sizeOf: (block: B) => number
}

/** Maximum number of parallel walks back. */
const MAX_WALKS = 16

/** Minimum number of eras for parallel walks. */
const MIN_ERAS = 8

/** Memory limit for the blocks of a stretch, which wait for verification. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Fetches the switch blocks after `from` up to the one named by `to`, oldest first. Their hashes link them, but their
 * signatures are not verified yet.
 *
 * @throws {VerificationError} when an era is missing, the chain does not lead to `from`, or the blocks are too large.
 */
export async function fetchStretch<B extends Block>(
  from: SwitchBlock,
  to: StretchEnd,
  { rpc, decode, sizeOf }: Fetching<B>,
): Promise<B[]> {
  const fetched = new Map<string, Promise<B>>()
  let bytes = 0

  // `listBack` fetches a block again if the prefetch failed.
  const get = (hash: string): Promise<B> => cacheRead(fetched, hash, () => fetch(hash))

  async function fetch(hash: string): Promise<B> {
    const block = await getBlockByHash(rpc, hash, decode)
    bytes += sizeOf(block)
    if (bytes > MAX_BYTES)
      throw new VerificationError(
        'switch block',
        `the switch blocks after era ${from.eraId} exceed ${MAX_BYTES} bytes`,
      )
    return block
  }

  /** Fetches blocks ahead of `listBack`, which checks them and fetches missing ones. */
  async function prefetch(end: StretchEnd, downTo: number): Promise<void> {
    let { eraId, lastSwitchBlockHash: hash } = end
    // Stops unless eras decrease, so that no node can keep the loop busy.
    while (hash !== null && hash !== from.hash && eraId > from.eraId && !fetched.has(hash)) {
      const { header } = await get(hash)
      if (header.height <= downTo || header.eraId >= eraId) return
      eraId = header.eraId
      hash = header.lastSwitchBlockHash
    }
  }

  const heights = startsOf(from, to)
  await Promise.allSettled(
    heights.map(async (height, index) => {
      const isLast = index === heights.length - 1
      await prefetch(isLast ? to : await getStretchEnd(rpc, height), heights[index - 1] ?? from.height)
    }),
  )
  return listBack(from, to, get)
}

/** Returns the heights at which walks start, lowest first. Heights from nodes are not verified, so they are only hints. */
function startsOf(from: SwitchBlock, to: StretchEnd): number[] {
  const eras = to.eraId - from.eraId
  if (eras < MIN_ERAS) return []
  const walks = Math.min(MAX_WALKS, Math.ceil(eras / 2))
  return Array.from({ length: walks }, (_, index) =>
    Math.floor(from.height + ((to.height - from.height) * (index + 1)) / walks),
  )
}

async function listBack<B extends Block>(
  from: SwitchBlock,
  to: StretchEnd,
  get: (hash: string) => Promise<B>,
): Promise<B[]> {
  const found: B[] = []
  let { eraId, lastSwitchBlockHash: hash } = to
  while (hash !== from.hash) {
    if (hash === null || eraId - 1 <= from.eraId)
      throw new VerificationError('trusted block', 'the chain does not contain it')
    const block = await get(hash)
    if (block.header.eraId !== eraId - 1)
      throw new VerificationError('switch block', `block ${hash} does not end the era before era ${eraId}`)
    found.push(block)
    eraId = block.header.eraId
    hash = block.header.lastSwitchBlockHash
  }
  return found.reverse()
}

/** Returns the header fields that a node reports for the block at a height, without checking them. */
export function getStretchEnd(rpc: Rpc, height: number, except?: Node): Promise<StretchEnd & { node: Node }> {
  return getBlock(rpc, {
    identifier: { Height: height },
    except,
    decode(json, node) {
      const block = record(record(json, 'block_with_signatures').block, 'block')
      const header = record(record(block.Version2 ?? block.Version1, 'block').header, 'header')
      return {
        eraId: integer(header.era_id, 'era_id'),
        height: integer(header.height, 'height'),
        lastSwitchBlockHash: nullable(hashOf)(header.last_switch_block_hash, 'last_switch_block_hash'),
        node,
      }
    },
  })
}
