import { type FeedState, feedStates } from '../../data/statuses.ts'

/** What the server tells of a feed against EIA's calendar, as far as this page shows it. */
export interface Punctuality {
  feed_id: string
  frequency: string
  period: number
  attested_at: number
  /** Which rule counts, and who says so; null where none does. */
  cadence: { rule: string; basis: string } | null
  expected_period: number | null
  /** When the newest release was that has passed, in epoch milliseconds. */
  due_at: number | null
  next_due_at: number | null
  state: FeedState
}

/** A release to come, and the feeds that it is of. */
export interface Release {
  at: number
  rule: string
  feedIds: string[]
}

/** The releases to come, the next one first; feeds of one rule and moment share one. */
export function releasesOf(feeds: readonly Punctuality[]): Release[] {
  const releases = new Map<string, Release>()
  for (const { feed_id, next_due_at: at, cadence } of feeds) {
    if (at === null || cadence === null) continue
    const key = `${at} ${cadence.rule}`
    const known = releases.get(key) ?? { at, rule: cadence.rule, feedIds: [] }
    known.feedIds.push(feed_id)
    releases.set(key, known)
  }
  return [...releases.values()].sort((one, other) => one.at - other.at)
}

/** How many feeds there are in each state. */
export function countStates(feeds: readonly Punctuality[]): ReadonlyMap<FeedState, number> {
  const counts = new Map(feedStates.map((state) => [state, 0]))
  for (const { state } of feeds) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

const urgency: readonly FeedState[] = ['stale', 'late', 'due', 'unknown', 'current']

/** The feeds by how much they need attention; of one state, that first whose release has passed for longest. */
export function byUrgency(feeds: readonly Punctuality[]): readonly Punctuality[] {
  const rank = ({ state }: Punctuality): number => urgency.indexOf(state)
  return [...feeds].sort((one, other) => rank(one) - rank(other) || (one.due_at ?? 0) - (other.due_at ?? 0))
}

/** A rule's name in words: 'natural gas storage'. */
export const ruleWords = (rule: string): string =>
  rule.startsWith('by-frequency-')
    ? `assumed for ${rule.slice('by-frequency-'.length)} series`
    : rule.replaceAll('-', ' ')
