import { describe, expect, test } from 'bun:test'
import { coverageOf, encodePeriodStart, frequencies } from '@wattfeed/eia'
import fc from 'fast-check'
import {
  assertHistoryQuery,
  type HistoryQuery,
  type IntegerQuery,
  limitOf,
  neededValues,
  resolvePeriods,
} from '../../src/history/historyQuery.ts'
import { createRevisionCounter } from '../../src/history/revisions.ts'
import { selectPage } from '../../src/history/selectPage.ts'
import type { Attestation } from '../../src/registry/attestation.ts'
import { modelRows, modelSelection } from '../support/plainModel.ts'
import { historyQueries } from './historyQueries.ts'

/** Attestations of few periods and amounts, so that most are revisions; times only increase. */
const histories = fc
  .array(fc.record({ period: fc.nat(6), amount: fc.nat(2), wait: fc.nat(2) }), { maxLength: 30 })
  .map((steps) => {
    let timestamp = 0
    return steps.map(({ period, amount, wait }, index): Attestation => {
      timestamp += wait
      return { period, amount: BigInt(amount), source_hash: `${index}`, attester: 'a', timestamp }
    })
  })

const vintagesOf = (history: readonly Attestation[], feedId = 'EIA.PET.PRICE.WTI.DAILY') => {
  const revisionOf = createRevisionCounter(feedId)
  return history.map((value, index) => ({
    ...value,
    index,
    revision: revisionOf(value),
  }))
}

describe('a page', () => {
  test('default: matches a plain model for any parameters', () => {
    fc.assert(
      fc.property(histories, historyQueries, (history, query: IntegerQuery) => {
        const expected = modelSelection(history, query)
        const { rows, next } = selectPage(vintagesOf(history), history.length, query)
        expect(rows).toEqual(expected.slice(0, limitOf(query)))
        expect(next === null).toBe(expected.length <= limitOf(query))
      }),
      { numRuns: 3_000 },
    )
  })

  test('behavior: it uses only the values that it declares', () => {
    fc.assert(
      fc.property(histories, historyQueries, (history, query: IntegerQuery) => {
        const all = vintagesOf(history)
        const needed = all.slice(0, neededValues(query, history.length))
        expect(selectPage(needed, history.length, query)).toEqual(selectPage(all, history.length, query))
      }),
      { numRuns: 1_000 },
    )
  })

  test('behavior: page after page gives every row once, also while values are attested', () => {
    fc.assert(
      fc.property(histories, histories, historyQueries, (history, later, query: IntegerQuery) => {
        const bounded = { ...query, to: Math.min(query.to ?? history.length, history.length) }
        const all = [...history, ...later]
        const found = []
        for (let next: IntegerQuery | null = bounded; next !== null; ) {
          const known = next === bounded ? history : all
          const page = selectPage(vintagesOf(known), known.length, next)
          found.push(...page.rows)
          next = page.next
        }
        expect(found).toEqual(modelSelection(all, bounded))
      }),
      { numRuns: 1_000 },
    )
  })

  test('behavior: one row a period, in order of period, is continued in the values that its first page saw', () => {
    const print = (period: number, amount: bigint, timestamp: number): Attestation => {
      return { period, amount, timestamp, source_hash: '', attester: 'a' }
    }
    const first = [print(3, 30n, 1), print(1, 10n, 2), print(2, 20n, 3)]
    const page = selectPage(vintagesOf(first), 3, { vintages: 'latest', limit: 2 })
    expect(page.rows.map(({ period }) => period)).toEqual([1, 2])
    expect(page.next).toEqual({ vintages: 'latest', limit: 2, to: 3, after: 2 })
    const revised = [...first, print(3, 31n, 4)]
    const rest = selectPage(vintagesOf(revised), 4, page.next ?? {})
    expect(rest).toMatchObject({ rows: [{ period: 3, amount: 30n, revision: 0 }], next: null })
  })
})

