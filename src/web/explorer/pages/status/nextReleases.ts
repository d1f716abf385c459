import type { StatusBody } from '../../../../api/schemas.ts'
import { momentOrDay } from '../../data/statuses.ts'
import { formatDuration } from '../../format/moment.ts'

const DAY_MS = 86_400_000

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

/** Formats the time until a release: 'in 3 h', 'tomorrow'. */
export function untilRelease(
  { next_due_at: at, next_due_on: on }: Pick<Release, 'next_due_at' | 'next_due_on'>,
  now: number,
): string {
  if (at !== null) {
    const left = formatDuration(at - now)
    return left === null ? 'now' : `in ${left}`
  }
  const days = on === null ? 0 : Math.ceil((Date.parse(on) - now) / DAY_MS)
  if (days <= 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${days} days`
}
