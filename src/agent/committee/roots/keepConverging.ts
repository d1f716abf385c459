import type { AccountKeys } from '../accountKeys.ts'
import type { Peers } from '../memberState.ts'
import { announce } from './announce.ts'
import type { Convergence } from './convergence.ts'
import { LOOK_MS, type MemberRoots } from './memberRoots.ts'

export interface KeepConvergingParts {
  readonly convergence: Pick<Convergence, 'converge'>
  readonly roots: Pick<MemberRoots, 'list' | 'find' | 'own'>
  readonly peers: Pick<Peers, 'members' | 'announce'>
  /** The keys of the newest block; null before the first. */
  readonly keys: () => AccountKeys | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
}

/**
 * Makes the snapshots of datasets equal until the agent stops, and announces them at each look, because messages get lost and members
 * restart. EIA may take minutes to answer for one dataset: nothing else waits for that.
 */
export async function keepConverging(parts: KeepConvergingParts): Promise<void> {
  const { convergence, roots, keys, wait, stop } = parts
  const working = new Set<Promise<void>>()
  while (!stop.aborted) {
    for (const { feed_id } of roots.list()) announce(feed_id, parts)
    const known = keys()
    if (known !== null) {
      const work = convergence.converge(known).finally(() => working.delete(work))
      working.add(work)
    }
    await wait(LOOK_MS, stop).catch(() => {})
  }
  await Promise.all(working)
}
