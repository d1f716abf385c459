import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatDuration, parseDuration } from '../../../src/devnet/transaction/duration.ts'
import { transactions } from '../../agent/support/recorded.ts'

describe('parseDuration', () => {
  test.each([
    ['30m', 1_800_000],
    ['1h 30m', 5_400_000],
    ['2 hours', 7_200_000],
    ['1day', 86_400_000],
    ['1s 500ms', 1_500],
    ['1500000us', 1_500],
    [' 2w ', 1_209_600_000],
    ['1M1y', 34_187_616_000],
  ])('default: %s', (text, durationMs) => expect(parseDuration(text)).toBe(durationMs))

  test('error: in the recorded node’s words', () => {
    const recorded = transactions.find(({ note }) => note === 'ttl too long')
    const data = recorded && 'error' in recorded ? recorded.error.data : null
    expect(() => parseDuration('4undefined 2day')).toThrow(String(data))
  })

  test.each([
    ['', 'value was empty'],
    ['30', 'time unit needed'],
    ['m', 'expected number at 0'],
    ['30m m', 'expected number at 4'],
    ['99999999999999999999years', 'number is too large'],
    [`${'9'.repeat(400)}s`, 'number is too large'],
  ])('error: %p', (text, rule) => expect(() => parseDuration(text)).toThrow(rule))
})

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [1_800_000, '30m'],
    [5_400_000, '1h 30m'],
    [7_200_001, '2h 1ms'],
    [86_400_000, '1day'],
    [180_000_000, '2days 2h'],
  ])('default: %p', (durationMs, text) => expect(formatDuration(durationMs)).toBe(text))

  test('behavior: what is printed reads as the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (durationMs) =>
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs),
      ),
    )
  })
})
