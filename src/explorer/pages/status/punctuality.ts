import type { StatusBody } from '../../../api/schemas.ts'
import { type FeedState, feedStates, urgency } from '../../data/statuses.ts'

export interface Release extends Pick<StatusBody, 'next_due_at' | 'next_due_on'> {
  cadence: NonNullable<StatusBody['cadence']>
  feedIds: string[]
}

/** Returns future releases, the next one first. Feeds with the same rule and time share a release. */
export function releasesOf(feeds: readonly StatusBody[]): Release[] {
  const releases = new Map<string, Release>()
  for (const { feed_id, next_due_at, next_due_on, cadence } of feeds) {
    if (cadence === null) continue
    const key = `${next_due_at ?? next_due_on} ${cadence.rule}`
    const known = releases.get(key) ?? { next_due_at, next_due_on, cadence, feedIds: [] }
    known.feedIds.push(feed_id)
    releases.set(key, known)
  }
  const momentOf = ({ next_due_at, next_due_on }: Release): number => momentOrDay(next_due_at, next_due_on)
  return [...releases.values()].sort((one, other) => momentOf(one) - momentOf(other))
}

/** Returns a time in epoch milliseconds, or the start of its day if only that is known; 0 if neither is. */
const momentOrDay = (at: number | null, on: string | null): number => at ?? Date.parse(on ?? '1970-01-01')

export function countStates(feeds: readonly Pick<StatusBody, 'state'>[]): ReadonlyMap<FeedState, number> {
  const counts = new Map<FeedState, number>(feedStates.map((state) => [state, 0]))
  for (const { state } of feeds) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

/** Sorts feeds by urgency, then by the age of the release. */
export function byUrgency(feeds: readonly StatusBody[]): readonly StatusBody[] {
  const rank = ({ state }: StatusBody): number => urgency.indexOf(state)
  const dueOf = ({ due_at, due_on }: StatusBody): number => momentOrDay(due_at, due_on)
  return [...feeds].sort((one, other) => rank(one) - rank(other) || dueOf(one) - dueOf(other))
}

/** Returns a rule's name in words: 'natural gas storage'. */
export const ruleWords = (rule: string): string =>
  rule.startsWith('by-frequency-')
    ? `${rule.slice('by-frequency-'.length)} series`
    : rule.replaceAll('-', ' ')
