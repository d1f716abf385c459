import type { Block } from '../../casper/types/block.ts'

/** For how many blocks a signature may wait for its reward; here the next one always has it. */
const MAX_DELAY = 3

/**
 * A block's `rewarded_signatures`: for each of the blocks before, the newest first, one bit for each validator. Who
 * has signed the parent is rewarded; nothing is left to reward of the blocks before that one.
 */
export function rewardedSignatures(parent: Block | null, publicKeys: readonly string[]): number[][] {
  if (parent === null) return []
  const bits = new Uint8Array(Math.ceil(publicKeys.length / 8))
  const signers = new Set(parent.proofs.map(({ publicKey }) => publicKey))
  for (const [index, publicKey] of publicKeys.entries())
    if (signers.has(publicKey)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (128 >> (index % 8))
  const older = Math.min(parent.header.height, MAX_DELAY - 1)
  return [[...bits], ...Array.from({ length: older }, () => Array<number>(bits.length).fill(0))]
}
