import { expect, test } from 'bun:test'
import type { EiaRow } from '@wattfeed/eia'
import { createRandom } from '@wattfeed/testing/random'
import { inventPast } from '../../../src/demo/standIn/inventPast.ts'

const generator = createRandom(1)
const random = () => generator

const series = { route: 'any', facets: {} }

const row = (period: string, value: string | null): EiaRow => ({
  period,
  value,
  unit: null,
  statedUnit: null,
})

test('default: the unknown periods before the newest, newest first, with the same number of decimals', () => {
  const feed = { ...series, feed_id: 'X.PRICE', frequency: 'monthly' as const }
  const rows = inventPast(feed, [row('2026-03', '12.50'), row('2026-01', '12.40')], random)
  expect(rows).toHaveLength(35)
  expect(rows.slice(0, 3).map(({ period }) => period)).toEqual(['2026-02', '2025-12', '2025-11'])
  expect(rows.at(-1)?.period).toBe('2023-03')
  for (const { value } of rows) expect(value).toMatch(/^1\d\.\d\d$/)
})

test('behavior: gas consumption peaks in winter, power demand in the American evening', () => {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const gas = { ...series, feed_id: 'EIA.NG.CONS.TOTAL.MONTHLY', frequency: 'monthly' as const }
  const months = inventPast(gas, [row('2026-09', '2391508')], random)
  const inMonths = (pattern: RegExp) =>
    mean(months.filter(({ period }) => pattern.test(period)).map(({ value }) => Number(value)))
  expect(inMonths(/-0[12]$/)).toBeGreaterThan(1.2 * inMonths(/-0[78]$/))
  const power = { ...series, feed_id: 'EIA.ELEC.DEMAND.US48.HOURLY', frequency: 'hourly' as const }
  const hours = inventPast(power, [row('2026-11-19T23', '446020')], random)
  const inHours = (pattern: RegExp) =>
    mean(hours.filter(({ period }) => pattern.test(period)).map(({ value }) => Number(value)))
  expect(inHours(/T2[123]$/)).toBeGreaterThan(1.1 * inHours(/T1[012]$/))
})

test('behavior: a withheld row stays withheld', () => {
  const feed = { ...series, feed_id: 'X', frequency: 'annual' as const }
  const rows = inventPast(feed, [row('2025', '9'), row('2024', 'w'), row('2023', null)], random)
  expect(rows.map(({ period }) => period).slice(0, 2)).toEqual(['2022', '2021'])
})
