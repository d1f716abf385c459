import { defineError } from '@wattfeed/base'
import { clip } from './clip.ts'

const REASONS = {
  not_a_number: 'is not a decimal number',
  negative: 'is negative, but the chain stores unsigned amounts only',
  too_large: 'has more than 512 bits once it is scaled',
}

/** A text that cannot become an amount. */
export const ScaleError = defineError(
  'ScaleError',
  'scale',
  (facts: { text: string; decimals: number; reason: keyof typeof REASONS }) =>
    `${JSON.stringify(facts.text)} with ${facts.decimals} decimals cannot be attested: it ${REASONS[facts.reason]}`,
)

// Each run of digits matches in one place only, so a long invalid text fails in linear time.
const DECIMAL = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

const MAX_AMOUNT = 2n ** 512n - 1n
const MAX_DIGITS = String(MAX_AMOUNT).length

/**
 * Returns the amount of a decimal text: its value times 10^`decimals`, further decimals cut off.
 *
 * Works on digits alone, so nothing is ever rounded to a double. `-0` is zero.
 *
 * @throws {@link ScaleError} `not_a_number`, `negative`, or `too_large` for more than 512 bits.
 *
 * @example
 * ```ts
 * import { scaleDecimal } from './scaleDecimal.ts'
 *
 * scaleDecimal('59.91', 6) // 59910000n
 * scaleDecimal('.3069', 3) // 306n
 * scaleDecimal('1.5e3', 0) // 1500n
 * ```
 */
export function scaleDecimal(text: string, decimals: number): bigint {
  const fail = (reason: keyof typeof REASONS) => new ScaleError({ text: clip(text), decimals, reason })
  const match = DECIMAL.exec(text)
  if (match === null) throw fail('not_a_number')
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  if (sign === '-') throw fail('negative')
  const leadingZeros = whole.length + fraction.length - digits.length
  // Counted before any digit is written: a large exponent could exhaust the memory.
  const length = whole.length - leadingZeros + Number(exponent) + decimals
  if (length <= 0) return 0n
  if (length > MAX_DIGITS) throw fail('too_large')
  const amount = BigInt(digits.slice(0, length).padEnd(length, '0'))
  if (amount > MAX_AMOUNT) throw fail('too_large')
  return amount
}

/** Returns whether a text is a number that {@link scaleDecimal} accepts, which may have a sign and an exponent. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text)
