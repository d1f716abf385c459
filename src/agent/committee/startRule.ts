import type { ViewedBlock } from '../plan/plan.ts'
import { type Refusal, refuse } from './refusal.ts'
import { LIFETIME_MS } from './slot.ts'

export interface StartRule {
  /** Returns why the member must not sign on the basis of this block; null if it may. */
  check(block: Pick<ViewedBlock, 'height' | 'time'>): Refusal | null
}

/**
 * Creates the rule for a member that has just started. Its state folder may be empty or restored from a backup, so it may
 * have forgotten approvals. All of them have timestamps before the start, and therefore expire within one lifetime.
 *
 * The member signs when its node shows a block after that, and only at the roots of that block and later ones.
 * A lagging node may first show an old block. Therefore the lifetime begins at the later of that block and the machine's
 * clock.
 *
 * @param now the machine's clock, in epoch milliseconds
 * @param isFreshChain whether the chain has just been created, so that nothing was approved before
 */
export function createStartRule(now: () => number, isFreshChain = false): StartRule {
  let readyAt = isFreshChain ? 0 : null
  let floor: number | null = null
  return {
    check({ height, time }) {
      readyAt ??= Math.max(time, now()) + LIFETIME_MS
      if (floor === null && time >= readyAt) floor = height
      if (floor === null)
        return refuse('stale_node', `this member has just started, and signs from ${formatTime(readyAt)} on`)
      if (height < floor)
        return refuse('stale_node', `this member's node shows block ${height} before ${floor}`)
      if (now() - time > LIFETIME_MS / 2)
        return refuse('stale_node', `the newest block of this member's node is of ${formatTime(time)}`)
      return null
    },
  }
}

const formatTime = (time: number): string => new Date(time).toISOString()
