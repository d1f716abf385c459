import { describe, expect, test } from 'bun:test'
import { encodePeriod, isWorkday, parsePeriodStart } from '@wattfeed/eia'
import { createRandom } from '@wattfeed/testing/random'
import fc from 'fast-check'
import { findLoss } from '../../../src/agent/datasets/findLoss.ts'
import { type PeriodCounts, sumOf } from '../../../src/agent/datasets/periodCounts.ts'
import { windowStart } from '../../../src/agent/datasets/windowStart.ts'

const DAY_MS = 86_400_000

interface State {
  readonly frequency: string
  readonly periods: number | null
  /** All values that EIA has, by period. */
  readonly eia: PeriodCounts
}

/** The counts of a snapshot of what EIA has, and its newest period. */
function snapshotOf({ frequency, periods, eia }: State) {
  const newestPeriod = [...eia.keys()].toSorted().at(-1) ?? ''
  const start = windowStart(frequency, encodePeriod(frequency, newestPeriod), periods)
  const counts = new Map([...eia].filter(([period]) => start === null || period >= start))
  return { counts, newestPeriod }
}

/** What is lost from one state of EIA to the next, with the snapshot of the former at hand or without it. */
function lossOf(before: State, after: State, { isAtHand = true, now = Number.POSITIVE_INFINITY } = {}) {
  const [old, found] = [snapshotOf(before), snapshotOf(after)]
  const latest = {
    period: encodePeriod(before.frequency, old.newestPeriod),
    amount: BigInt(sumOf(old.counts.values())),
  }
  const { frequency, periods } = after
  return findLoss({ frequency, periods, latest, before: isAtHand ? old.counts : null, ...found, now })
}

const daily = (eia: Readonly<Record<string, number>>, periods: number | null = 5): State => ({
  frequency: 'daily',
  periods,
  eia: new Map(Object.entries(eia).map(([day, count]) => [`2026-11-${day}`, count])),
})

const week = { 16: 40, 17: 40, 18: 40, 19: 40, 20: 40 }

describe('a loss', () => {
  test.each<[string, State, string | null]>([
    ['nothing', daily(week), null],
    ['a weekend', daily({ ...week, 23: 40 }), null],
    ['a weekend, and Monday in pieces', daily({ ...week, 23: 1 }), null],
    ['a tenth of all', daily({ ...week, 18: 20 }), null],
    [
      'more than a tenth of all',
      daily({ ...week, 18: 19 }),
      '21 of 200 values from 2026-11-16 to 2026-11-20',
    ],
    [
      'more than a tenth of what is left in the window',
      daily({ ...week, 19: 31, 23: 40 }),
      '9 of 80 values from 2026-11-19 to 2026-11-20',
    ],
    [
      'more than a tenth, while another day grows',
      daily({ 16: 40, 17: 40, 18: 40, 19: 80, 20: 19 }),
      '21 of 200 values from 2026-11-16 to 2026-11-20',
    ],
    ['the newest day', daily({ 16: 40, 17: 40, 18: 40, 19: 40 }), 'its newest period, 2026-11-20,'],
    ['all days but a later one that has no more days with them', daily({ ...week, 30: 40 }), null],
  ])('default: of five days with 40 values each: %s', (_, after, lost) => {
    expect(lossOf(daily(week), after)).toBe(lost)
  })

  const many = { frequency: 'monthly', periods: null }
  const months: PeriodCounts = new Map(
    Array.from({ length: 300 }, (_, month) => [textOfMonth(month - 276), 100]),
  )
  test.each<[string, string, number, string | null]>([
    ['one month of 300', '2012-05', 0, '100 of 100 values of 2012-05'],
    ['half of a month', '2012-05', 50, null],
    ['more than half of the newest month', '2025-12', 49, '51 of 100 values of 2025-12'],
  ])('behavior: of all months: %s', (_, period, count, lost) => {
    const left = new Map(months)
    if (count === 0) left.delete(period)
    else left.set(period, count)
    expect(lossOf({ ...many, eia: months }, { ...many, eia: left })).toBe(lost)
  })

  test('behavior: a window with another number of periods is compared where both have periods', () => {
    expect(lossOf(daily(week, 5), daily(week, 2))).toBeNull()
    expect(lossOf(daily(week, 2), daily(week, 5))).toBeNull()
    expect(lossOf(daily(week, 5), daily({ ...week, 20: 30 }, 2))).toBe(
      '10 of 80 values from 2026-11-19 to 2026-11-20',
    )
  })

  test('behavior: a window that leaves all for a period in the future; not one that has always been there', () => {
    const now = parsePeriodStart('daily', '2026-11-20') + DAY_MS / 2
    const far = daily({ ...week, 30: 1 })
    expect(lossOf(daily(week), far, { now })).toBe(
      'all periods up to 2026-11-20, and has one in the future, 2026-11-30,',
    )
    expect(lossOf(daily(week), far, { now, isAtHand: false })).toContain('in the future')
    expect(lossOf(daily({ ...week, 23: 40 }), far, { now })).toBeNull()
    expect(lossOf(daily(week), far, { now: now + 10 * DAY_MS })).toBeNull()
    // A month has started, although it has not ended.
    const month = (text: string) => ({ frequency: 'monthly', periods: 1, eia: new Map([[text, 40]]) })
    expect(lossOf(month('2026-10'), month('2026-11'), { now })).toBeNull()
    expect(lossOf(month('2026-10'), month('2026-12'), { now })).toContain('in the future')
  })
})

