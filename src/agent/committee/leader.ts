import type { MemberState } from './memberState.ts'
import { slotStart } from './slot.ts'

/**
 * Returns the leader of a slot; null if nobody may lead.
 *
 * @param members account hashes of the members whose keys are associated, in any order
 */
export function leaderOf(slot: number, members: readonly string[]): string | null {
  const turns = members.toSorted()
  return turns[slot % turns.length] ?? null
}

/** Returns the leader of a slot by the keys of the account before it; null if nobody may lead. */
export async function findLeader({ chain }: MemberState, slot: number): Promise<string | null> {
  return leaderOf(slot, await chain.listLeaders(slotStart(slot)))
}
