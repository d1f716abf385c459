import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import datasets from '../src/catalog/datasets.json'
import { coverageOf, coverageRules, leadOf } from '../src/period/coverage.ts'
import { frequencies, startOfPeriod } from '../src/period/period.ts'

const HOUR_MS = 3_600_000

describe('the rules', () => {
  test('default: every dataset of EIA has one with a source, for each of its frequencies', () => {
    const assumed = datasets.flatMap(({ route, frequencies }) =>
      frequencies
        .filter((frequency) => {
          const rule = coverageRules.find(
            (each) => each.frequencies.includes(frequency) && (each.routes?.includes(route) ?? true),
          )
          return rule === undefined || rule.isAssumed === true
        })
        .map((frequency) => `${route} ${frequency}`),
    )
    expect(assumed).toEqual([])
  })

  test('default: each named dataset has the frequencies of its rule', () => {
    const known = new Map(datasets.map(({ route, frequencies }) => [route, frequencies]))
    const unknown = coverageRules.flatMap(({ routes = [], frequencies }) =>
      routes.filter((route) => frequencies.some((each) => !known.get(route)?.includes(each))),
    )
    expect(unknown).toEqual([])
  })
})

const meanings: Readonly<Record<string, string>> = {
  hour: 'the end of the hour',
  day: 'the day itself',
  week: 'the last day of the week',
  'four weeks': 'the last day of the four weeks',
  month: 'the month',
  quarter: 'the quarter',
  year: 'the year',
}

/** Formats the table of docs/data.md. */
function formatCoverage(): string {
  const rows = coverageRules.map(({ routes = [], frequencies, weekday, covers, basis }) => {
    const when = weekday === 1 ? ', on a Monday' : ''
    const shown = routes.length === 0 ? `any${when}` : routes.map((route) => `\`${route}\``).join(', ')
    return [shown, frequencies.join(', '), meanings[covers] ?? '', basis]
  })
  const head = ['routes', 'frequency', 'EIA’s date is', 'source']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

test('behavior: docs/data.md shows the rules as they are', async () => {
  const page = await Bun.file(new URL('../../../docs/data.md', import.meta.url)).text()
  expect(page.split('<!-- coverage -->\n')[1]?.split('\n<!-- /coverage -->')[0]).toBe(formatCoverage())
})

describe('coverageOf', () => {
  test.each([
    // The hour before and after the clock is set back in New York, on 1 November 2026.
    ['local-hourly', Date.UTC(2026, 10, 1, 6) / 1000, '2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z'],
    ['local-hourly', Date.UTC(2026, 10, 1, 7) / 1000, '2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z'],
    ['hourly', 0, '1969-12-31T23:00:00Z', '1970-01-01T00:00:00Z'],
    ['daily', 20280229, '2028-02-29', '2028-02-29'],
    ['monthly', 202802, '2028-02-01', '2028-02-29'],
    ['four-week-average', 20280303, '2028-02-05', '2028-03-03'],
    ['weekly', 20280303, '2028-02-26', '2028-03-03'],
    ['quarterly', 202310, '2023-10-01', '2023-12-31'],
    ['annual', 2028, '2028-01-01', '2028-12-31'],
    ['annual', 9999, '9999-01-01', '9999-12-31'],
  ])('default: %s %i covers %s to %s', (frequency, period, start, end) => {
    expect(coverageOf({ route: 'any', frequency }, period)).toMatchObject({ start, end })
  })

  test('behavior: a date of a dataset that no rule names is of a survey if it is a Monday, else the end of a week', () => {
    const series = { route: 'any', frequency: 'weekly' }
    expect(coverageOf(series, 20261123)).toEqual({ covers: 'day', start: '2026-11-23', end: '2026-11-23' })
    expect(coverageOf(series, 20261124)).toEqual({ covers: 'week', start: '2026-11-18', end: '2026-11-24' })
  })

  test('behavior: null for integers that are no period, and for a week that starts before the year 0', () => {
    const isKnown = (frequency: string, period: number) =>
      coverageOf({ route: 'any', frequency }, period) !== null
    expect(isKnown('fortnightly', 20261123)).toBe(false)
    expect(isKnown('daily', 20260230)).toBe(false)
    expect(isKnown('hourly', 2 ** 64)).toBe(false)
    expect([isKnown('weekly', 105), isKnown('weekly', 107)]).toEqual([false, true])
  })

  test('default: whatever the integer, null or two dates in order, and the date is a lead after the start', () => {
    const integers = fc.oneof(
      fc.nat(99_991_231),
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 2 ** 31 }).map((hour) => hour * 3_600),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...datasets.map(({ route }) => route), 'any'),
        fc.constantFrom(...frequencies),
        integers,
        (route, frequency, period) => {
          const series = { route, frequency }
          const coverage = coverageOf(series, period)
          if (coverage === null) return
          const [startMs, endMs] = [Date.parse(coverage.start), Date.parse(coverage.end)]
          expect(startMs + leadOf(series, period)).toBe(startOfPeriod(frequency, period) ?? Number.NaN)
          expect(coverage.start.length).toBe(coverage.covers === 'hour' ? 20 : 10)
          expect(coverage.covers === 'hour' ? endMs - startMs === HOUR_MS : endMs >= startMs).toBe(true)
        },
      ),
      { numRuns: 5_000 },
    )
  })
})
