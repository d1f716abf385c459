import type { Client } from '../../client/createClient.ts'
import type { Reads } from '../../client/reads.ts'
import type { Attestation } from '../../registry/attestation.ts'
import { assertBasis } from '../outbox/checkChain.ts'

/** Reads what the chain last said of periods, and remembers it: a feed's history only grows. */
export interface LastPrints {
  /**
   * Returns the last attestation of each period, at least of those that are asked for as far as {@link maxDepth} newest
   * values hold them. Reads nothing if `latest` is the newest value of the last time.
   *
   * @param latest the newest value that was decided upon
   * @throws {ChainMovedError} if the chain holds another one by now.
   */
  read(
    feedId: string,
    latest: Attestation,
    periods: readonly number[],
  ): Promise<ReadonlyMap<number, Attestation>>
}

interface Known {
  /** The indices that were read: from (included) to (excluded), which was the number of values. */
  readonly from: number
  readonly to: number
  /** The value at the last of them. */
  readonly newest: Attestation
  readonly prints: ReadonlyMap<number, Attestation>
}

/** How many values are read at once. */
const CHUNK = 20

/** How many of the newest values are searched for so many periods: revisions repeat some. */
const maxDepth = (periods: number): number => 5 * periods + 50

/** Creates a reader that knows nothing yet. */
export function createLastPrints(client: Pick<Client, 'withSnapshot'>): LastPrints {
  const known = new Map<string, Known>()
  return {
    async read(feedId, latest, periods) {
      let found = known.get(feedId)
      if (found === undefined || !isSameValue(found.newest, latest) || !isEnough(found, periods)) {
        const before = found
        found = await client.withSnapshot((at) => search(at, { feedId, latest, periods, before }))
        known.set(feedId, found)
      }
      return found.prints
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
  const [to, newest] = await Promise.all([at.getValueCount(feedId), at.getValue(feedId)])
  assertBasis(feedId, { basedOn: latest }, newest)
  const limit = maxDepth(periods.length)
  const isKept =
    before !== undefined && to - before.to <= limit && (await isStillThere(at, feedId, before, to))
  const added = isKept ? await at.getValueHistory(feedId, { from: before.to, to }) : []
  const prints = new Map([
    ...(isKept ? before.prints : []),
    ...added.map((each) => [each.period, each] as const),
  ])
  let found: Known = { from: isKept ? before.from : to, to, newest: latest, prints }
  while (!isEnough(found, periods)) {
    const from = Math.max(0, found.from - CHUNK, to - limit)
    const older = await at.getValueHistory(feedId, { from, to: found.from })
    const merged = new Map([...older.map((each) => [each.period, each] as const), ...found.prints])
    found = { ...found, from, prints: merged }
  }
  return found
}

/** Whether there is nothing more to find, or to search. */
function isEnough({ from, to, prints }: Known, periods: readonly number[]): boolean {
  return from === 0 || to - from >= maxDepth(periods.length) || periods.every((period) => prints.has(period))
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
