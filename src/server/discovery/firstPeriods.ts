import type { Snapshot } from '../../client/index.ts'

/** Returns the period of the first value of a feed; null if it cannot be read. */
export type FirstPeriodOf = (at: Snapshot, feedId: string) => Promise<number | null>

/** Creates a cache of first values. They never change, so each is read once per chain. */
export function createFirstPeriods(): FirstPeriodOf {
  const known = new WeakMap<object, Map<string, number>>()
  return async (at, feedId) => {
    const { chain } = await at.logs()
    const periods = known.get(chain) ?? new Map<string, number>()
    known.set(chain, periods)
    const found = periods.get(feedId)
    if (found !== undefined) return found
    // The period is one of several facts, so a failure is not an error here.
    const first = await at.getValueAt(feedId, 0).catch(() => null)
    if (first === null) return null
    periods.set(feedId, first.period)
    return first.period
  }
}
