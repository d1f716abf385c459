import type { Attestation, Reads } from 'wattfeed'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { GAP_LIMIT, MAX_GAP_VALUES, type NewestValues, reachesAllGaps } from '../../feeds/status/gaps.ts'
import { isSameValue } from '../plan/decide.ts'

/** A feed's earlier values on chain. */
export interface Past extends NewestValues {
  readonly prints: ReadonlyMap<number, Attestation>
}

/** What was read of each feed, by id. It stays valid, because a feed's history only grows. */
export type LastPrints = Map<string, Known>

type PrintedFeed = Pick<FeedConfig, 'feed_id' | 'frequency'>

interface Known {
  /** The range of indices that were read: `from` is inclusive, `to` is exclusive and was the number of values. */
  readonly from: number
  readonly to: number
  readonly newest: Attestation
  /** The newest {@link MAX_GAP_VALUES} of them, oldest first. */
  readonly values: readonly Attestation[]
  readonly prints: ReadonlyMap<number, Attestation>
}

/** Number of values that one request reads. Most periods are among the newest of them. */
const CHUNK = 20

/** Maximum number of newest values to search for a number of periods. Revisions repeat periods. */
const maxDepth = (periods: number): number => 5 * periods + GAP_LIMIT

/**
 * Returns enough of the newest values to find the feed's gaps, and the last attestation of each period. It searches the
 * {@link maxDepth} newest values for the requested periods. It reads nothing if `latest` has not changed since the last
 * call.
 *
 * @param latest the feed's newest value at this state root
 */
export async function readLastPrints(
  known: LastPrints,
  at: Reads,
  { feed_id: feedId, frequency }: PrintedFeed,
  latest: Attestation,
  periods: readonly number[],
): Promise<Past> {
  let found = known.get(feedId)
  const sought = { frequency, periods }
  if (found === undefined || !isSame(found.newest, latest) || !isEnough(found, sought)) {
    found = await search(at, { ...sought, feedId, latest, before: found })
    known.set(feedId, found)
  }
  const { values, prints, to } = found
  return { values, prints, isWhole: values.length === to }
}

interface Sought {
  frequency: string
  periods: readonly number[]
}

interface Search extends Sought {
  feedId: string
  latest: Attestation
  before: Known | undefined
}

/** Reads the values that were added since `before`, then earlier ones until they are enough. */
async function search(at: Reads, { feedId, latest, before, ...sought }: Search): Promise<Known> {
  const to = await at.getValueCount(feedId)
  const limit = maxDepth(sought.periods.length)
  const isKept =
    before !== undefined && to - before.to <= limit && (await isStillThere(at, feedId, before, to))
  const added = isKept ? await at.getValueHistory(feedId, { from: before.to, to }) : []
  const prints = new Map([...(isKept ? before.prints : []), ...byPeriod(added)])
  const values = [...(isKept ? before.values : []), ...added].slice(-MAX_GAP_VALUES)
  let found: Known = { from: isKept ? before.from : to, to, newest: latest, values, prints }
  while (!isEnough(found, sought)) {
    const from = Math.max(0, found.from - CHUNK)
    const older = await at.getValueHistory(feedId, { from, to: found.from })
    const values = [...older, ...found.values].slice(-MAX_GAP_VALUES)
    found = { ...found, from, values, prints: new Map([...byPeriod(older), ...found.prints]) }
  }
  return found
}

/** Later values of a period come last, so that a map keeps them. */
const byPeriod = (values: readonly Attestation[]) => values.map((each) => [each.period, each] as const)

/** Returns whether everything is found, or the search limit is reached. */
function isEnough({ from, to, values, prints }: Known, { frequency, periods }: Sought): boolean {
  const isWhole = from === 0
  if (!reachesAllGaps(frequency, { values, isWhole })) return false
  return isWhole || to - from >= maxDepth(periods.length) || periods.every((period) => prints.has(period))
}

/** Returns whether this is still the same chain. A restarted development chain has another history. */
async function isStillThere(at: Reads, feedId: string, before: Known, to: number): Promise<boolean> {
  if (before.to > to) return false
  const value = await at.getValueAt(feedId, before.to - 1)
  return value !== null && isSame(value, before.newest)
}

/** Returns whether this is the same attestation. The same value may be attested again later. */
const isSame = (one: Attestation, other: Attestation): boolean =>
  one.timestamp === other.timestamp && isSameValue(one, other)
