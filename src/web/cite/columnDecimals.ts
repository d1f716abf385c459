import { formatExact } from './formatExact.ts'

interface Scaled {
  /** Unscaled; as text in decimal digits. */
  readonly amount: bigint | string
  readonly decimals: number
}

/** More decimals than EIA publishes. A stranger's feed with more does not widen the values of the others. */
const MAX_ALIGNED = 6

/** Returns how many decimals a column shows, so that its values line up: the most that one of them has, up to six. */
export const columnDecimals = (column: readonly Scaled[]): number =>
  column.reduce((most, each) => Math.max(most, Math.min(decimalsOf(each), MAX_ALIGNED)), 0)

const decimalsOf = ({ amount, decimals }: Scaled): number =>
  formatExact(amount, decimals).split('.')[1]?.length ?? 0

/** Returns the decimals of a list of feeds by unit, because only values of the same unit are compared. */
export function decimalsByUnit(feeds: readonly (Scaled & { unit: string })[]): ReadonlyMap<string, number> {
  const byUnit = Map.groupBy(feeds, ({ unit }) => unit)
  return new Map([...byUnit].map(([unit, column]) => [unit, columnDecimals(column)]))
}

/** Fills a formatted amount with zeros up to the decimals of its column: '58.4' to '58.40'. A shortened one stays as it is. */
export function alignDecimals(text: string, decimals: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  if (decimals === 0 || !/^\d*$/.test(fraction)) return text
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}
