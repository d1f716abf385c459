import { lazy } from '@wattfeed/base'
import { describePeriod, formatUtc, type PlannedRelease } from '@wattfeed/eia'
import type { ICalEventData } from 'ical-generator'
import type { Reading } from 'wattfeed'
import {
  daysAround,
  listSchedules,
  planReleases,
  type ReleaseSchedule,
} from '../../feeds/status/schedules.ts'
import { feedName } from '../feedTexts.ts'
import { noticeOf, type PublicSite } from '../publicSite.ts'

/** @see https://www.rfc-editor.org/rfc/rfc5545#section-8.1 */
export const ICALENDAR_TYPE = 'text/calendar; charset=utf-8; method=PUBLISH'

/** Days of the calendar. Subscribed calendars drop events that are missing from the file. */
export const DAYS = { before: 30, after: 90 }

/** Feeds that the text of an event lists. */
const MAX_LISTED = 20

/** How often programs should read the calendar again, in seconds. */
const REFRESH_S = 12 * 3_600

export interface IcalendarFacts {
  readonly readings: readonly Reading[]
  readonly site: PublicSite
  readonly chainName: string
  /** Epoch milliseconds. */
  readonly now: number
}

type Library = typeof import('ical-generator')

const load = lazy((): Promise<Library> => import('ical-generator'))

/**
 * Formats planned releases as an iCalendar file, the same for the whole day. Releases that come every hour are left out.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5545
 */
export async function formatIcalendar({ readings, site, chainName, now }: IcalendarFacts): Promise<string> {
  const library = await load()
  const { default: ical, ICalCalendarMethod } = library
  const days = daysAround(now, DAYS)
  const notice = noticeOf(site)
  const byId = new Map(readings.map((reading) => [reading.feed_id, reading]))
  const stamp = new Date(daysAround(now, { before: 0, after: 0 }).from)
  const events = listSchedules(readings)
    .filter(({ isHourly }) => !isHourly)
    .flatMap((schedule) => {
      const feeds = schedule.feedIds.flatMap((id) => byId.get(id) ?? [])
      return planReleases(schedule, now, days).map((release) => ({
        ...eventOf(library, { schedule, release, feeds, notice }),
        id: `${schedule.calendar.name}-${release.period}@${chainName}.wattfeed`,
        stamp,
        ...(site.origin === null ? {} : { url: `${site.origin}/explorer/calendar` }),
      }))
    })
  const calendar = ical({
    // The library does not escape the texts of the calendar, so they are our own and without punctuation.
    name: notice === null ? 'Energy data releases' : 'Energy data releases of a development chain',
    description: notice ?? 'Planned releases of US energy statistics and what they are based on',
    prodId: '//wattfeed//calendar//EN',
    method: ICalCalendarMethod.PUBLISH,
    ttl: REFRESH_S,
    events,
  })
  return `${withDurations(calendar.toString())}\r\n`
}

/**
 * Gives each event with a time a duration, which the library cannot write. Programs for home automation never see an event
 * without a length. An event of a whole day has `;VALUE=DATE` instead of the colon, and a text cannot begin a line.
 */
const withDurations = (calendar: string): string =>
  calendar.replaceAll(/\r\nDTSTART:\w+/g, '$&\r\nDURATION:PT15M')

interface EventFacts {
  schedule: ReleaseSchedule
  release: PlannedRelease
  feeds: readonly Reading[]
  notice: string | null
}

function eventOf(
  { ICalEventStatus, ICalEventTransparency }: Library,
  { schedule, release, feeds, notice }: EventFacts,
): Omit<ICalEventData, 'id'> {
  const { calendar, series } = schedule
  const { isAssumed = false, isDayOnly = false } = calendar.rule
  const { at, era, moves } = release
  const name = nameOf(calendar.name)
  return {
    sequence: moves,
    start: new Date(at),
    allDay: isDayOnly,
    summary: `${name}, ${describePeriod(series, release.period).words}${isAssumed ? ' (assumed)' : ''}`,
    description: [
      ...(notice === null ? [] : [notice]),
      `Rule: ${era.says}.`,
      ...(release.movedBy === null ? [] : [movedText(release)]),
      `Basis: ${era.basis}.`,
      ...listFeeds(feeds),
    ].join('\n'),
    status: isAssumed ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
    transparency: ICalEventTransparency.TRANSPARENT,
  }
}

/** Formats the name of a schedule: 'Natural gas storage'. */
function nameOf(schedule: string): string {
  const words = schedule.replace(/^by-frequency-/, 'other ').replaceAll('-', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

const movedText = ({ movedBy, usualAt }: PlannedRelease): string =>
  movedBy === 'announcement'
    ? `EIA announced this time. The usual time would be ${formatUtc(usualAt)}.`
    : `Moved by a holiday (${movedBy}). The usual time would be ${formatUtc(usualAt)}.`

function listFeeds(feeds: readonly Reading[]): string[] {
  const lines = feeds.slice(0, MAX_LISTED).map((feed) => `- ${feedName(feed)}`)
  const rest = feeds.length - lines.length
  return ['Feeds:', ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])]
}
