/** Returns exact decimal text without trailing zeros. @param amount unscaled; as text in decimal digits */
export function formatExact(amount: bigint | string, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
