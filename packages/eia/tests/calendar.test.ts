import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Calendar, findCalendar } from '../src/calendar.ts'
import {
  type ClockTime,
  type ReleaseRule,
  type RuleEra,
  releaseRules,
  type WeeklyRelease,
} from '../src/calendarRules.ts'
import { federalHolidayOn } from '../src/holidays.ts'
import { dayOf, weekdayOf } from '../src/period/days.ts'
import { frequencies, startOfPeriod } from '../src/period/period.ts'
import { countMoves } from '../src/release.ts'
import { formatRules } from './formatRules.ts'
import { knownReleases } from './releaseDates.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A calendar for each rule and frequency. */
const calendars = releaseRules.flatMap((rule) =>
  rule.frequencies.map((frequency): [string, Calendar] => {
    const [route = ''] = rule.routes
    const series = { route: route.replace('*', 'any'), frequency, facets: rule.facets ?? {} }
    return [`${rule.rule}, ${frequency}`, found(series)]
  }),
)

function found(series: Parameters<typeof findCalendar>[0], startMs = Date.UTC(2026, 10, 20)): Calendar {
  const calendar = findCalendar(series, startMs)
  if (calendar === null) throw new Error(`no calendar for ${series.route}`)
  return calendar
}

const calendarOf = (name: string): Calendar =>
  calendars.find(([each]) => each.startsWith(`${name},`))?.[1] ?? found({ route: '', frequency: '' })

const eastern = new Intl.DateTimeFormat('sv', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
})

/** The release time of a period in New York's local time. */
function releaseOf(calendar: Calendar, period: string): string {
  const [released] = calendar.releasesAfterPeriod(Date.parse(period) - 1)
  return eastern.format(released)
}

describe('EIA’s releases', () => {
  test.each(Object.entries(knownReleases))('default: %s comes as EIA has published it', (rule, releases) => {
    const calendar = calendarOf(rule)
    expect(releases.map(([period]) => [period, releaseOf(calendar, period)])).toEqual(
      releases.map((each) => [...each]),
    )
  })

  test('behavior: of 2019 all 52 weeks are known: a Wednesday, but for the alternate dates', () => {
    const calendar = calendarOf('petroleum-status')
    const alternate = new Map(knownReleases['petroleum-status'])
    for (let week = Date.UTC(2018, 11, 28); week < Date.UTC(2019, 11, 27); week += 7 * DAY) {
      const period = new Date(week).toISOString().slice(0, 10)
      const wednesday = `${new Date(week + 5 * DAY).toISOString().slice(0, 10)} 10:30`
      expect(releaseOf(calendar, period)).toBe(alternate.get(period) ?? wednesday)
    }
  })

  test('behavior: every hour of a year, across daylight saving and holidays: the due release is the last one', () => {
    const calendar = calendarOf('short-term-energy-outlook')
    const releases = (knownReleases['short-term-energy-outlook'] ?? []).filter(([, at]) =>
      at.startsWith('2023'),
    )
    for (let now = Date.UTC(2023, 0, 11); now < Date.UTC(2024, 0, 9); now += HOUR) {
      const [period = ''] = releases.findLast(([, at]) => at <= eastern.format(now)) ?? []
      expect(calendar.dueAt(now).expectedPeriod).toBe(Number(period.slice(0, 7).replace('-', '')))
    }
  })

  test('behavior: releases keep their time of day in New York through the year', () => {
    const calendar = calendarOf('petroleum-status')
    const [winter, summer] = [Date.UTC(2026, 1, 25, 15, 30), Date.UTC(2026, 6, 15, 14, 30)]
    expect([calendar.dueAt(winter).dueAt, calendar.dueAt(summer).dueAt]).toEqual([winter, summer])
  })
})

test('behavior: releases on a day of the month are on a workday: not on Thanksgiving, not on a Saturday', () => {
  expect(releaseOf(calendarOf('electric-power-monthly'), '2026-09-01')).toBe('2026-11-27 12:00')
  expect(releaseOf(calendarOf('petroleum-supply-monthly'), '2026-08-01')).toBe('2026-10-30 12:00')
})

