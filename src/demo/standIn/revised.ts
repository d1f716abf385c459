import type { EiaRow } from '@wattfeed/eia'

/** Maximum relative change of a value per revision. */
const MAX_CHANGE = 0.01

/** Returns a different number close to the row's value, with the same number of decimals. */
export function revised({ value }: Pick<EiaRow, 'value'>, random: () => number): string {
  const text = value ?? '0'
  const digits = digitsOf(text)
  const step = 10 ** -digits
  const change = Number(text) * MAX_CHANGE * (2 * random() - 1)
  const moved = Math.max(0, Number(text) + (Math.abs(change) < step ? step : change)).toFixed(digits)
  return moved === text ? (Number(text) + step).toFixed(digits) : moved
}

/** Returns the number of decimals. */
export const digitsOf = (value: string | null): number => value?.split('.')[1]?.length ?? 0
