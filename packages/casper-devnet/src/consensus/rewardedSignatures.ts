import type { Block } from '@wattfeed/casper/types'

/**
 * Returns a block's `rewarded_signatures`: for each previous block, newest first, a bit for each validator. Only the
 * parent's signatures are rewarded, because the parent has already rewarded those of older blocks.
 *
 * @param maxDelay maximum delay of a reward in blocks. This chain always rewards in the next block.
 */
export function rewardedSignatures(
  parent: Block | null,
  publicKeys: readonly string[],
  maxDelay: number,
): number[][] {
  if (parent === null) return []
  const bits = new Uint8Array(Math.ceil(publicKeys.length / 8))
  const signers = new Set(parent.proofs.map(({ publicKey }) => publicKey))
  for (const [index, publicKey] of publicKeys.entries())
    if (signers.has(publicKey)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (128 >> (index % 8))
  const older = Math.min(parent.header.height, maxDelay - 1)
  return [[...bits], ...Array.from({ length: older }, () => Array<number>(bits.length).fill(0))]
}