describe('assumed releases', () => {
  const assumed = calendars.filter(
    ([, { name, rule }]) => rule.isAssumed === true && name !== 'by-frequency-hourly',
  )
  const plan = (
    calendar: Calendar,
    from: string,
    to: string,
  ): [period: number, day: string, moves: number][] =>
    calendar
      .plan(Date.parse(from), Date.parse(to))
      .map(({ period, at, moves }) => [period, new Date(at).toISOString().slice(0, 10), moves])

  test.each(assumed)('behavior: %s: in 28 years none is on a weekend or a federal holiday', (_, calendar) => {
    const planned = calendar.plan(Date.UTC(2026, 0), Date.UTC(2054, 0))
    expect(planned.length).toBeGreaterThan(27)
    const closed = planned.filter(({ at }) => {
      const day = at / DAY
      return [0, 6].includes(weekdayOf(day)) || federalHolidayOn(day) !== null
    })
    expect(closed).toEqual([])
  })

  test('default: prices of Friday are due on Monday; none are of Thanksgiving or Christmas, or due then', () => {
    const prices = calendarOf('daily-prices')
    expect(plan(prices, '2026-11-20', '2026-12-01')).toEqual([
      [20_261_118, '2026-11-20', 0],
      [20_261_119, '2026-11-23', 1],
      [20_261_120, '2026-11-23', 1],
      [20_261_123, '2026-11-25', 0],
      [20_261_124, '2026-11-27', 1],
      [20_261_125, '2026-11-27', 0],
      [20_261_127, '2026-11-30', 1],
    ])
    expect(plan(prices, '2026-12-25', '2026-12-29').map(([period]) => period)).toEqual([
      20_261_223, 20_261_224,
    ])
  })

  test('behavior: longer periods wait, too: not on New Year’s Day, not on a Saturday', () => {
    const [annual, monthly] = [calendarOf('by-frequency-annual'), calendarOf('by-frequency-monthly')]
    expect(plan(annual, '2027-01-01', '2027-02-01')).toEqual([[2025, '2027-01-04', 1]])
    expect(plan(monthly, '2026-08-01', '2026-09-30')).toEqual([
      [202_605, '2026-08-03', 1],
      [202_606, '2026-09-01', 0],
    ])
  })

  test('behavior: before the workday, the release is not due', () => {
    const prices = calendarOf('daily-prices')
    const [saturday, monday] = [dayOf(2026, 11, 21) * DAY, dayOf(2026, 11, 23) * DAY]
    expect(prices.dueAt(saturday)).toMatchObject({ expectedPeriod: 20_261_118, nextDueAt: monday })
    expect(prices.dueAt(monday)).toMatchObject({ expectedPeriod: 20_261_120, dueAt: monday })
  })

  test('behavior: hourly data come every day', () => {
    const [first] = calendarOf('by-frequency-hourly').plan(Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22))
    expect(first?.at).toBe(Date.UTC(2026, 10, 21))
  })
})

describe.each(calendars)('%s', (_, calendar) => {
  test('behavior: due ≤ now < next due, nothing longer apart than the longest gap, periods in order', () => {
    const from = Date.UTC(2026, 0, 1)
    const span = Math.min(8 * 366 * DAY, 400 * calendar.longestGapMs())
    let before = calendar.dueAt(from)
    while (before.nextDueAt < from + span) {
      const due = calendar.dueAt(before.nextDueAt)
      expect(calendar.dueAt(due.dueAt - 1)).toEqual(before)
      expect(due.dueAt).toBe(before.nextDueAt)
      expect(due.nextDueAt).toBeGreaterThan(due.dueAt)
      expect(due.nextDueAt - due.dueAt).toBeLessThanOrEqual(calendar.longestGapMs())
      expect(due.expectedPeriod).toBeGreaterThan(before.expectedPeriod)
      before = due
    }
  })

  test('behavior: at any moment of any year', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2400, 0) }), (now) => {
        const { dueAt, nextDueAt, expectedPeriod } = calendar.dueAt(now)
        expect(dueAt).toBeLessThanOrEqual(now)
        expect(nextDueAt).toBeGreaterThan(now)
        expect(expectedPeriod).toBeInteger()
      }),
      { numRuns: 50 },
    )
  })
})

describe('findCalendar', () => {
  test.each([
    ['petroleum/stoc/wstk', 'weekly', {}, 'petroleum-status'],
    ['petroleum/pnp/wprodrb', 'four-week-average', {}, 'petroleum-status'],
    ['petroleum/stoc/st', 'monthly', {}, 'petroleum-supply-monthly'],
    ['petroleum/stoc/st', 'annual', {}, 'by-frequency-annual'],
    ['petroleum/pri/spt', 'daily', {}, 'daily-prices'],
    ['nuclear-outages/us-nuclear-outages', 'daily', {}, 'by-frequency-daily'],
    ['petroleum/pri/spt', 'weekly', {}, 'by-frequency-weekly'],
    ['electricity/rto/region-data', 'hourly', { type: 'D' }, 'grid-demand'],
    ['electricity/rto/region-data', 'hourly', { type: 'NG' }, 'grid-generation'],
    ['electricity/rto/region-data', 'local-hourly', {}, 'grid-generation'],
    ['steo', 'quarterly', {}, 'by-frequency-quarterly'],
    ['', 'monthly', {}, 'by-frequency-monthly'],
  ])('default: %s, %s, %p: %s', (route, frequency, facets, rule) => {
    expect(found({ route, frequency, facets }).rule.rule).toBe(rule)
  })

  test('behavior: there is one for each of EIA’s frequencies, and for no other', () => {
    for (const frequency of frequencies) expect(findCalendar({ route: 'any', frequency }, 0)).not.toBeNull()
    expect(findCalendar({ route: 'steo', frequency: 'yearly' }, 0)).toBeNull()
  })

  test('behavior: days of a market are weekdays: after a weekend Friday is the newest until Monday is due', () => {
    const calendar = found({ route: 'petroleum/pri/spt', frequency: 'daily' })
    const days = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 10, 20 + day, 12))
    expect(days.map((now) => calendar.dueAt(now).expectedPeriod)).toEqual([
      20_261_118, 20_261_118, 20_261_118, 20_261_120, 20_261_120, 20_261_123, 20_261_123,
    ])
    expect(calendar.dueAt(Date.UTC(2026, 10, 23)).nextDueAt).toBe(Date.UTC(2026, 10, 25))
    // Before 1970, too.
    expect(calendar.dueAt(Date.UTC(1969, 11, 29)).expectedPeriod).toBe(19_691_226)
  })

  test('behavior: a rule without a weekday counts weeks from the feed’s own', () => {
    const now = Date.UTC(2026, 10, 22)
    const due = [20_261_102, 20_261_105].map((period) => {
      const startMs = startOfPeriod('weekly', period) ?? 0
      return found({ route: 'petroleum/pri/wfr', frequency: 'weekly' }, startMs).dueAt(now).expectedPeriod
    })
    expect(due).toEqual([20_261_109, 20_261_112])
  })
})

