import { expect, test } from 'bun:test'
import { scaleValue } from '../../../src/operator/series/scaleValue.ts'

test.each([
  ['59.91', 2, 5_991n],
  ['2.1000', 2, 210n],
  ['.3', 2, 30n],
  ['-.3', 1, -3n],
  ['5.', 0, 5n],
  ['007', 1, 70n],
  ['-0.00', 0, 0n],
  ['.0', 0, 0n],
  ['92233720368547758.07', 2, 2n ** 63n - 1n],
  ['-92233720368547758.08', 2, -(2n ** 63n)],
])('scaleValue: %s at %d decimals', (value, decimals, scaled) => {
  expect(scaleValue(value, decimals)).toBe(scaled)
})

test.each([
  ['', 2],
  ['w', 2],
  ['1e5', 2],
  ['1,000', 2],
  ['.', 2],
  ['-', 2],
  [' 1', 2],
  ['2.105', 2],
  ['92233720368547758.08', 2],
  ['-92233720368547758.09', 2],
])('scaleValue: none for %p at %d decimals', (value, decimals) => {
  expect(scaleValue(value, decimals)).toBeNull()
})