describe('a revision', () => {
  test('default: counts the changes of a period’s amount, in the order of attestation', () => {
    fc.assert(fc.property(histories, (history) => expect(vintagesOf(history)).toEqual(modelRows(history))))
  })

  test('behavior: the same value again keeps it, a value of before does not', () => {
    const amounts = [5n, 5n, 7n, 7n, 5n]
    const history = amounts.map((amount) => ({
      period: 1,
      amount,
      timestamp: 1,
      source_hash: '',
      attester: '',
    }))
    expect(vintagesOf(history).map(({ revision }) => revision)).toEqual([0, 0, 1, 1, 2])
  })

  test('behavior: another root of a dataset is one, also with as many values; another hash of a statistic is not', () => {
    const [one, other] = ['ab'.repeat(32), 'cd'.repeat(32)]
    const prints = [
      [9n, one],
      [9n, one],
      [9n, other],
      [8n, other],
      [9n, one],
      // By mistake: neither is a root.
      [9n, 'ab'.repeat(16)],
      [9n, 'none'],
    ] as const
    const history = prints.map(([amount, source_hash]) => ({
      ...{ period: 1, timestamp: 1, attester: '' },
      ...{ amount, source_hash },
    }))
    const revisionsOf = (feedId: string) => vintagesOf(history, feedId).map(({ revision }) => revision)
    expect(revisionsOf('EIA.DATASET.COAL.MINE-PRODUCTION.ANNUAL')).toEqual([0, 0, 1, 2, 3, 4, 4])
    expect(revisionsOf('EIA.PET.PRICE.WTI.DAILY')).toEqual([0, 0, 0, 1, 2, 2, 2])
  })
})

describe('assertHistoryQuery', () => {
  test.each<[HistoryQuery, string]>([
    [{ limit: 0 }, 'limit must be an integer from 1 to 1000, not 0'],
    [{ limit: 1_001 }, 'limit must be an integer from 1 to 1000, not 1001'],
    [{ from: -1 }, 'from must be an integer from 0 to 2^53 - 1, not -1'],
    [{ after: 0.5 }, 'after must be an integer from 0 to 2^53 - 1, not 0.5'],
    [{ period_from: Number.NaN }, 'period_from must be an integer of at least 0, not NaN'],
    [{ as_of: 1, vintages: 'all' }, "vintages must be 'first' or 'latest' with as_of, not 'all'"],
    [
      { as_of: 1, from: 2 },
      'from must be omitted, not 2, when the query returns one row per period; use after',
    ],
    [
      { vintages: 'first', from: 2 },
      'from must be omitted, not 2, when the query returns one row per period; use after',
    ],
    [{ from: 2, to: 1 }, 'from must be at most to (1), not 2'],
    [{ period_from: 2, period_to: 1 }, 'period_from must be at most period_to (1), not 2'],
    [
      { period_from: '2026-02-30' },
      'period_from must be an integer, or a date like 2026-11-20, not 2026-02-30',
    ],
    [{ period_to: '2026-2-03' }, 'period_to must be an integer, or a date like 2026-11-20, not 2026-2-03'],
    [{ period_to: 'x' }, 'period_to must be an integer, or a date like 2026-11-20, not x'],
    [{ period_from: '2026-02-02', period_to: '2026-02-01' }, 'period_from must be at most period_to'],
  ])('error: %p', (query, message) => {
    expect(() => assertHistoryQuery(query)).toThrow(message)
  })
})

