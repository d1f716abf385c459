import type { Block, BlockHeader } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'

const NO_HASH = '0'.repeat(64)

/** Returns the fields of a block's header that follow from its parent. */
export function linkToParent(
  parent: Block | null,
  seed: Uint8Array,
): Pick<BlockHeader, 'parentHash' | 'height' | 'randomBit' | 'accumulatedSeed' | 'lastSwitchBlockHash'> {
  const parentHash = parent?.hash ?? NO_HASH
  const randomBit = (blake2b(seed, Uint8Array.fromHex(parentHash))[0] ?? 0) > 127
  return {
    parentHash,
    height: parent === null ? 0 : parent.header.height + 1,
    randomBit,
    accumulatedSeed: accumulateSeed(parent?.header.accumulatedSeed ?? NO_HASH, randomBit),
    lastSwitchBlockHash: lastSwitchBlockHash(parent),
  }
}

function accumulateSeed(before: string, randomBit: boolean): string {
  return blake2b(Uint8Array.fromHex(before), Uint8Array.of(randomBit ? 1 : 0)).toHex()
}

/** Returns the hash of the previous era's last block. All blocks of an era refer to it, including its last block. */
function lastSwitchBlockHash(parent: Block | null): string | null {
  if (parent === null) return null
  return parent.header.eraEnd === null ? parent.header.lastSwitchBlockHash : parent.hash
}
