import type { AccountKeys } from '../accountKeys.ts'
import type { CommitteeMember } from '../member.ts'
import type { Convergence } from './convergence.ts'
import { LOOK_MS } from './memberRoots.ts'

export interface KeepConvergingParts {
  readonly convergence: Pick<Convergence, 'converge'>
  readonly member: Pick<CommitteeMember, 'announceRoots'>
  /** The keys of the newest block; null before the first. */
  readonly keys: () => AccountKeys | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
}

/**
 * Makes the snapshots of datasets equal until the agent stops, and announces them. EIA may take minutes to answer for one dataset: nothing
 * else waits for that.
 */
export async function keepConverging(parts: KeepConvergingParts): Promise<void> {
  const { convergence, member, keys, wait, stop } = parts
  const working = new Set<Promise<void>>()
  while (!stop.aborted) {
    member.announceRoots()
    const known = keys()
    if (known !== null) {
      const work = convergence.converge(known).finally(() => working.delete(work))
      working.add(work)
    }
    await wait(LOOK_MS, stop).catch(() => {})
  }
  await Promise.all(working)
}
