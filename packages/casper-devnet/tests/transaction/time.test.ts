import { describe, expect, test } from 'bun:test'
import { formatDuration } from '@wattfeed/casper/types'
import fc from 'fast-check'
import { parseDuration, parseTimestamp } from '../../src/transaction/nodeReader.ts'
import { transactions } from '../support/recordings.ts'

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

  test('error: the messages equal the recorded node’s', () => {
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

  test('behavior: a formatted duration parses to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (durationMs) =>
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs),
      ),
    )
  })
})

describe('parseTimestamp', () => {
  test.each([
    ['2026-11-20T10:00:58.556Z', Date.UTC(2026, 10, 20, 10, 0, 58, 556)],
    ['2026-11-20 10:00:58', Date.UTC(2026, 10, 20, 10, 0, 58)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['1970-01-01T00:00:00Z', 0],
  ])('default: %s', (text, timestampMs) => expect(parseTimestamp(text)).toBe(timestampMs))

  test.each([
    ['2026-11-20', 'timestamp format is invalid'],
    ['2026-11-20T10:00:58+01:00', 'timestamp format is invalid'],
    ['2026-13-01T00:00:00Z', 'timestamp is out of range'],
    ['2021-02-30T00:00:00Z', 'timestamp is out of range'],
    ['1969-12-31T23:59:59Z', 'timestamp is out of range'],
    ['0000-01-01T00:00:00Z', 'timestamp is out of range'],
  ])('error: %s', (text, rule) => expect(() => parseTimestamp(text)).toThrow(rule))
})
