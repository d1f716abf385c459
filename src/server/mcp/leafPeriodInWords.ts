import type { Leaf } from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import { periodInWords } from '../feedTexts.ts'
import { quote } from './texts.ts'

/** Returns the period of a leaf in words; as EIA writes it if it is none of the frequency. */
export function leafPeriodInWords({ route, frequency, period }: Leaf): string {
  try {
    return periodInWords({ route, frequency }, encodePeriod(frequency, period))
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    return quote(period)
  }
}
