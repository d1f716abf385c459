import { expect, test } from 'bun:test'
import { scaleDecimal } from '@wattfeed/eia'
import fc from 'fast-check'
import { formatAmount, formatCspr, parseCspr } from '../../src/operator/amounts.ts'

const amounts: [bigint, string][] = [
  [0n, '0 CSPR'],
  [1n, '0.000000001 CSPR'],
  [2_500_000_000n, '2.5 CSPR'],
  [200_000_000_000n, '200 CSPR'],
  [999_999_999_999_997_545_752_559_591n, '999999999999997545.752559591 CSPR'],
]
test.each(amounts)('default: %p motes', (motes, text) => {
  expect(formatCspr(motes)).toBe(text)
})

test('default: a formatted amount parses to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 18n - 1n), (motes) =>
      expect(parseCspr(formatCspr(motes).replace(' CSPR', ''))).toBe(motes),
    ),
  )
})

test.each(['', '-1', '1e3', '1.0000000001', '.5', '1.', ' 1', '1000000000000'])(
  'error: %p is no amount',
  (text) => {
    expect(parseCspr(text)).toBeNull()
  },
)

const scaled: [bigint, number, string][] = [
  [59_910_000n, 6, '59.910000'],
  [306n, 4, '0.0306'],
  [0n, 3, '0.000'],
  [7n, 0, '7'],
  [2n ** 512n - 1n, 0, (2n ** 512n - 1n).toString()],
]
test.each(scaled)('default: %p with %p decimals', (amount, decimals, text) => {
  expect(formatAmount(amount, decimals)).toBe(text)
})

test('default: a formatted amount scales to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 512n - 1n), fc.nat(255), (amount, decimals) => {
      expect(scaleDecimal(formatAmount(amount, decimals), decimals)).toBe(amount)
    }),
  )
})
