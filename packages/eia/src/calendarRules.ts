import type { FederalHoliday } from './holidays.ts'
import { FRIDAY, MONDAY, THURSDAY, TUESDAY, WEDNESDAY } from './period/days.ts'

export type ClockTime = `${number}:${number}`

/** Release of a weekly report. Days are counted from the date of the period. */
export interface WeeklyRelease {
  readonly kind: 'weekly'
  readonly days: number
  readonly at: ClockTime
  /** Shifts by holidays. The first that applies counts. */
  readonly moved: readonly {
    /** Weekdays of the week of the release, from 0 for Sunday. */
    readonly holidayOn: readonly number[]
    /** @default every federal holiday */
    readonly holidays?: readonly FederalHoliday[]
    readonly days: number
    readonly at: ClockTime
  }[]
}

/** Release of a monthly report. */
export interface MonthlyRelease {
  readonly kind: 'monthly'
  /** Months after the period's. */
  readonly months: number
  /**
   * The day of that month: the first workday from a date on, the last workday, or STEO's. STEO's is the first Tuesday after the
   * first Thursday, or the day after it if the Monday before is a federal holiday.
   */
  readonly on: number | 'last workday' | 'STEO'
  readonly at: ClockTime
}

/** A release at a fixed time after a period starts. */
export interface DelayedRelease {
  readonly kind: 'delayed'
  readonly by: { readonly hours: number } | { readonly months: number }
  /** Whether a release on a weekend or a federal holiday waits for the next workday. */
  readonly isOnWorkday?: boolean
}

/** A rule during one span of time. */
export interface RuleEra {
  /** The first period that it applies to, as a date: `2025-01-03`. */
  readonly validFrom: string
  readonly release: WeeklyRelease | MonthlyRelease | DelayedRelease
  /** The release in words. */
  readonly says: string
  readonly basis: string
  /**
   * Exceptions that EIA announced, in New York time, by the date of their period. If EIA moves a release again, append the new
   * time: calendar programs ignore a move unless the number of times grows.
   */
  readonly exceptions?: Readonly<Record<string, readonly `${string} ${ClockTime}`[]>>
  /** Parts that are not sourced or not computed. */
  readonly partial?: string
}

/** EIA's release rule of some routes. */
export interface ReleaseRule {
  readonly rule: string
  /** EIA's routes. A final `*` matches any continuation. */
  readonly routes: readonly string[]
  readonly frequencies: readonly string[]
  readonly facets?: Readonly<Record<string, string>>
  /** The weekday of a weekly period's date, from 0 for Sunday. @default that of the feed's own period */
  readonly weekday?: number
  /** Whether only weekdays have periods, like market days. */
  readonly isWeekdaysOnly?: boolean
  /** Whether each release contains all periods, including future ones. */
  readonly isForecast?: boolean
  /** Whether the release is on time to the minute, so that an agent can wait for it. */
  readonly isExact?: boolean
  /** Whether only the day of a release is known. The time of day is then wattfeed's choice. */
  readonly isDayOnly?: boolean
  /** Whether no source states the release, so that wattfeed assumes it from the frequency. */
  readonly isAssumed?: boolean
  /** Grace after the release, in hours: how long a missing period is usual. EIA states none; it is wattfeed's choice. */
  readonly graceHours: number
  /** Oldest first. */
  readonly eras: readonly RuleEra[]
}

const MONDAY_TO_WEDNESDAY = [MONDAY, TUESDAY, WEDNESDAY]

const CLOSURES = 'Days on which offices close by a President’s order are not computed.'
const GRID_BASIS = 'EIA, Today in Energy, 21 December 2020 (todayinenergy/detail.php?id=46117)'

