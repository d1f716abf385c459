import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatCspr, parseCspr } from '../../src/operator/cspr.ts'

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

test('default: what is written reads back', () => {
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
