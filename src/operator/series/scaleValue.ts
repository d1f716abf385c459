/** A number as the crate `wattfeed` takes it: without a plus sign and an exponent. */
export const CONTRACT_NUMBER = /^(-?)(?=\.?\d)(\d*)(?:\.(\d*))?$/

/**
 * Returns a value times 10^`decimals`, as the crate `wattfeed` settles it; null if it is not a number, or does not fit the decimals or 64
 * bits. Nothing is rounded.
 */
export function scaleValue(value: string, decimals: number): bigint | null {
  const [, sign, whole = '', digits = ''] = CONTRACT_NUMBER.exec(value) ?? []
  if (sign === undefined) return null
  const fraction = digits.replace(/0+$/, '')
  if (fraction.length > decimals) return null
  const scaled = BigInt(`${sign}0${whole}${fraction.padEnd(decimals, '0')}`)
  return BigInt.asIntN(64, scaled) === scaled ? scaled : null
}
