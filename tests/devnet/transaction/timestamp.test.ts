import { describe, expect, test } from 'bun:test'
import { parseTimestamp } from '../../../src/devnet/transaction/timestamp.ts'

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
