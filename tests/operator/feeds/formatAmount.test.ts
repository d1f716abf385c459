import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { scaleDecimal } from '../../../src/eia/scaleDecimal.ts'
import { formatAmount } from '../../../src/operator/feeds/formatAmount.ts'

const amounts: [bigint, number, string][] = [
  [59_910_000n, 6, '59.910000'],
  [306n, 4, '0.0306'],
  [0n, 3, '0.000'],
  [7n, 0, '7'],
  [2n ** 512n - 1n, 0, (2n ** 512n - 1n).toString()],
]
test.each(amounts)('default: %p with %p decimals', (amount, decimals, text) => {
  expect(formatAmount(amount, decimals)).toBe(text)
})

test('default: what is written scales back to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 512n - 1n), fc.nat(255), (amount, decimals) => {
      expect(scaleDecimal(formatAmount(amount, decimals), decimals)).toBe(amount)
    }),
  )
})
