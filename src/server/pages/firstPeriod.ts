import type { Snapshot } from 'wattfeed'

/**
 * The known first periods of feeds, which never change. By `EventLogs.chain`: an object that stays the same until the chain is
 * replaced.
 */
const firstPeriods = new WeakMap<object, Map<string, number>>()

/**
 * Returns the period of the first value of a feed; null if that value cannot be read.
 *
 * @throws the errors of `at.logs()`, which tells the chain, and reads every feed if none are cached
 */
export async function readFirstPeriod(at: Snapshot, feedId: string): Promise<number | null> {
  const { chain } = await at.logs()
  const periods = firstPeriods.get(chain) ?? new Map<string, number>()
  firstPeriods.set(chain, periods)
  const found = periods.get(feedId)
  if (found !== undefined) return found
  // The period is one of several facts, so a failure is not an error here.
  const first = await at.getValueAt(feedId, 0).catch(() => null)
  if (first === null) return null
  periods.set(feedId, first.period)
  return first.period
}
