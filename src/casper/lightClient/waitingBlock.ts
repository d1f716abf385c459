import { type Block, decodeBlock } from '../types/block.ts'

/** What a key with a weight, or with a signature, takes in memory. */
const ENTRY_BYTES = 256

/** Decodes a switch block that waits to be verified, and leaves out what that does not need. */
export function decodeWaitingBlock(json: unknown): Block {
  return withoutRewards(decodeBlock(json))
}

/** The block without what only its hash covers, which was checked when it was decoded. */
export function withoutRewards<B extends Block>(block: B): B {
  const { eraEnd } = block.header
  if (eraEnd === null) return block
  const slim = { ...eraEnd, rewards: [], equivocators: [], inactiveValidators: [] }
  return { ...block, header: { ...block.header, eraEnd: slim } }
}

/** How much memory such a block takes, in bytes. */
export function waitingBytes({ header, proofs }: Block): number {
  return ENTRY_BYTES * (1 + proofs.length + (header.eraEnd?.nextEraValidatorWeights.length ?? 0))
}
