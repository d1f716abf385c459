import type { StatusBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { pollAnswer } from './resource.ts'

export type FeedState = StatusBody['state']

/** All states, in the order of the page's buttons. */
export const feedStates: readonly FeedState[] = ['current', 'due', 'late', 'stale', 'unknown']

/** All states, the most urgent first. */
export const urgency: readonly FeedState[] = ['stale', 'late', 'due', 'current', 'unknown']

const RELOAD_MS = 30_000

/** Every feed against EIA's calendar. */
export const statuses = pollAnswer('/v1/status', shapeOf('statusesBody'), RELOAD_MS)

export function countStates(feeds: readonly Pick<StatusBody, 'state'>[]): ReadonlyMap<FeedState, number> {
  const counts = new Map<FeedState, number>(feedStates.map((state) => [state, 0]))
  for (const { state } of feeds) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

/** Sorts feeds by urgency, then by the time of the release, the earliest first. */
export function sortByUrgency(feeds: readonly StatusBody[]): readonly StatusBody[] {
  const rank = ({ state }: StatusBody): number => urgency.indexOf(state)
  const dueOf = ({ due_at, due_on }: StatusBody): number => momentOrDay(due_at, due_on)
  return feeds.toSorted((one, other) => rank(one) - rank(other) || dueOf(one) - dueOf(other))
}

/** Returns a time in epoch milliseconds, or the start of its day if only that is known; 0 if neither is. */
export const momentOrDay = (at: number | null, on: string | null): number =>
  at ?? Date.parse(on ?? '1970-01-01')