export const releaseRules: readonly ReleaseRule[] = [
  {
    rule: 'petroleum-status',
    routes: [
      'petroleum/cons/wpsup',
      'petroleum/move/wimpc',
      'petroleum/move/wkly',
      'petroleum/pnp/wiup',
      'petroleum/pnp/wprod*',
      'petroleum/stoc/wstk',
      'petroleum/sum/sndw',
    ],
    frequencies: ['weekly', 'four-week-average'],
    weekday: FRIDAY,
    isExact: true,
    graceHours: 6,
    eras: [
      {
        validFrom: '2018-12-28',
        release: {
          kind: 'weekly',
          days: 5,
          at: '10:30',
          moved: [
            {
              holidayOn: [TUESDAY, WEDNESDAY],
              holidays: ['Christmas Day', "New Year's Day"],
              days: 7,
              at: '11:00',
            },
            { holidayOn: MONDAY_TO_WEDNESDAY, days: 6, at: '11:00' },
          ],
        },
        says: 'Wednesday 10:30; Thursday 11:00 after a federal holiday from Monday to Wednesday; Friday 11:00 if Christmas or New Year’s Day is a Tuesday or Wednesday',
        basis:
          'EIA’s table of alternate release dates for December 2018 to November 2020 (petroleum/supply/weekly/schedule.php)',
        partial: `The same rule is assumed for 2021 to 2024. ${CLOSURES}`,
      },
      {
        validFrom: '2025-01-03',
        release: {
          kind: 'weekly',
          days: 5,
          at: '10:30',
          moved: [{ holidayOn: MONDAY_TO_WEDNESDAY, days: 6, at: '12:00' }],
        },
        says: 'Wednesday 10:30; Thursday 12:00 after a federal holiday from Monday to Wednesday',
        basis:
          'EIA’s table of alternate release dates for 2025 and 2026 (petroleum/supply/weekly/schedule.php), as others quote it',
        exceptions: { '2025-12-19': ['2025-12-29 17:00'] },
        partial: `The table itself was not available. ${CLOSURES}`,
      },
    ],
  },
  {
    rule: 'natural-gas-storage',
    routes: ['natural-gas/stor/wkly'],
    frequencies: ['weekly'],
    weekday: FRIDAY,
    isExact: true,
    graceHours: 6,
    eras: [
      {
        validFrom: '2015-11-06',
        release: {
          kind: 'weekly',
          days: 6,
          at: '10:30',
          moved: [
            { holidayOn: [THURSDAY], days: 5, at: '12:00' },
            { holidayOn: [TUESDAY, WEDNESDAY], days: 7, at: '10:30' },
          ],
        },
        says: 'Thursday 10:30; Wednesday 12:00 if Thursday is a federal holiday; Friday 10:30 after one on Tuesday or Wednesday',
        basis:
          'EIA’s notice of 5 November 2015 (ir.eia.gov/ngs/notice.html) and its exceptions of 2025 and 2026 (ir.eia.gov/ngs/schedule.html), as others quote them',
        exceptions: { '2025-01-03': ['2025-01-08 12:00'], '2025-12-19': ['2025-12-29 12:00'] },
        partial: `Only some holiday weeks of 2016 to 2024 have a source. ${CLOSURES}`,
      },
    ],
  },
  {
    rule: 'gasoline-diesel',
    routes: ['petroleum/pri/gnd'],
    frequencies: ['weekly'],
    weekday: MONDAY,
    isExact: true,
    graceHours: 6,
    eras: [
      {
        validFrom: '2016-04-25',
        release: {
          kind: 'weekly',
          days: 0,
          at: '17:00',
          moved: [{ holidayOn: [MONDAY], days: 1, at: '17:00' }],
        },
        says: 'Monday 17:00; Tuesday 17:00 if Monday is a federal holiday',
        basis:
          'EIA, diesel price data collection procedures, May 2016 (petroleum/gasdiesel/diesel_procedure.cfm)',
        partial: 'EIA says “around” 17:00.',
      },
      {
        validFrom: '2025-10-20',
        release: {
          kind: 'weekly',
          days: 1,
          at: '10:00',
          moved: [{ holidayOn: [MONDAY, TUESDAY], days: 2, at: '10:00' }],
        },
        says: 'Tuesday 10:00; Wednesday 10:00 after a federal holiday on Monday or Tuesday',
        basis:
          'FreightWaves, “Weekly release of benchmark diesel price shifts to Tuesday morning”, and its report of 21 October 2025',
        partial:
          'The rule changed earlier in 2025, on an unknown date. The Wednesday is from secondary sources.',
      },
    ],
  },
  {
    rule: 'short-term-energy-outlook',
    routes: ['steo'],
    frequencies: ['monthly'],
    isForecast: true,
    isExact: true,
    graceHours: 6,
    eras: [
      {
        validFrom: '2016-01-01',
        release: { kind: 'monthly', months: 0, on: 'STEO', at: '12:00' },
        says: 'the first Tuesday after the month’s first Thursday, 12:00; the day after if the Monday before is a federal holiday',
        basis: 'EIA, STEO release schedule (outlooks/steo/release_schedule.php)',
        exceptions: { '2016-10-01': ['2016-10-13 09:00'], '2026-01-01': ['2026-01-13 12:00'] },
        partial: 'EIA sometimes moves an edition for other reasons.',
      },
    ],
  },
  {
    rule: 'grid-demand',
    routes: ['electricity/rto/region-data'],
    frequencies: ['hourly', 'local-hourly'],
    facets: { type: 'D' },
    graceHours: 6,
    eras: [
      {
        validFrom: '2015-07-01',
        release: { kind: 'delayed', by: { hours: 1 } },
        says: 'every hour, for the hour before',
        basis: GRID_BASIS,
      },
    ],
  },
  {
    rule: 'grid-generation',
    routes: ['electricity/rto/region-data', 'electricity/rto/fuel-type-data'],
    frequencies: ['hourly', 'local-hourly'],
    isDayOnly: true,
    graceHours: 24,
    eras: [
      {
        validFrom: '2015-07-01',
        release: { kind: 'delayed', by: { hours: 24 } },
        says: 'a day later',
        basis: GRID_BASIS,
        partial: 'EIA does not state the time of day.',
      },
    ],
  },
  {
    rule: 'grid-interchange',
    routes: ['electricity/rto/interchange-data', 'electricity/rto/region-sub-ba-data'],
    frequencies: ['hourly', 'local-hourly'],
    isDayOnly: true,
    graceHours: 24,
    eras: [
      {
        validFrom: '2015-07-01',
        release: { kind: 'delayed', by: { hours: 48 } },
        says: 'two days later',
        basis: GRID_BASIS,
        partial: 'For subregions, EIA states one to two days.',
      },
    ],
  },
  {
    rule: 'electric-power-monthly',
    routes: [
      'electricity/electric-power-operational-data',
      'electricity/facility-fuel',
      'electricity/operating-generator-capacity',
      'electricity/retail-sales',
    ],
    frequencies: ['monthly'],
    isDayOnly: true,
    graceHours: 14 * 24,
    eras: [
      {
        validFrom: '2020-10-01',
        release: { kind: 'monthly', months: 2, on: 26, at: '12:00' },
        says: 'about the 26th of the second month after, on a workday',
        basis:
          'Electric Power Monthly of December 2020 (electricity/monthly): October’s data on 23 December, November’s on 26 January',
        partial: 'EIA announces each day separately; only these two have a source.',
      },
    ],
  },
  {
    rule: 'petroleum-supply-monthly',
    routes: [
      'petroleum/cons/psup',
      'petroleum/crd/crpdn',
      'petroleum/move/*',
      'petroleum/pnp/*',
      'petroleum/stoc/*',
      'petroleum/sum/*',
    ],
    frequencies: ['monthly'],
    isDayOnly: true,
    graceHours: 14 * 24,
    eras: [
      {
        validFrom: '2015-06-01',
        release: { kind: 'monthly', months: 2, on: 'last workday', at: '12:00' },
        says: 'the last workday of the second month after',
        basis:
          'EIA, Today in Energy, 30 July 2015 (todayinenergy/detail.php?id=22292): two months later; June 2015 came on 31 August',
        partial: 'The last workday is inferred.',
      },
    ],
  },
  {
    rule: 'daily-prices',
    routes: ['natural-gas/pri/fut', 'petroleum/pri/fut', 'petroleum/pri/spt'],
    frequencies: ['daily'],
    isWeekdaysOnly: true,
    isDayOnly: true,
    isAssumed: true,
    graceHours: 9 * 24,
    eras: [
      {
        validFrom: '1970-01-01',
        release: { kind: 'delayed', by: { hours: 48 }, isOnWorkday: true },
        says: 'a day after the period’s end, on a workday; Saturdays and Sundays have no prices',
        basis: 'none: assumed from the frequency',
        partial:
          'No source. Prices of federal holidays are not planned, although some markets are open then; those of other market holidays are.',
      },
    ],
  },
  ...byFrequency(),
]

