import { expect, test } from 'bun:test'
import { Spending } from '../../../src/agent/monitor/spending.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const CSPR = 1_000_000_000n

function createBench(frequencies: ConstructorParameters<typeof Spending>[1] = () => ['hourly', 'daily']) {
  let at = Date.parse('2026-11-22T08:30:00Z')
  const spending = new Spending(() => at, frequencies)
  return {
    charged: (...given: Parameters<Spending['charged']>) => spending.charged(...given),
    daysLeft: (motes: bigint) => spending.daysLeft(motes),
    pass(ms: number): void {
      at += ms
    },
  }
}

test('default: in the first day, the rate of the frequencies at the measured cost', () => {
  const { charged, daysLeft } = createBench()
  expect(daysLeft(100n * CSPR)).toBeNull()
  // A first cycle attests many at once: that is no rate.
  charged(60n * CSPR, 30)
  expect(daysLeft(100n * CSPR)).toBe(2)
  charged(30n * CSPR, 60)
  expect(daysLeft(100n * CSPR)).toBe(4)
})

test('default: from the second day on, the charges since the start, of at most seven days', () => {
  const bench = createBench()
  for (let hour = 0; hour < 36; hour++) {
    bench.charged(1n * CSPR, 1)
    bench.pass(HOUR)
  }
  expect(bench.daysLeft(240n * CSPR)).toBe(10)
  bench.pass(6.5 * DAY)
  bench.charged(12n * CSPR, 12)
  // Of the 36 hours the last twelve are no older than seven days.
  expect(bench.daysLeft(36n * CSPR)).toBeCloseTo(10.5, 9)
})

test('behavior: after a day without a charge, at least the rate of the frequencies', () => {
  const bench = createBench()
  bench.charged(2n * CSPR, 2)
  bench.pass(8 * DAY)
  expect(bench.daysLeft(50n * CSPR)).toBe(2)
  const yearly = createBench(() => ['annual'])
  yearly.charged(2n * CSPR, 1)
  yearly.pass(30 * DAY)
  expect(yearly.daysLeft(8n * CSPR)).toBeCloseTo(4 * 365.2425, 6)
})

test('behavior: the days do not grow when the charges end on the first day, and soon after', () => {
  const bench = createBench()
  for (let hour = 0; hour < 2; hour++) {
    bench.charged(1n * CSPR, 1)
    bench.pass(HOUR)
  }
  for (let hour = 2; hour < 72; hour++) {
    expect(bench.daysLeft(50n * CSPR)).toBe(2)
    bench.pass(HOUR)
  }
})

test('behavior: a balance that does not pay for one transaction is low for as long as it stays', () => {
  const bench = createBench()
  expect(bench.daysLeft(2_499_999_999n)).toBe(0)
  bench.charged(1n * CSPR, 1)
  bench.pass(365 * DAY)
  expect(bench.daysLeft(2_499_999_999n)).toBe(0)
})
