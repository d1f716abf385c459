import type { Snapshot } from '../../library/client/index.ts'

/** The known first periods of feeds, by chain: they never change. */
const firstPeriods = new WeakMap<object, Map<string, number>>()

/** Returns the period of the first value of a feed; null if that value cannot be read. @throws the errors of `logs` */
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
