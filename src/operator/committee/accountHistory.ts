import { type Committee, committeeOfAccount, isSameCommittee } from '../../agent/committee/committee.ts'
import { getBlock } from '../../casper/lightClient/getBlock.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getAccountAt } from '../../casper/transaction/account.ts'
import { decodeBlock } from '../../casper/types/block.ts'
import type { BlockHeader } from '../../casper/types/blockHeader.ts'

/** A block's place, time and state. */
export type BlockPlace = Pick<BlockHeader, 'height' | 'timestamp' | 'stateRootHash'>

/** Reads a block's header. @param height null for the newest block */
export const readBlockPlace = (rpc: Rpc, height: number | null): Promise<BlockPlace> =>
  getBlock(rpc, {
    identifier: height === null ? null : { Height: height },
    decode: (json) => decodeBlock(json).header,
  })

/** The keys of an account before its last change, and when that was. */
export interface EarlierCommittee {
  committee: Committee
  /** Time of the change's block, in epoch milliseconds. */
  changedAt: number
}

/**
 * Returns the keys that an account had at a time, if they have changed since; null if they have not. A change and its
 * reversal since then are not noticed.
 *
 * @param accountHash `account-hash-…`
 * @param newest a block with the account's keys of now
 * @param time in epoch milliseconds
 */
export async function readEarlierCommittee(
  rpc: Rpc,
  accountHash: string,
  { newest, time }: { newest: BlockPlace; time: number },
): Promise<EarlierCommittee | null> {
  const readAt = async ({ stateRootHash }: BlockPlace): Promise<Committee | null> => {
    const account = await getAccountAt(rpc, accountHash, stateRootHash)
    return account && committeeOfAccount(account)
  }
  const earlier = await findBlockAt(rpc, newest, time)
  const [before, now] = await Promise.all([readAt(earlier), readAt(newest)])
  if (before === null || now === null || isSameCommittee(before, now)) return null
  const changed = await findFirst(rpc, earlier, newest, async (block) => {
    const committee = await readAt(block)
    return committee !== null && isSameCommittee(committee, now)
  })
  return { committee: before, changedAt: changed.timestamp }
}

/** Finds the newest block that is not after a time, or else the first block of the chain. */
async function findBlockAt(rpc: Rpc, newest: BlockPlace, time: number): Promise<BlockPlace> {
  let after = newest
  let before = newest
  for (let distance = 1; before.timestamp > time && before.height > 0; distance *= 2) {
    after = before
    before = await readBlockPlace(rpc, Math.max(0, before.height - distance))
  }
  if (before.timestamp > time || before === newest) return before
  const first = await findFirst(rpc, before, after, async ({ timestamp }) => timestamp > time)
  return readBlockPlace(rpc, first.height - 1)
}

/** Finds the first block that has a property, which its successors have, too. The block `without` has not, `having` has. */
async function findFirst(
  rpc: Rpc,
  without: BlockPlace,
  having: BlockPlace,
  hasProperty: (block: BlockPlace) => Promise<boolean>,
): Promise<BlockPlace> {
  let [low, found] = [without.height, having]
  while (found.height - low > 1) {
    const middle = await readBlockPlace(rpc, Math.floor((low + found.height) / 2))
    if (await hasProperty(middle)) found = middle
    else low = middle.height
  }
  return found
}
