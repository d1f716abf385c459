import { describe, expect, test } from 'bun:test'
import { stopClock } from '@wattfeed/testing/clock'
import fc from 'fast-check'
import { parseRetryAfter } from '../../src/bytes/retryAfter.ts'

const now = Date.UTC(2026, 10, 20, 12, 0, 0)
const maxMs = 30_000

describe('parseRetryAfter', () => {
  const headers: [string | null, number | null][] = [
    ['0', 0],
    ['12', 12_000],
    [' 7 ', 7_000],
    [' 0 ', 0],
    ['-5x', null],
    ['Fri, 20 Nov 2026 12:00:21 GMT', 21_000],
    ['Fri, 20 Nov 2026 11:59:59 GMT', 0],
    ['soon', null],
    ['', null],
    [' ', null],
    [null, null],
  ]
  test.each(headers)('default: %p means %p ms', (header, waitMs) => {
    expect(parseRetryAfter(header, maxMs, now)).toBe(waitMs)
  })

  test.each(['30', '3600', '9'.repeat(15), '9'.repeat(400), 'Fri, 01 Jan 2100 00:00:00 GMT'])(
    'behavior: %p is no more than what is honoured',
    (header) => {
      expect(parseRetryAfter(header, maxMs, now)).toBe(maxMs)
    },
  )

  test.each(['1e+23', '1e3', '-1', '+5', '1.5', '0x10', '2100-01-01', 'Infinity', 'NaN', '5 s', '５'])(
    'error: %p is ignored',
    (header) => {
      expect(parseRetryAfter(header, maxMs, now)).toBeNull()
    },
  )

  test('behavior: a date counts from now', () => {
    using _ = stopClock()
    const header = new Date(Date.now() + 20_000).toUTCString()
    expect(parseRetryAfter(header, maxMs)).toBeWithin(18_000, 20_001)
  })

  test('behavior: any text gives a wait from 0 to what is honoured, or null', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789 .:-+eGMT,') }))
    fc.assert(
      fc.property(texts, fc.nat(), (header, most) => {
        const waitMs = parseRetryAfter(header, most, now)
        expect(waitMs === null || (waitMs >= 0 && waitMs <= most)).toBeTrue()
      }),
    )
  })

  test('behavior: seconds and dates that were written are read', () => {
    fc.assert(
      fc.property(fc.nat(1e7), (seconds) => {
        const ms = seconds * 1000
        expect(parseRetryAfter(String(seconds), 1e12, now)).toBe(ms)
        expect(parseRetryAfter(new Date(now + ms).toUTCString(), 1e12, now)).toBe(ms)
      }),
    )
  })
})
