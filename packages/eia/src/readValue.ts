import { defineError } from '@wattfeed/base'
import { clip } from './clip.ts'
import { isDecimal } from './scaleDecimal.ts'

/** A text that is neither a number nor a known mark. It may not pass for a value that EIA withholds. */
export const NotANumberError = defineError(
  'NotANumberError',
  'not_a_number',
  (facts: { text: string }) =>
    `the value ${JSON.stringify(facts.text)} is neither a number nor a mark by which EIA withholds one, such as W or NA; check EIA's data`,
)

/**
 * The marks that EIA's publications explain, in lower case. Withheld: w, d, q. Not available: na. Not meaningful: nm. Too small to be shown: * and
 * s. Not applicable or not reported: dashes, a dot, nothing.
 */
const MARKS: ReadonlySet<string> = new Set([
  'w',
  'd',
  'q',
  'na',
  'n/a',
  'nm',
  '*',
  's',
  '(s)',
  '-',
  '--',
  '–',
  '––',
  '—',
  '.',
  '',
])

/**
 * Returns the decimal text of a value from EIA; null if it is withheld: JSON null, or a known mark such as `w` or `NA`, in any case of letters.
 *
 * @throws `NotANumberError` for any other text, such as `NaN`, `1,234.5`, `12%` or `0x10`.
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
  if (MARKS.has(text.replace(/\s/g, '').toLowerCase())) return null
  throw new NotANumberError({ text: clip(text) })
}
