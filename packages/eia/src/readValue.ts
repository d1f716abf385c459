import { defineError } from '@wattfeed/base'
import { clip } from './clip.ts'
import { isDecimal } from './scaleDecimal.ts'

/** `NaN`, an infinity, or digits with blanks or commas among them. None of them may pass for a value that EIA withholds. */
export const NotANumberError = defineError(
  'NotANumberError',
  'not_a_number',
  (facts: { text: string }) =>
    `the value ${JSON.stringify(facts.text)} is neither a number nor a word for a withheld value`,
)

const NOT_FINITE = /^[+-]?(?:nan|inf|infinity|∞)$/i

/**
 * Returns the decimal text of a value from EIA; null if it is withheld: JSON null, or a word such as `w` or `NA`.
 *
 * @throws `NotANumberError` for `NaN`, an infinity, or digits with blanks or thousands commas among them.
 *
 * @example
 * ```ts
 * import { readValue } from './readValue.ts'
 *
 * readValue('59.91') // '59.91'
 * readValue('w') // null
 * readValue('1,234.5') // throws
 * ```
 */
export function readValue(text: string | null): string | null {
  if (text === null || isDecimal(text)) return text
  const bare = text.replace(/[\s,]/g, '')
  if (isDecimal(bare) || NOT_FINITE.test(bare)) throw new NotANumberError({ text: clip(text) })
  return null
}
