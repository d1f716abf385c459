import { expect, test } from 'bun:test'
import { alignDecimals, columnDecimals, decimalsByUnit } from '../../../src/web/cite/columnDecimals.ts'

const at = (amount: string, decimals: number, unit = '$/bbl') => ({ amount, decimals, unit })

test.each([
  [[at('58460000', 6), at('58400000', 6)], 2],
  [[at('58', 0), at('3', 3)], 3],
  [[at('58', 0)], 0],
  [[], 0],
  // A stranger's feed does not fill the others' values with zeros.
  [[at('1', 18), at('584', 1)], 6],
])('columnDecimals > default: of %j are %d', (column, decimals) => {
  expect(columnDecimals(column)).toBe(decimals)
})

test('decimalsByUnit > default: only values of one unit share their decimals', () => {
  const feeds = [at('5840', 2), at('5846', 2), at('3921', 0, 'Bcf')]
  expect([...decimalsByUnit(feeds)]).toEqual([
    ['$/bbl', 2],
    ['Bcf', 0],
  ])
})

test.each([
  ['58.4', 2, '58.40'],
  ['1,058', 2, '1,058.00'],
  ['58.46', 2, '58.46'],
  ['58.461', 2, '58.461'],
  ['58', 0, '58'],
  // Shortened, so that more digits would be wrong.
  ['1.34078…e+154', 9, '1.34078…e+154'],
  ['0.000000000000000000000000…', 30, '0.000000000000000000000000…'],
])('alignDecimals > default: %s with %d decimals is %s', (text, decimals, aligned) => {
  expect(alignDecimals(text, decimals)).toBe(aligned)
})
