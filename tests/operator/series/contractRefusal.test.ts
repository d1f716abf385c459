import { expect, test } from 'bun:test'
import { contractRefusal } from '../../../src/operator/series/contractRefusal.ts'

test.each(['17.4', '-.5', '7.', '0'])('default: a contract that pins its unit takes %s', (value) => {
  expect(contractRefusal({ value, unit: '$/BBL' }, '$/BBL')).toBeNull()
  expect(contractRefusal({ value, unit: null }, null)).toBeNull()
})

test.each(['w', '', '1,234', '1e5', '+5', '.', '-'])('behavior: not %p', (value) => {
  expect(contractRefusal({ value, unit: null }, null)).toBe(
    `the value '${value}' is not a number that a contract takes`,
  )
})

test('behavior: nor a value that is withheld, or has another unit', () => {
  expect(contractRefusal({ value: null, unit: null }, null)).toBe('EIA withholds the value')
  const other = "the unit of the value is 'W', and the contract pins none"
  expect(contractRefusal({ value: '1', unit: 'W' }, null)).toBe(other)
})
