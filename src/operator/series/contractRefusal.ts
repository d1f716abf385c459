import type { ContractProof } from 'wattfeed/series'
import { CONTRACT_NUMBER } from './scaleValue.ts'

/**
 * Returns why a contract refuses a value that is proven; null if nothing shows that it does. How many digits it takes is not known.
 *
 * @param pinned - the unit that the contract pins; null for none
 */
export function contractRefusal(
  { value, unit }: Pick<ContractProof, 'value' | 'unit'>,
  pinned: string | null,
): string | null {
  if (value === null) return 'EIA withholds the value'
  if (!CONTRACT_NUMBER.test(value)) return `the value '${value}' is not a number that a contract takes`
  if (unit !== pinned)
    return `the unit of the value is ${shown(unit)}, and the contract pins ${shown(pinned)}`
  return null
}

const shown = (unit: string | null): string => (unit === null ? 'none' : `'${unit}'`)
