import type { AbortSignalLike } from '@wattfeed/base'
import { checkFinality, type ValidatorWeights, validatorWeights } from '../consensus/finality.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import type { BlockHeader } from '../types/blockHeader.ts'
import { getBlock } from './getBlock.ts'
import { VerificationError } from './verificationError.ts'

/** The last block of an era, with the weights for the next era. */
export interface SwitchBlock {
  hash: string
  eraId: number
  height: number
  weights: ValidatorWeights
}

/** Converts a block to a switch block. @throws {VerificationError} if it does not end an era. */
export function asSwitchBlock({ hash, header }: Pick<Block, 'hash' | 'header'>): SwitchBlock {
  const { eraEnd, eraId, height } = header
  if (eraEnd === null) throw new VerificationError('switch block', `block ${hash} does not end an era`)
  return { hash, eraId, height, weights: validatorWeights(eraEnd.nextEraValidatorWeights) }
}

/** @throws {VerificationError} unless the header names the switch block, and it ends the era before the header's. */
export function assertNamed(
  { hash, eraId }: SwitchBlock,
  header: Pick<BlockHeader, 'eraId' | 'lastSwitchBlockHash'>,
): void {
  if (hash !== header.lastSwitchBlockHash || eraId !== header.eraId - 1)
    throw new VerificationError(
      'switch block',
      `block ${hash} does not end the era before era ${header.eraId}`,
    )
}

/** Decodes a block in a node's JSON. */
export type DecodeBlock<B extends Block> = (json: unknown) => B

/** Fetches the block with a hash. Skips nodes that serve another block. */
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
      if (block.hash !== hash)
        throw new VerificationError('switch block', `expected block ${hash}, got ${block.hash}`)
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
 * Verifies that more than two thirds of the weight set by the previous switch block have signed a block, and returns the
 * block. If the signatures do not suffice, fetches the block from other nodes. A node may omit signatures, because they
 * are not part of the block.
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
        `the switch block of era ${block.header.eraId} is signed by two thirds of the weight or less`,
      )
    },
  })
}

/** Size in memory of a public key with a weight or a signature. */
const ENTRY_BYTES = 256

/** Decodes a switch block and drops the parts that are not needed to verify it. */
export function decodeWaitingBlock(json: unknown): Block {
  return withoutRewards(decodeBlock(json))
}

/** Returns the block without the parts that only its hash covers. The hash is already checked. */
export function withoutRewards<B extends Block>(block: B): B {
  const { eraEnd } = block.header
  if (eraEnd === null) return block
  const slim = { ...eraEnd, rewards: [], equivocators: [], inactiveValidators: [] }
  return { ...block, header: { ...block.header, eraEnd: slim } }
}

/** Returns the size in memory of a block from `decodeWaitingBlock`, in bytes. */
export function waitingBytes({ header, proofs }: Block): number {
  return ENTRY_BYTES * (1 + proofs.length + (header.eraEnd?.nextEraValidatorWeights.length ?? 0))
}
