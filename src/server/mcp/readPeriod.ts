import { encodePeriod, PeriodError, startOfPeriod } from '@wattfeed/eia'
import { InvalidArgumentError } from 'wattfeed'
import { showFrequency } from '../feedTexts.ts'

/**
 * Returns the integer of a period, from its text (`2026-11-20`, `2026-11`, `2026-Q3`, `2026`) or its digits.
 *
 * @throws {InvalidArgumentError} when the text is not a period of the frequency.
 */
export function readPeriod(argument: string, frequency: string, text: string): number {
  try {
    return encodePeriod(frequency, text)
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    if (/^\d{1,16}$/.test(text) && isPeriod(frequency, Number(text))) return Number(text)
    throw new InvalidArgumentError(argument, `${error.rule}, because the feed is ${showFrequency(frequency)}`)
  }
}

/** Returns whether an integer is a period of the frequency. Those of other frequencies than EIA's can be any. */
const isPeriod = (frequency: string, integer: number): boolean =>
  showFrequency(frequency) === 'other' || startOfPeriod(frequency, integer) !== null
