import { describe, expect, test } from 'bun:test'
import { isNextPeriod } from '@wattfeed/eia'
import fc from 'fast-check'
import { GAP_LIMIT, listGaps, MAX_GAP_VALUES, reachesAllGaps } from '../../../src/feeds/status/gaps.ts'

/** Values of these periods, oldest first; those in a list are of one transaction. */
const valuesOf = (...transactions: (number | number[])[]) =>
  transactions.flatMap((each, index) => [each].flat().map((period) => ({ period, timestamp: index })))
const gapsOf = (frequency: string, ...transactions: (number | number[])[]) =>
  listGaps(frequency, { values: valuesOf(...transactions), isWhole: true })

describe('listGaps', () => {
  test.each<[string, number[], number[]]>([
    ['annual', [2020, 2022, 2025], [2021, 2023, 2024]],
    ['quarterly', [202510, 202604, 202607], [202601]],
    ['monthly', [202611, 202702], [202612, 202701]],
    ['weekly', [20261106, 20261120], [20261113]],
    ['four-week-average', [20261106, 20261127], [20261113, 20261120]],
    ['hourly', [1_795_338_000, 1_795_345_200], [1_795_341_600]],
    ['local-hourly', [1_795_338_000, 1_795_345_200], [1_795_341_600]],
  ])('default: %s', (frequency, periods, gaps) => {
    expect(gapsOf(frequency, ...periods)).toEqual(gaps)
  })

  test('behavior: none without values, with one value, or without missing periods', () => {
    expect([gapsOf('monthly'), gapsOf('monthly', 202611), gapsOf('monthly', 202610, 202611)]).toEqual([
      [],
      [],
      [],
    ])
  })

  test('behavior: a late value is not a gap, nor is a period before the first value', () => {
    expect(gapsOf('monthly', 202609, 202611, [202610, 202611])).toEqual([])
    expect(gapsOf('monthly', 202609, [202605, 202609], 202611)).toEqual([202610])
  })

  test('behavior: of a partial history, only periods after the end of the first transaction', () => {
    const values = valuesOf([202601, 202602, 202609], 202611)
    expect([true, false].map((isWhole) => listGaps('monthly', { values, isWhole }))).toEqual([
      [202603, 202604, 202605, 202606, 202607, 202608, 202610],
      [202610],
    ])
    expect(listGaps('monthly', { values: valuesOf([202601, 202609]), isWhole: false })).toEqual([])
  })

  test('behavior: weekdays that a daily feed never has are no gaps, once it has values of two weeks', () => {
    const workdays = [20261102, 20261103, 20261104, 20261105, 20261106, 20261110, 20261112, 20261113]
    // Without the weekend, Monday the 9th, and Wednesday the 11th, which is Veterans Day: some markets have values of it.
    expect(gapsOf('daily', ...workdays)).toEqual([20261107, 20261108, 20261109, 20261111])
    expect(gapsOf('daily', ...workdays, 20261116)).toEqual([20261109, 20261111])
    // A Sunday: there is no Saturday yet.
    expect(gapsOf('daily', 20261101, ...workdays, 20261116)).toEqual([
      ...[20261108, 20261109, 20261111, 20261115],
    ])
  })

  test('behavior: an invalid period, or a period of another frequency', () => {
    expect(gapsOf('monthly', 202611, 202613)).toEqual([])
    expect(gapsOf('constructor', 1, 3)).toEqual([])
    expect(gapsOf('annual', 0, 9999)).toHaveLength(60)
    expect(gapsOf('daily', 5, 20261107, 20261121)).toEqual([
      ...[20260926, 20261003, 20261010, 20261017, 20261024, 20261031, 20261114],
    ])
  })

  test('behavior: they lie between the first and the newest, are not held, and fill every hole', () => {
    const years = fc.uniqueArray(fc.integer({ min: 2000, max: 2050 }), { minLength: 1 })
    fc.assert(
      fc.property(years, (periods) => {
        const sorted = periods.toSorted()
        const all = [...sorted, ...gapsOf('annual', ...sorted)].toSorted()
        expect(new Set(all).size).toBe(all.length)
        for (const [index, period] of all.entries())
          if (index > 0) expect(isNextPeriod('annual', all[index - 1] ?? 0, period)).toBe(true)
      }),
    )
  })
})

describe('reachesAllGaps', () => {
  const HOUR = 3_600
  const FIRST = 1_795_338_000
  const hours = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => FIRST + (from + index) * HOUR)

  /** The fewest of these values that are enough, and the gaps that they tell. */
  function readBack(...transactions: (number | number[])[]) {
    const all = valuesOf(...transactions)
    const newest = (length: number) => ({ values: all.slice(-length), isWhole: length >= all.length })
    let length = 1
    while (!reachesAllGaps('hourly', newest(length))) length += 1
    return { length, gaps: listGaps('hourly', newest(length)) }
  }

  test('default: as many values as periods are searched', () => {
    expect(readBack(...hours(0, 200))).toEqual({ length: GAP_LIMIT, gaps: [] })
  })

  test('behavior: a whole history is enough, however short', () => {
    expect(readBack(...hours(0, 5))).toEqual({ length: 5, gaps: [] })
    expect(reachesAllGaps('hourly', { values: [], isWhole: true })).toBe(true)
  })

  test('behavior: late values that repeat the newest one do not hide the other gaps', () => {
    // The hours from 100 to 159 are missing: a value came too early. 16 transactions catch up the first 48 of them.
    const late = Array.from({ length: 16 }, (_, index) => [
      ...hours(100 + 3 * index, 103 + 3 * index),
      ...hours(160, 161),
    ])
    const { length, gaps } = readBack(...hours(0, 100), ...hours(160, 161), ...late)
    expect([length, gaps]).toEqual([64 + 2, hours(148, 160)])
    const later = readBack(...hours(0, 100), ...hours(160, 161), ...late, ...hours(161, 181))
    expect([later.length, later.gaps]).toEqual([64 + 2 + 20, hours(148, 160)])
  })

  test('behavior: revisions with each new value do not shorten the search', () => {
    const revised = hours(1, 200).map((hour) => [hour - 2 * HOUR, hour - HOUR, hour])
    const { length, gaps } = readBack(...revised.toSpliced(150, 1))
    expect([length, gaps]).toEqual([1 + 3 * (GAP_LIMIT - 2), []])
    expect(readBack(...revised.toSpliced(150, 3)).gaps).toEqual(hours(151, 152))
  })

  test('behavior: reading ends if too many values repeat', () => {
    const [last = 0] = hours(60, 61)
    expect(readBack(...hours(0, 50), ...Array<number>(1_000).fill(last)).length).toBe(MAX_GAP_VALUES)
  })

  test('behavior: a feed without earlier periods needs only the newest values', () => {
    const values = valuesOf(...Array.from({ length: GAP_LIMIT }, (_, index) => index))
    expect(reachesAllGaps('constructor', { values, isWhole: false })).toBe(true)
  })
})