/** The assumed rules of routes without a rule. EIA's staff publish on workdays. Only the hourly data come without them. */
function byFrequency(): ReleaseRule[] {
  const assumed = (
    frequencies: readonly string[],
    release: Omit<DelayedRelease, 'kind'>,
    { says, graceDays }: { says: string; graceDays: number },
  ): ReleaseRule => ({
    rule: `by-frequency-${frequencies[0]}`,
    routes: ['*'],
    frequencies,
    isDayOnly: true,
    isAssumed: true,
    graceHours: 24 * graceDays,
    eras: [
      {
        validFrom: '1970-01-01',
        release: { kind: 'delayed', ...release },
        says,
        basis: 'none: assumed from the frequency',
        partial: 'No source.',
      },
    ],
  })
  const workdayAfter = (by: DelayedRelease['by']) => ({ by, isOnWorkday: true })
  return [
    assumed(['hourly', 'local-hourly'], { by: { hours: 24 } }, { says: 'a day later', graceDays: 2 }),
    assumed(['daily'], workdayAfter({ hours: 48 }), {
      says: 'a day after the period’s end, on a workday',
      graceDays: 9,
    }),
    assumed(['weekly', 'four-week-average'], workdayAfter({ hours: 24 * 7 }), {
      says: 'a week after the date of the period, on a workday',
      graceDays: 7,
    }),
    assumed(['monthly'], workdayAfter({ months: 3 }), {
      says: 'two months after the period’s end, on a workday',
      graceDays: 62,
    }),
    assumed(['quarterly'], workdayAfter({ months: 6 }), {
      says: 'three months after the period’s end, on a workday',
      graceDays: 92,
    }),
    assumed(['annual'], workdayAfter({ months: 24 }), {
      says: 'a year after the period’s end, on a workday',
      graceDays: 366,
    }),
  ]
}
