import type { ViewedBlock } from '../plan/plan.ts'
import { type Refusal, refuse } from './refusal.ts'
import { LIFETIME_MS } from './slot.ts'

/**
 * The rule for a member that has just started. Its state folder may be empty or restored from a backup, so it may have
 * forgotten approvals. All of them have timestamps before the start, and therefore expire within one lifetime.
 *
 * The member signs when its node shows a block after that, and only at the roots of that block and later ones.
 * A lagging node may first show an old block. Therefore the lifetime begins at the later of that block and the machine's
 * clock.
 */
export class StartRule {
  /** Why the member must not sign on the basis of the last block that was checked; null if it may. */
  lastRefusal: string | null = null
  readonly #now: () => number
  #readyAt: number | null
  #floor: number | null = null

  /**
   * @param now the machine's clock, in epoch milliseconds
   * @param isFreshChain whether the chain has just been created, so that nothing was approved before
   */
  constructor(now: () => number, isFreshChain = false) {
    this.#now = now
    this.#readyAt = isFreshChain ? 0 : null
  }

  /** Returns why the member must not sign on the basis of this block; null if it may. */
  check(block: Pick<ViewedBlock, 'height' | 'time'>): Refusal | null {
    this.lastRefusal = this.#reasonOf(block)
    return this.lastRefusal === null ? null : refuse('stale_node', this.lastRefusal)
  }

  #reasonOf({ height, time }: Pick<ViewedBlock, 'height' | 'time'>): string | null {
    const now = this.#now
    this.#readyAt ??= Math.max(time, now()) + LIFETIME_MS
    if (this.#floor === null && time >= this.#readyAt) this.#floor = height
    if (this.#floor === null)
      return `this member has just started, and signs from ${formatTime(this.#readyAt)} on`
    if (height < this.#floor) return `this member's node shows block ${height} before ${this.#floor}`
    if (now() - time > LIFETIME_MS / 2)
      return `the newest block of this member's node is of ${formatTime(time)}`
    return null
  }
}

const formatTime = (time: number): string => new Date(time).toISOString()