describe('countMoves', () => {
  const eraFrom = (
    validFrom: string,
    moved: WeeklyRelease['moved'],
    times: `${string} ${ClockTime}`[] = [],
  ): RuleEra => ({
    validFrom,
    release: { kind: 'weekly', days: 6, at: '10:30', moved },
    says: '',
    basis: '',
    exceptions: times.length === 0 ? {} : { [THANKSGIVING]: times },
  })
  const ruleOf = (...eras: RuleEra[]): ReleaseRule => ({
    rule: 'x',
    routes: [],
    frequencies: ['weekly'],
    graceHours: 1,
    eras,
  })
  const movesOf = (rule: ReleaseRule, day = THANKSGIVING): number => countMoves(rule, Date.parse(day))

  /** A period that is released on Thanksgiving Day unless the rule moves it, and one that no holiday moves. */
  const THANKSGIVING = '2026-11-20'
  const USUAL = '2026-10-02'
  const moved: WeeklyRelease['moved'] = [{ holidayOn: [4], days: 5, at: '12:00' }]

  test('default: a holiday, each announced time and a newer era raise it by one', () => {
    const steps = [
      ruleOf(eraFrom('2020-01-03', [])),
      ruleOf(eraFrom('2020-01-03', moved)),
      ruleOf(eraFrom('2020-01-03', moved, ['2026-11-27 12:00'])),
      ruleOf(eraFrom('2020-01-03', moved, ['2026-11-27 12:00', '2026-11-30 12:00'])),
    ]
    expect(steps.map((rule) => movesOf(rule))).toEqual([0, 1, 2, 3])
    expect(steps.map((rule) => movesOf(rule, USUAL))).toEqual([0, 0, 0, 0])
  })

  test('behavior: a newer era raises it, also one without the moves of the older one; before its start it changes nothing', () => {
    const older = eraFrom('2020-01-03', moved, ['2026-11-27 12:00'])
    const rule = ruleOf(older, eraFrom('2026-11-06', []))
    expect([movesOf(ruleOf(older)), movesOf(rule)]).toEqual([2, 3])
    expect([movesOf(ruleOf(older), USUAL), movesOf(rule, USUAL)]).toEqual([0, 0])
    expect(movesOf(ruleOf(older, eraFrom('2027-01-01', [])))).toBe(2)
  })

  test('default: a plan has the count of each release', () => {
    const plan = calendarOf('natural-gas-storage').plan(Date.UTC(2025, 11, 20), Date.UTC(2026, 0, 10))
    expect(plan.map(({ period, movedBy, moves }) => [period, movedBy, moves])).toEqual([
      [20_251_219, 'announcement', 2],
      [20_251_226, "New Year's Day", 1],
      [20_260_102, null, 0],
    ])
  })
})

describe('the rules', () => {
  test('default: every rule has its source, and its start', () => {
    for (const { rule, eras } of releaseRules) {
      const dates = eras.map(({ validFrom }) => validFrom)
      expect(dates).toEqual(dates.toSorted())
      for (const { basis, says } of eras)
        expect([rule, basis.length > 3, says.length > 3]).toEqual([rule, true, true])
    }
  })

  test('behavior: every announced exception is a period of its era', () => {
    for (const { rule, eras, weekday } of releaseRules)
      for (const { validFrom, exceptions = {} } of eras)
        for (const period of Object.keys(exceptions)) {
          expect(period >= validFrom).toBeTrue()
          if (weekday !== undefined) expect([rule, new Date(period).getUTCDay()]).toEqual([rule, weekday])
        }
  })
})

test('behavior: docs/status.md shows the rules as they are', async () => {
  const page = await Bun.file(new URL('../../../docs/status.md', import.meta.url)).text()
  expect(page.split('<!-- rules -->\n')[1]?.split('\n<!-- /rules -->')[0]).toBe(formatRules())
})
