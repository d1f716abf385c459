import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isDecimal, ScaleError, scaleDecimal } from '../src/scaleDecimal.ts'
import { type Decimal, decimal } from './decimal.ts'

/** The same result by a quotient of integers. */
function scaleByDivision({ sign, mantissa, exponent }: Decimal, decimals: number): bigint | string {
  if (sign * mantissa < 0n) return 'negative'
  const power = exponent + decimals
  const amount = power < 0 ? mantissa / 10n ** BigInt(-power) : mantissa * 10n ** BigInt(power)
  return amount >= 2n ** 512n ? 'too_large' : amount
}

function outcome(text: string, decimals: number): bigint | string {
  try {
    return scaleDecimal(text, decimals)
  } catch (error) {
    if (error instanceof ScaleError) return error.reason
    throw error
  }
}

describe('scaleDecimal', () => {
  const scaled: [string, number, bigint][] = [
    ['59.91', 6, 59910000n],
    ['59.91', 1, 599n],
    ['59.91', 0, 59n],
    ['.306', 4, 3060n],
    ['.3069', 3, 306n],
    ['7.', 2, 700n],
    ['007', 0, 7n],
    ['+5', 1, 50n],
    ['0', 6, 0n],
    ['0.0009', 3, 0n],
    ['1.5e3', 0, 1500n],
    ['1.5E+3', 2, 150000n],
    ['12345e-3', 2, 1234n],
    ['1e-400', 3, 0n],
    ['0e99999999999999999999', 3, 0n],
    ['1e-99999999999999999999', 3, 0n],
    ['82846.1340383561643835616438356164383562', 3, 82846134n],
    ['9007199254740993', 0, 9007199254740993n],
    [String(2n ** 512n - 1n), 0, 2n ** 512n - 1n],
    [`.${'0'.repeat(300)}7`, 301, 7n],
  ]
  test.each(scaled)('default: %s with %i decimals is %p', (text, decimals, amount) => {
    expect(scaleDecimal(text, decimals)).toBe(amount)
  })

  test('behavior: agrees with exact division', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 255 }), (number, decimals) => {
        expect(outcome(number.text, decimals)).toBe(scaleByDivision(number, decimals))
      }),
      { numRuns: 2000 },
    )
  })

  test('behavior: minus zero is zero', () => {
    expect(['-0', '-.0', '-0.000e5'].map((text) => scaleDecimal(text, 3))).toEqual([0n, 0n, 0n])
  })

  test('error: not a number', () => {
    const texts = ['', 'w', 'NA', '--', '.', '-', '+.', 'e5', '1e', '1e+', '1.2.3', '1,234', '0x10', '1_000']
    const others = [' 1', '1 ', '1\n', 'NaN', 'Infinity', '١', '1e1.5', '--5', '5%']
    for (const text of [...texts, ...others]) {
      expect(isDecimal(text)).toBeFalse()
      expect(outcome(text, 2)).toBe('not_a_number')
    }
  })

  test('error: negative, even if nothing of it would be left', () => {
    expect(['-1', '-.0001', '-1e-400'].map((text) => outcome(text, 2))).toEqual(Array(3).fill('negative'))
  })

  test('error: more than 512 bits, however it is written', () => {
    const texts = [String(2n ** 512n), '1e155', '1e400', '1e99999999999999999999', '9'.repeat(200)]
    for (const text of texts) expect(outcome(text, 0)).toBe('too_large')
    expect(outcome('1e150', 5)).toBe('too_large')
  })

  test('error: facts as fields, a long text cut', () => {
    const error = new ScaleError({ text: 'w', decimals: 2, reason: 'not_a_number' })
    expect({ ...error, message: error.message }).toEqual({
      code: 'scale',
      retryable: false,
      text: 'w',
      decimals: 2,
      reason: 'not_a_number',
      message: '"w" with 2 decimals cannot be attested: it is not a decimal number',
    })
    expect(() => scaleDecimal('x'.repeat(10_000), 0)).toThrow(`"${'x'.repeat(80)}" with`)
  })

  test('behavior: a text of millions of digits takes no time', () => {
    const million = 5_000_000
    expect(scaleDecimal(`${'0'.repeat(million)}.7`, 1)).toBe(7n)
    expect(scaleDecimal(`0.7${'1'.repeat(million)}`, 1)).toBe(7n)
    expect(outcome('9'.repeat(million), 0)).toBe('too_large')
    expect(outcome(`${'9'.repeat(million)}x`, 0)).toBe('not_a_number')
  })
})

describe('isDecimal', () => {
  test('default: accepts the same texts as scaleDecimal', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          decimal.map(({ text }) => text),
          fc.string({ unit: fc.constantFrom(...'+-.0127eE') }),
        ),
        (text) => {
          expect(isDecimal(text)).toBe(outcome(text, 0) !== 'not_a_number')
        },
      ),
    )
  })
})