describe('a loss without the snapshot of the newest root', () => {
  const lossWithout = (before: State, after: State) => lossOf(before, after, { isAtHand: false })

  test.each<[string, State, State, string | null]>([
    ['the same window', daily(week), daily({ ...week, 17: 19 }), '21 of 200 values'],
    ['the same window, growing', daily({ ...week, 20: 4 }), daily(week), null],
    ['the same window, a tenth', daily(week), daily({ ...week, 17: 20 }), null],
    [
      'all periods, a later one',
      daily(week, null),
      daily({ ...week, 17: 19, 23: 40 }, null),
      '21 of 200 values',
    ],
    ['another window', daily(week), daily({ ...week, 19: 1, 23: 40 }), null],
    ['an earlier window', daily({ ...week, 23: 40 }), daily(week), 'its newest period, 2026-11-23,'],
  ])('behavior: %s', (_, before, after, lost) => {
    expect(lossWithout(before, after)).toBe(lost)
  })
})

/** What is lost at each of some states of EIA, from the newest one that was attested. */
function lossesOf(states: readonly State[], options?: { isAtHand: boolean }): string[] {
  const lost: string[] = []
  let attested: State | undefined
  for (const state of states) {
    const loss = attested === undefined ? null : lossOf(attested, state, options)
    if (loss === null) attested = state
    else lost.push(`${snapshotOf(state).newestPeriod}: ${loss}`)
  }
  return lost
}

const SERIES = 40

/** Releases of more than a year on workdays, each in pieces: at first a few series, later all. */
function workdays(periods: number | null, pieces: readonly number[]): State[] {
  const eia = new Map<string, number>()
  const states: State[] = []
  for (let day = Date.UTC(2026, 10, 1) / DAY_MS; day < Date.UTC(2028, 0, 20) / DAY_MS; day++) {
    if (!isWorkday(day)) continue
    for (const share of pieces) {
      eia.set(new Date(day * DAY_MS).toISOString().slice(0, 10), Math.ceil(SERIES * share))
      // There are no more days in the window.
      states.push({ frequency: 'daily', periods, eia: new Map([...eia].slice(-(periods ?? eia.size))) })
    }
  }
  return states
}

/** The share of the series that has a month, from its first release on. There are four releases in a month. */
const shares = [0.05, 0.3, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 1]

/** A year of months, in which many series are published a month later than others. */
function staggered(periods: number | null): State[] {
  return Array.from({ length: 48 }, (_, step) => {
    const newest = 24 + Math.floor(step / 4)
    const counts = Array.from({ length: newest + 1 }, (_, month) => {
      const share = shares[step - (month - 24) * 4] ?? 1
      return [textOfMonth(month), Math.round(300 * share)] as const
    })
    return { frequency: 'monthly', periods, eia: new Map(counts) }
  })
}

const textOfMonth = (month: number): string => new Date(Date.UTC(2024, month)).toISOString().slice(0, 7)

describe('releases are no loss', () => {
  test.each([1, 2, 3, 5, 7, 10, 30, null])(
    'default: weekends and holidays of more than a year, whole and in pieces, with %p periods',
    (periods) => {
      for (const pieces of [[1], [0.05, 0.5, 1]])
        for (const isAtHand of [true, false]) {
          const states = workdays(periods, pieces)
          expect(lossesOf(states, { isAtHand })).toEqual([])
        }
    },
  )

  test.each([1, 2, 3, 6, 12, 24, null])('default: staggered months, with %p periods', (periods) => {
    for (const isAtHand of [true, false]) expect(lossesOf(staggered(periods), { isAtHand })).toEqual([])
  })

  const grown = fc.record({
    periods: fc.option(fc.integer({ min: 1, max: 20 })),
    seed: fc.integer(),
    days: fc.integer({ min: 1, max: 30 }),
    later: fc.integer({ min: 0, max: 30 }),
  })

  test('behavior: whatever days there are, values that only come and windows that slide are no loss', () => {
    fc.assert(
      fc.property(grown, ({ periods, seed, days, later }) => {
        const random = createRandom(seed)
        const eia = new Map<string, number>()
        const add = (day: number) => {
          const text = new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10)
          eia.set(text, (eia.get(text) ?? 0) + 1 + Math.floor(random() * 50))
        }
        for (let day = 0; day < days; day++) if (random() < 0.7 || day === 0) add(day)
        const before = { frequency: 'daily', periods, eia: new Map(eia) }
        for (let day = 0; day < days + later; day++) if (random() < 0.5) add(day)
        for (const isAtHand of [true, false])
          expect(lossOf(before, { ...before, eia }, { isAtHand })).toBeNull()
      }),
    )
  })

  test('behavior: a loss of more than a tenth of each period is found over any window that both cover', () => {
    fc.assert(
      fc.property(grown, ({ periods, days, later }) => {
        const dayText = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10)
        const eia = new Map(Array.from({ length: days }, (_, day) => [dayText(day), 100]))
        const before = { frequency: 'daily', periods, eia }
        const after = new Map([...eia].map(([day]) => [day, 89]))
        for (let day = days; day < days + later; day++) after.set(dayText(day), 100)
        const isShared = periods === null || later < periods
        expect(lossOf(before, { ...before, eia: after }) !== null).toBe(isShared)
      }),
    )
  })
})
