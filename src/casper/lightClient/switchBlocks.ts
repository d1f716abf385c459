import { type Block, decodeBlock } from '../block/block.ts'
import type { BlockHeader } from '../block/blockHeader.ts'
import { checkFinality, type ValidatorWeights, validatorWeights } from '../block/finality.ts'
import { getBlock } from '../block/getBlock.ts'
import type { Rpc } from '../rpc.ts'
import { VerificationError } from './verificationError.ts'

/** The last block of an era, as far as the next era needs it. */
export interface SwitchBlock {
  hash: string
  eraId: number
  height: number
  /** Of the era that follows. */
  weights: ValidatorWeights
}

/** What a block says as a switch block. Throws a {@link VerificationError} where it is none. */
export function asSwitchBlock({ hash, header }: Pick<Block, 'hash' | 'header'>): SwitchBlock {
  const { eraEnd, eraId, height } = header
  if (eraEnd === null) throw new VerificationError('switch block', `block ${hash} does not end an era`)
  return { hash, eraId, height, weights: validatorWeights(eraEnd.nextEraValidatorWeights) }
}

/** More eras than this are not walked at once: some fourteen months, and as much memory as is reasonable. */
const MOST_ERAS = 5_000

/** Makes a block of the JSON that a node served. */
export type DecodeBlock<B extends Block> = (json: unknown) => B

/** Fetches the block with a hash. Its header hashes to it, else the node is passed over. */
export function getBlockByHash<B extends Block>(
  rpc: Rpc,
  hash: string,
  decode: DecodeBlock<B>,
  signal?: AbortSignal,
): Promise<B> {
  return getBlock(rpc, {
    identifier: { Hash: hash },
    signal,
    accept(json) {
      const block = decode(json)
      if (block.hash !== hash) throw new VerificationError('switch block', `it is not the block ${hash}`)
      return block
    },
  })
}

export interface SwitchBlockWalk<B extends Block> {
  rpc: Rpc
  decode: DecodeBlock<B>
  /** The hash of the block to stop before: a switch block. */
  isKnown: (hash: string) => boolean
  /** Where to give up: no block of this era or before may come, unless it is known. */
  oldestEra: number
  /** Blocks that were fetched ahead, by hash. */
  fetched?: ReadonlyMap<string, B>
}

/**
 * The switch blocks between one that is known and a header, oldest first, found by walking
 * `last_switch_block_hash` back. They are linked by their hashes, and not verified yet.
 *
 * Throws a {@link VerificationError} where an era is left out, or the walk passes the known blocks by.
 */
export async function listSwitchBlocks<B extends Block>(
  header: BlockHeader,
  walk: SwitchBlockWalk<B>,
): Promise<B[]> {
  const found: B[] = []
  if (header.eraId - walk.oldestEra > MOST_ERAS)
    throw new VerificationError(
      'trusted block',
      `era ${header.eraId} is more than ${MOST_ERAS} eras after it; trust a newer switch block`,
    )
  let { eraId, lastSwitchBlockHash: hash } = header
  while (hash !== null && !walk.isKnown(hash)) {
    const block = walk.fetched?.get(hash) ?? (await getBlockByHash(walk.rpc, hash, walk.decode))
    if (block.header.eraId !== eraId - 1)
      throw new VerificationError('switch block', `block ${hash} does not end the era before era ${eraId}`)
    if (block.header.eraId <= walk.oldestEra)
      throw new VerificationError('trusted block', 'the chain does not go through it')
    found.push(block)
    eraId = block.header.eraId
    hash = block.header.lastSwitchBlockHash
  }
  if (hash === null) throw new VerificationError('trusted block', 'the chain does not go through it')
  return found.reverse()
}

/**
 * Throws a {@link VerificationError} unless more than two thirds of the weight that the switch block before it
 * decides on has signed a switch block. One whose signatures do not suffice is asked for again elsewhere: they stand
 * beside the block, and a node may leave some out.
 */
export async function verifySwitchBlock(
  rpc: Rpc,
  block: Block,
  { before, chainName }: { before: SwitchBlock; chainName: string },
): Promise<SwitchBlock> {
  const verified = asSwitchBlock(block)
  const { isFinal } = await checkFinality(block, before.weights, chainName)
  if (isFinal) return verified
  return getBlock(rpc, {
    identifier: { Hash: block.hash },
    async accept(json) {
      const again = decodeBlock(json)
      if (again.hash === block.hash && (await checkFinality(again, before.weights, chainName)).isFinal)
        return verified
      throw new VerificationError(
        'finality signatures',
        `two thirds of the weight or less have signed the switch block of era ${block.header.eraId}`,
      )
    },
  })
}
