import type { CalendarBody } from '../../../../api/schemas.ts'
import { two } from '../../format/moment.ts'

/** The releases of one rule, and the feeds that get a value from each. */
export type CalendarSchedule = CalendarBody['schedules'][number]

export type Release = CalendarBody['releases'][number] & { of: CalendarSchedule }

export interface Day {
  date: string
  releases: readonly Release[]
}

/** Returns the day of a moment in the reader's time zone. */
function localDate(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/**
 * Groups releases by day, the next one first. A release with a time is on its day in the reader's time zone. Left out are those that
 * have passed, those of days before today, and those without a time whose values are on chain.
 *
 * @param newest - period of each feed's newest value, by feed id
 */
export function listDays(
  { releases, schedules }: CalendarBody,
  now: number,
  newest: ReadonlyMap<string, number>,
): readonly Day[] {
  const byName = new Map(schedules.map((each) => [each.schedule, each]))
  const days = new Map<string, Release[]>()
  for (const release of releases) {
    const of = byName.get(release.schedule)
    const date = release.due_at === null ? release.due_on : localDate(release.due_at)
    if (of === undefined) continue
    const isOnChain = of.feed_ids.every(
      (id) => (newest.get(id) ?? Number.NEGATIVE_INFINITY) >= release.period,
    )
    const isPast = release.due_at === null ? date < localDate(now) || isOnChain : release.due_at <= now
    if (isPast) continue
    const day = days.get(date) ?? []
    day.push({ ...release, of })
    days.set(date, day)
  }
  return [...days]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([date, releases]) => ({ date, releases }))
}

/** Formats a date with its weekday: 'Wednesday 25 November 2026'. */
export function formatDate(date: string): string {
  const parts = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' }).formatToParts(
    Date.parse(date),
  )
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value
  return `${part('weekday')} ${part('day')} ${part('month')} ${part('year')}`
}
