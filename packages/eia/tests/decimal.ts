import fc from 'fast-check'

/** A decimal number, and one of its many text forms. */
export interface Decimal {
  text: string
  /** The value is `sign * mantissa * 10^exponent`. */
  sign: bigint
  mantissa: bigint
  exponent: number
}

const digits = (minLength: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength: 180 }).map((list) => list.join(''))

export const decimal: fc.Arbitrary<Decimal> = fc
  .record({
    sign: fc.constantFrom('', '', '', '+', '-'),
    parts: fc.oneof(
      fc.record({ whole: digits(1), fraction: fc.option(digits(0)) }),
      fc.record({ whole: fc.constant(''), fraction: digits(1) }),
    ),
    power: fc.option(fc.integer({ min: -400, max: 400 })),
    e: fc.constantFrom('e', 'E'),
    plus: fc.constantFrom('', '+'),
  })
  .map(({ sign, parts: { whole, fraction }, power, e, plus }) => {
    const exponent = power === null ? '' : `${e}${power < 0 ? '' : plus}${power}`
    return {
      text: `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent}`,
      sign: sign === '-' ? -1n : 1n,
      mantissa: BigInt(whole + (fraction ?? '')),
      exponent: (power ?? 0) - (fraction ?? '').length,
    }
  })
