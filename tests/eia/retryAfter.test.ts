import { expect, test } from 'bun:test'
import { parseRetryAfter } from '../../src/eia/retryAfter.ts'

const now = Date.UTC(2026, 10, 21, 12)

test('default: seconds, or a date', () => {
  expect(parseRetryAfter('7', now)).toBe(7000)
  expect(parseRetryAfter(' 0 ', now)).toBe(0)
  expect(parseRetryAfter('Sat, 21 Nov 2026 12:00:30 GMT', now)).toBe(30_000)
  expect(parseRetryAfter('Sat, 21 Nov 2026 11:00:00 GMT', now)).toBe(0)
})

test('behavior: null where it says nothing', () => {
  for (const header of [null, '', ' ', 'soon', '-5x']) expect(parseRetryAfter(header, now)).toBeNull()
})
