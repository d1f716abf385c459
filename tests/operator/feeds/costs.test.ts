import { expect, test } from 'bun:test'
import { frequencies } from '@wattfeed/eia'
import type { Frequency } from '../../../src/agent/intervals.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { estimateCosts, formatCosts } from '../../../src/operator/feeds/costs.ts'
import { createConfig } from './support/feedConfigs.ts'

/** A real node's charges, in CSPR: for one value, and for each of four in a batch. */
const measured = { single: [1.45, 1.48], batched: [4.15 / 4, 4.2 / 4] }

const cspr = (motes: string | undefined): number => Number(motes) / 1e9

test('default: a daily feed costs slightly more than a real node charged per day', () => {
  const { day } = estimateCosts([createConfig()], null)
  for (const [motes, [least = 0, most = 0]] of [
    [day.single_motes, measured.single],
    [day.batched_motes, measured.batched],
  ] as const) {
    expect(cspr(motes)).toBeGreaterThan(least)
    expect(cspr(motes)).toBeLessThan(most * 1.06)
  }
  expect(day.single_cspr).toBe(cspr(day.single_motes).toFixed(9))
})

test('default: by frequency, and in all', () => {
  const expected: [Frequency, number][] = [
    ['hourly', 24],
    ['local-hourly', 24],
    ['daily', 1],
    ['weekly', 1 / 7],
    ['four-week-average', 1 / 7],
    ['monthly', 12 / 365.2425],
    ['quarterly', 4 / 365.2425],
    ['annual', 1 / 365.2425],
  ]
  expect(expected.map(([frequency]) => frequency).toSorted()).toEqual([...frequencies].toSorted())
  const { feeds, day, month } = estimateCosts(
    expected.map(([frequency]) => createConfig({ frequency })),
    null,
  )
  const one = cspr(feeds[2]?.day.single_motes)
  for (const [index, [, rate]] of expected.entries()) {
    expect(feeds[index]?.values_a_day).toBeCloseTo(rate, 9)
    expect(cspr(feeds[index]?.day.single_motes)).toBeCloseTo(rate * one, 6)
    expect(cspr(feeds[index]?.month.single_motes)).toBeCloseTo(((rate * 365.2425) / 12) * one, 5)
  }
  const sum = feeds.reduce((total, feed) => total + cspr(feed.day.batched_motes), 0)
  expect(cspr(day.batched_motes)).toBeCloseTo(sum, 6)
  expect(cspr(month.single_motes)).toBeCloseTo((cspr(day.single_motes) * 365.2425) / 12, 6)
})

test('behavior: PAYMENT_MOTES counts: a quarter of the unused part is lost, and no batch fits a small payment', () => {
  const { day: usual } = estimateCosts([createConfig()], null)
  const { day } = estimateCosts([createConfig()], 6_000_000_000n)
  expect(BigInt(day.single_motes) - BigInt(usual.single_motes)).toBe((6_000_000_000n - 2_500_000_000n) / 4n)
  const { day: little } = estimateCosts([createConfig()], 2_000_000_000n)
  expect(little.batched_motes).toBe(little.single_motes)
})

test('default: for people: a line per feed, the sums in CSPR and motes, and the assumptions in one line', async () => {
  const lines = formatCosts(estimateCosts(await loadFeeds(null), null)).split('\n')
  expect(lines).toHaveLength(1 + 36 + 4)
  expect(lines[0]).toMatch(/^feed +values a day +CSPR a day +CSPR a month$/)
  expect(lines.find((line) => line.startsWith('EIA.ELEC.DEMAND.US48.HOURLY'))).toMatch(
    / 24 +2\d\.\d{4} to 3\d\.\d{4} +\d{3}\.\d{4} to \d{4}\.\d{4}$/,
  )
  expect(lines.slice(-4)).toEqual([
    '36 feeds, 55.2 values a day, from fully batched to one value per transaction:',
    expect.stringMatching(/^ {2}a day {4}60\.\d{4} to 83\.\d{4} CSPR {6}60\d{9} to 83\d{9} motes$/),
    expect.stringMatching(/^ {2}a month {2}1834\.\d{4} to 2548\.\d{4} CSPR {2}1834\d{9} to 2548\d{9} motes$/),
    expect.stringMatching(/^Upper bounds .* Revisions, catching up and registering are not included\.$/),
  ])
})
