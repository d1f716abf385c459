import { PAST_AFTER_MS, type Rpc } from '@wattfeed/casper'
import { type BlockPlace, findBlockUntil, readBlockPlace } from '@wattfeed/casper/light-client'
import { getAccountAt } from '@wattfeed/casper/transaction'
import pLimit from 'p-limit'
import { type Committee, committeeOfAccount, isSameCommittee } from '../../committee/committee.ts'

export interface EarlierCommittee {
  committee: Committee
  /** Time of the block that replaced them, in epoch milliseconds. */
  replacedAt: number
}

/**
 * Lists the keys that an account has had since a time and no longer has, the oldest first. It reads each block, because a later
 * change may undo an earlier one.
 *
 * @param accountHash `account-hash-…`
 * @param newest a block with the account's keys of now
 * @param time in epoch milliseconds
 * @throws {AllNodesFailedError} with a {@link StateNotKeptError} when nodes do not keep the state of each of these blocks.
 */
export async function listEarlierCommittees(
  rpc: Rpc,
  accountHash: string,
  { newest, time }: { newest: BlockPlace; time: number },
): Promise<EarlierCommittee[]> {
  const blockAt = (height: number) => readBlockPlace(rpc, height)
  const oldest = (await findBlockUntil(time, newest, blockAt)) ?? (await blockAt(0))
  const heights = Array.from(
    { length: newest.height - oldest.height + 1 },
    (_, index) => oldest.height + index,
  )
  const limit = pLimit(BLOCKS_AT_ONCE)
  const states = await limit.map(heights, async (height) => {
    const { timestamp, stateRootHash } = await blockAt(height)
    const isPast = (): boolean => newest.timestamp - timestamp >= PAST_AFTER_MS
    const account = await getAccountAt(rpc, accountHash, stateRootHash, isPast)
    return { timestamp, committee: account && committeeOfAccount(account) }
  })
  return states.flatMap(({ committee }, index) => {
    const next = states[index + 1]
    if (committee === null || !next?.committee || isSameCommittee(committee, next.committee)) return []
    return [{ committee, replacedAt: next.timestamp }]
  })
}

const BLOCKS_AT_ONCE = 8
