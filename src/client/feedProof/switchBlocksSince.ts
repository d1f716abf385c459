import type { BlockHeader } from '../../casper/block/blockHeader.ts'
import { decodeServedBlock, type ServedBlock } from '../../casper/block/getBlock.ts'
import { isNoSuchBlock } from '../../casper/block/noSuchBlock.ts'
import { prefetchSwitchBlocks } from '../../casper/lightClient/prefetchSwitchBlocks.ts'
import { getBlockByHash, listSwitchBlocks } from '../../casper/lightClient/switchBlocks.ts'
import type { Rpc } from '../../casper/rpc.ts'
import { InvalidArgumentError } from '../argument.ts'

/** The most eras that one proof goes back: some twelve weeks of a public network. */
const MOST_ERAS = 1_000

/** Blocks never change, and the same ones are asked for again and again. */
const MOST_REMEMBERED = 256

/**
 * Makes what finds the switch blocks from one that a stranger trusts up to the one before a header's era, oldest
 * first, both included; only the last where none is named.
 *
 * Throws an `InvalidArgumentError` where the hash is not that of a switch block before the header, or too old.
 */
export function createSwitchBlocksSince(
  rpc: Rpc,
): (header: BlockHeader, from: string | null) => Promise<ServedBlock[]> {
  const remembered = new Map<string, ServedBlock>()

  function remember(block: ServedBlock): void {
    remembered.set(block.hash, block)
    const [oldest] = remembered.keys()
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  /** Strangers name blocks: only switch blocks are worth remembering. */
  async function find(hash: string): Promise<ServedBlock> {
    const known = remembered.get(hash)
    if (known) return known
    const block = await getBlockByHash(rpc, hash, decodeServedBlock)
    if (block.header.eraEnd !== null) remember(block)
    return block
  }

  async function findTrusted(hash: string, header: BlockHeader): Promise<ServedBlock> {
    const block = await find(hash).catch(throwUnknown)
    const { eraEnd, eraId } = block.header
    if (eraEnd === null || eraId >= header.eraId) throw notATrustedBlock()
    if (header.eraId - eraId > MOST_ERAS)
      throw new InvalidArgumentError('from', `one of the last ${MOST_ERAS} eras, not of era ${eraId}`)
    return block
  }

  return async (header, from) => {
    if (header.lastSwitchBlockHash === null) return []
    if (from === null) return [await find(header.lastSwitchBlockHash)]
    const trusted = await findTrusted(from, header)
    const { eraId, height } = trusted.header
    const fetched = new Map(remembered)
    await prefetchSwitchBlocks(rpc, { eraId, height }, header, decodeServedBlock, fetched)
    const later = await listSwitchBlocks(header, {
      rpc,
      decode: decodeServedBlock,
      isKnown: (hash) => hash === from,
      oldestEra: eraId,
      fetched,
    })
    for (const block of later) remember(block)
    return [trusted, ...later]
  }
}

const notATrustedBlock = (): InvalidArgumentError =>
  new InvalidArgumentError('from', 'the hash of a switch block, the last block of an era that has ended')

/** Where no node knows the block, the hash is wrong, and not the nodes. */
function throwUnknown(error: unknown): never {
  throw isNoSuchBlock(error) ? notATrustedBlock() : error
}
