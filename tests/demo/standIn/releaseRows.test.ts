import { describe, expect, test } from 'bun:test'
import { encodePeriodStart, isForecast, periodBefore, startOfPeriod } from '@wattfeed/eia'
import { federalHolidayOn } from '../../../packages/eia/src/holidays.ts'
import { attestRows } from '../../../src/agent/plan/attestRows.ts'
import { planPast } from '../../../src/demo/attestPast.ts'
import { eiaRowsOf, isReleaseDue, releaseRows } from '../../../src/demo/standIn/releaseRows.ts'
import { createUpstream } from '../../../src/demo/standIn/upstream.ts'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { calendarOf, type StatusInput, statusOf } from '../../../src/feeds/status/feedStatus.ts'
import { daysAround, listSchedules, planReleases } from '../../../src/feeds/status/schedules.ts'

const DAY_MS = 86_400_000
const feeds = await loadFeeds(null)

const starts: readonly (readonly [string, string])[] = [
  ['New Year’s Day', '2027-01-01T15:00Z'],
  ['a Monday holiday', '2027-01-18T18:00Z'],
  ['the second day after it, when its release would be', '2027-01-20T06:00Z'],
  ['a Saturday', '2026-12-05T12:00Z'],
  ['a Sunday', '2027-08-08T23:59Z'],
  ['Thanksgiving', '2026-11-26T17:00Z'],
  ['a minute before the annual release', '2026-12-31T23:59Z'],
  ['the day after it', '2027-01-02T00:00Z'],
  ['the day on which clocks go forward', '2027-03-14T07:30Z'],
  ['the day on which clocks go back', '2027-11-07T06:30Z'],
  ['a minute before the storage report', '2027-06-10T14:29Z'],
  ['the moment of the storage report', '2027-06-10T14:30Z'],
  ['the day of an outlook', '2027-01-12T17:00Z'],
  ['29 February', '2028-02-29T12:00Z'],
  ['a day before all fixtures', '2025-07-04T12:00Z'],
]

/** What is on chain after a start at a time: the history, and the newest values that the agent attests. */
function startAt(now: number) {
  const upstream = createUpstream()
  const past = planPast(feeds, upstream, now).flatMap(({ attestations }) => attestations)
  return feeds.map((feed) => {
    const [row] = eiaRowsOf(upstream, feed)
    const [newest] = attestRows(row === undefined ? [] : [row], { feed, now }).attestations
    if (newest === undefined) throw new Error(`${feed.feed_id} has no newest value`)
    const periods = past.filter(({ feed_id }) => feed_id === feed.feed_id).map(({ period }) => period)
    const reading: StatusInput = {
      ...feedMetadata(feed),
      feed_id: feed.feed_id,
      period: newest.period,
      updated_at: now,
    }
    return { feed, reading, calendar: calendarOf(reading), periods: new Set([...periods, newest.period]) }
  })
}

const hasNoPrice = (startMs: number): boolean =>
  new Date(startMs).getUTCDay() % 6 === 0 || federalHolidayOn(startMs / DAY_MS) !== null

/** The period before another one, or on a market the trading day before. */
function before(frequency: string, period: number, isMarket: boolean): number {
  let found = periodBefore(frequency, period) ?? 0
  while (isMarket && hasNoPrice(startOfPeriod(frequency, found) ?? Number.NaN))
    found = periodBefore(frequency, found) ?? 0
  return found
}

describe.each(starts)('a start on %s, %s', (_, time) => {
  const now = Date.parse(time)
  const started = startAt(now)

  test('default: the newest period of each feed is the one that the calendar has released last', () => {
    expect(started).toHaveLength(36)
    for (const { feed, reading, calendar } of started) {
      const { frequency } = feed
      if (calendar === null) throw new Error(`${feed.feed_id} has no calendar`)
      let due = startOfPeriod(frequency, calendar.dueAt(now).expectedPeriod) ?? Number.NaN
      while (calendar.rule.isWeekdaysOnly && hasNoPrice(due)) due -= DAY_MS
      // An outlook ends with the year after its own.
      if (calendar.rule.isForecast) due = Date.UTC(new Date(due).getUTCFullYear() + 1, 11)
      expect([feed.feed_id, reading.period]).toEqual([feed.feed_id, encodePeriodStart(frequency, due) ?? 0])
    }
  })

  test('behavior: no release is planned whose period is on chain, and none is missing before it', () => {
    const schedules = listSchedules(started.map(({ reading }) => reading))
    const days = daysAround(now, { before: 0, after: 60 })
    let planned = 0
    for (const schedule of schedules) {
      const upcoming = planReleases(schedule, now, days).filter(({ at }) => at > now)
      const [first] = upcoming
      if (schedule.calendar.rule.isForecast) continue
      for (const { feed, periods } of started.filter(({ feed }) => schedule.feedIds.includes(feed.feed_id))) {
        expect([feed.feed_id, upcoming.filter(({ period }) => periods.has(period))]).toEqual([
          feed.feed_id,
          [],
        ])
        const isMarket = schedule.calendar.rule.isWeekdaysOnly ?? false
        const oldest = Math.min(...periods)
        let period = before(feed.frequency, first?.period ?? 0, isMarket)
        const expected = new Set<number>()
        for (; period >= oldest; period = before(feed.frequency, period, isMarket)) expected.add(period)
        expect([feed.feed_id, [...expected].sort()]).toEqual([feed.feed_id, [...periods].sort()])
        planned += upcoming.length
      }
    }
    expect(planned).toBeGreaterThan(100)
  })

  test('behavior: no feed is late, no period has a value before its end, and no day without a market has a price', () => {
    for (const { feed, reading, calendar, periods } of started) {
      const { feed_id, frequency } = feed
      expect([feed_id, statusOf(reading)(now).state]).toEqual([
        feed_id,
        expect.stringMatching(/^(current|due)$/),
      ])
      for (const period of periods) {
        const startMs = startOfPeriod(frequency, period) ?? Number.NaN
        if (calendar?.rule.isWeekdaysOnly)
          expect([feed_id, period, hasNoPrice(startMs)]).toEqual([feed_id, period, false])
        const isEarly = frequency === 'annual' && isForecast('annual', String(period), now)
        expect([feed_id, period, isEarly]).toEqual([feed_id, period, false])
      }
    }
  })
})

test('behavior: while the demo runs, a release adds its period and those that were missed', () => {
  const upstream = createUpstream()
  const start = Date.parse('2026-12-05T12:00Z')
  planPast(feeds, upstream, start)
  expect(feeds.filter((feed) => isReleaseDue(upstream, feed, start))).toEqual([])
  const later = start + 5 * 3_600_000
  const due = feeds.filter((feed) => isReleaseDue(upstream, feed, later))
  expect(due.map(({ feed_id }) => feed_id)).toEqual([
    'EIA.ELEC.DEMAND.US48.HOURLY',
    'EIA.ELEC.GEN_NG.US48.HOURLY',
  ])
  releaseRows(upstream, due, later)
  const [demand] = due
  expect(
    demand &&
      eiaRowsOf(upstream, demand)
        .slice(0, 6)
        .map(({ period }) => period),
  ).toEqual([16, 15, 14, 13, 12, 11].map((hour) => `2026-12-05T${hour}`))
})
