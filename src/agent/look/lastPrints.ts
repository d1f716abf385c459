import type { Reads } from '../../client/reads.ts'
import type { Attestation } from '../../registry/attestation.ts'
import { GAP_LIMIT, type NewestValues } from '../../status/gaps.ts'

/** What the chain holds of a feed beside its newest value. */
export interface Past extends NewestValues {
  /** The last attestation of each period. */
  readonly prints: ReadonlyMap<number, Attestation>
}

/** Reads what the chain last said of periods, and remembers it: a feed's history only grows. */
export interface LastPrints {
  /**
   * Returns the newest values, and the last attestation of each period, at least of those that are asked for as far as
   * {@link maxDepth} newest values hold them. Reads nothing if `latest` is the newest value of the last time.
   *
   * @param latest the feed's newest value at this state root
   */
  read(at: Reads, feedId: string, latest: Attestation, periods: readonly number[]): Promise<Past>
}

interface Known {
  /** The indices that were read: from (included) to (excluded), which was the number of values. */
  readonly from: number
  readonly to: number
  /** The value at the last of them. */
  readonly newest: Attestation
  /** The newest {@link GAP_LIMIT} of them, oldest first. */
  readonly values: readonly Attestation[]
  readonly prints: ReadonlyMap<number, Attestation>
}

/** How many values are read at once. */
const CHUNK = 20

/** How many of the newest values are searched for so many periods: revisions repeat some. */
const maxDepth = (periods: number): number => 5 * periods + GAP_LIMIT

/** Creates a reader that knows nothing yet. */
export function createLastPrints(): LastPrints {
  const known = new Map<string, Known>()
  return {
    async read(at, feedId, latest, periods) {
      let found = known.get(feedId)
      if (found === undefined || !isSameValue(found.newest, latest) || !isEnough(found, periods)) {
        const before = found
        found = await search(at, { feedId, latest, periods, before })
        known.set(feedId, found)
      }
      const { values, prints, to } = found
      return { values, prints, isWhole: values.length === to }
    },
  }
}

interface Search {
  feedId: string
  latest: Attestation
  periods: readonly number[]
  before: Known | undefined
}

async function search(at: Reads, { feedId, latest, periods, before }: Search): Promise<Known> {
  const to = await at.getValueCount(feedId)
  const limit = maxDepth(periods.length)
  const isKept =
    before !== undefined && to - before.to <= limit && (await isStillThere(at, feedId, before, to))
  const added = isKept ? await at.getValueHistory(feedId, { from: before.to, to }) : []
  const prints = new Map([
    ...(isKept ? before.prints : []),
    ...added.map((each) => [each.period, each] as const),
  ])
  const values = [...(isKept ? before.values : []), ...added].slice(-GAP_LIMIT)
  let found: Known = { from: isKept ? before.from : to, to, newest: latest, values, prints }
  while (!isEnough(found, periods)) {
    const from = Math.max(0, found.from - CHUNK, to - limit)
    const older = await at.getValueHistory(feedId, { from, to: found.from })
    const merged = new Map([...older.map((each) => [each.period, each] as const), ...found.prints])
    const values = [...older, ...found.values].slice(-GAP_LIMIT)
    found = { ...found, from, values, prints: merged }
  }
  return found
}

/** Whether there is nothing more to find, or to search. */
function isEnough({ from, to, prints }: Known, periods: readonly number[]): boolean {
  const read = to - from
  if (from === 0 || read >= maxDepth(periods.length)) return true
  return read >= GAP_LIMIT && periods.every((period) => prints.has(period))
}

/** Whether the chain is the one that was read before: a restarted development chain has another history. */
async function isStillThere(at: Reads, feedId: string, before: Known, to: number): Promise<boolean> {
  if (before.to > to) return false
  const value = await at.getValueAt(feedId, before.to - 1)
  return value !== null && isSameValue(value, before.newest)
}

const isSameValue = (a: Attestation, b: Attestation): boolean =>
  a.timestamp === b.timestamp &&
  a.period === b.period &&
  a.amount === b.amount &&
  a.source_hash === b.source_hash
