import type { AccountKeys } from '../accountKeys.ts'
import type { Converger } from './converge.ts'
import { LOOK_MS } from './memberRoots.ts'

export interface KeepConvergingParts {
  readonly converger: Pick<Converger, 'converge'>
  /** The keys of the newest block; null before the first. */
  readonly keys: () => AccountKeys | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
}

/**
 * Makes the snapshots of datasets equal until the agent stops. EIA may take minutes to answer for one dataset: the others do not wait
 * for that.
 */
export async function keepConverging({ converger, keys, wait, stop }: KeepConvergingParts): Promise<void> {
  const working = new Set<Promise<void>>()
  while (!stop.aborted) {
    const known = keys()
    if (known !== null) {
      const work = converger.converge(known).finally(() => working.delete(work))
      working.add(work)
    }
    await wait(LOOK_MS, stop).catch(() => {})
  }
  await Promise.all(working)
}