describe('resolvePeriods', () => {
  const days = fc.integer({ min: 0, max: 40_000 }).map((day) => new Date(day * 86_400_000))
  const dateOf = (day: Date): string => day.toISOString().slice(0, 10)

  test('default: a date selects the periods that start on, or after or before, that day of UTC', () => {
    fc.assert(
      fc.property(fc.constantFrom(...frequencies), days, days, fc.nat(23), (frequency, start, date, hour) => {
        const period = encodePeriodStart(
          frequency,
          start.getTime() + (frequency.endsWith('hourly') ? hour * 3_600_000 : 0),
        )
        const feed = { route: 'any', frequency, period: period ?? 0 }
        const starts = coverageOf(feed, feed.period)?.start.slice(0, 10)
        // The middle of a quarter is not a period.
        fc.pre(period !== null && starts !== undefined)
        const { period_from } = resolvePeriods({ period_from: dateOf(date) }, feed)
        const { period_to } = resolvePeriods({ period_to: dateOf(date) }, feed)
        expect(period >= Number(period_from)).toBe(starts >= dateOf(date))
        expect(period <= Number(period_to)).toBe(starts <= dateOf(date))
      }),
      { numRuns: 5_000 },
    )
  })

  test.each([
    ['electricity/rto/region-data', 'hourly', 1_795_741_200, 1_795_824_000],
    ['electricity/rto/region-data', 'local-hourly', 1_795_741_200, 1_795_824_000],
    ['natural-gas/stor/wkly', 'weekly', 20_261_203, 20_261_203],
    ['petroleum/cons/wpsup', 'four-week-average', 20_261_224, 20_261_224],
    ['petroleum/pri/gnd', 'weekly', 20_261_127, 20_261_127],
  ])('default: the %s periods (%s) that start on 27 November 2026', (route, frequency, first, last) => {
    const day = { period_from: '2026-11-27', period_to: '2026-11-27' }
    const { period_from, period_to } = resolvePeriods(day, { route, frequency })
    const [from = 0, to = 0] = [period_from, period_to]
    const startOf = (period: number) => coverageOf({ route, frequency }, period)?.start.slice(0, 10) ?? ''
    const step = frequency.endsWith('hourly') ? 3_600 : 1
    expect([startOf(first), startOf(last)]).toEqual(['2026-11-27', '2026-11-27'])
    expect([from <= first, from > first - step, to >= last, to < last + step]).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test.each([
    ['annual', 2026, [202_611, 20_261_127, 1_795_741_200]],
    ['quarterly', 202_610, [2026, 20_261_127, 1_795_741_200]],
    ['monthly', 202_611, [2026, 20_261_127, 1_795_741_200]],
    ['weekly', 20_261_127, [2026, 202_611, 1_795_741_200]],
    ['daily', 20_261_127, [0, 2026, 202_611, 1_795_741_200, 1_795_741_200_000]],
    ['four-week-average', 20_261_127, [2026, 202_611, 1_795_741_200]],
    ['hourly', 1_795_741_200, [2026, 202_611, 20_261_127, 1_795_741_200_000]],
    ['local-hourly', 1_795_741_200, [2026, 202_611, 20_261_127, 1_795_741_200_000]],
  ])('error: an integer of another scale than %s', (frequency, period, others) => {
    const feed = { route: 'any', frequency, period }
    expect(resolvePeriods({ period_from: period, period_to: period }, feed)).toEqual({
      period_from: period,
      period_to: period,
    })
    for (const other of others)
      for (const bound of ['period_from', 'period_to'])
        expect(() => resolvePeriods({ [bound]: other }, feed)).toThrow(
          new RegExp(`^${bound} must be .* digits\\), not ${other}, because the feed is ${frequency}$`),
        )
  })

  test('behavior: integers of the scale of the newest period stay, whatever the frequency', () => {
    const feed = { route: 'any', frequency: 'daily', period: 1_795_741_200 }
    expect(resolvePeriods({ period_to: 1_795_000_000 }, feed)).toEqual({ period_to: 1_795_000_000 })
  })

  test('behavior: integers and all else stay', () => {
    const query = { period_from: 1, period_to: 2, limit: 3, vintages: 'first' } as const
    expect(resolvePeriods(query, { route: 'any', frequency: 'of our own' })).toEqual(query)
    expect(resolvePeriods({}, { route: 'any', frequency: 'daily' })).toEqual({})
  })

  test('error: periods of a frequency that is not EIA’s have no date', () => {
    expect(() =>
      resolvePeriods({ period_to: '2026-11-20' }, { route: 'any', frequency: 'of our own' }),
    ).toThrow('period_to must be an integer, because periods of the frequency "of our own" have no dates')
  })
})
