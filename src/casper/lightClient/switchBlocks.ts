import type { AbortSignalLike } from '../../async/webTypes.ts'
import { checkFinality, type ValidatorWeights, validatorWeights } from '../consensus/finality.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import type { BlockHeader } from '../types/blockHeader.ts'
import { getBlock } from './getBlock.ts'
import { VerificationError } from './verificationError.ts'

/** The parts of an era's last block that the next era needs. */
export interface SwitchBlock {
  hash: string
  eraId: number
  height: number
  /** Weights of the following era. */
  weights: ValidatorWeights
}

/** Returns a block as a switch block. @throws {VerificationError} if it is not one. */
export function asSwitchBlock({ hash, header }: Pick<Block, 'hash' | 'header'>): SwitchBlock {
  const { eraEnd, eraId, height } = header
  if (eraEnd === null) throw new VerificationError('switch block', `block ${hash} does not end an era`)
  return { hash, eraId, height, weights: validatorWeights(eraEnd.nextEraValidatorWeights) }
}

/** @throws {VerificationError} unless the switch block ends the era before the header's, and the header names it. */
export function assertNamed(
  { hash, eraId }: SwitchBlock,
  header: Pick<BlockHeader, 'eraId' | 'lastSwitchBlockHash'>,
): void {
  if (hash !== header.lastSwitchBlockHash || eraId !== header.eraId - 1)
    throw new VerificationError('switch block', `era ${header.eraId} is not the one after it`)
}

export type DecodeBlock<B extends Block> = (json: unknown) => B

/** Fetches the block with a hash, skipping nodes that serve another. */
export function getBlockByHash<B extends Block>(
  rpc: Rpc,
  hash: string,
  decode: DecodeBlock<B>,
  signal?: AbortSignalLike,
): Promise<B> {
  return getBlock(rpc, {
    identifier: { Hash: hash },
    signal,
    decode(json) {
      const block = decode(json)
      if (block.hash !== hash) throw new VerificationError('switch block', `it is not the block ${hash}`)
      return block
    },
  })
}

export interface SwitchBlockCheck<B extends Block> {
  rpc: Rpc
  chainName: string
  decode: DecodeBlock<B>
}

/**
 * Returns the block with signatures of more than two thirds of the weight that the previous switch block sets. If they
 * do not suffice, asks other nodes: signatures are not part of the block, so a node may leave some out.
 *
 * @throws {AllNodesFailedError} with a {@link VerificationError} for each node, if no node has enough signatures.
 */
export async function verifySwitchBlock<B extends Block>(
  block: B,
  before: SwitchBlock,
  { rpc, chainName, decode }: SwitchBlockCheck<B>,
): Promise<B> {
  const isFinal = async (each: B): Promise<boolean> =>
    (await checkFinality(each, before.weights, chainName)).isFinal
  if (await isFinal(block)) return block
  return getBlock(rpc, {
    identifier: { Hash: block.hash },
    async decode(json) {
      const again = decode(json)
      if (again.hash === block.hash && (await isFinal(again))) return again
      throw new VerificationError(
        'finality signatures',
        `two thirds of the weight or less have signed the switch block of era ${block.header.eraId}`,
      )
    },
  })
}

/** Size in memory of a key with a weight or a signature. */
const ENTRY_BYTES = 256

/** Decodes a switch block and drops what its verification does not need. */
export function decodeWaitingBlock(json: unknown): Block {
  return withoutRewards(decodeBlock(json))
}

/** Returns the block without the parts that only its hash needs, which was checked on decoding. */
export function withoutRewards<B extends Block>(block: B): B {
  const { eraEnd } = block.header
  if (eraEnd === null) return block
  const slim = { ...eraEnd, rewards: [], equivocators: [], inactiveValidators: [] }
  return { ...block, header: { ...block.header, eraEnd: slim } }
}

/** Returns such a block's size in memory, in bytes. */
export function waitingBytes({ header, proofs }: Block): number {
  return ENTRY_BYTES * (1 + proofs.length + (header.eraEnd?.nextEraValidatorWeights.length ?? 0))
}
