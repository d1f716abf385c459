/** More digits than any statistic has. */
const MAX_DIGITS = 24

/** Formats an exact amount with thousands separators and without trailing zeros: '3.04938'. */
export function formatAmount(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  if (whole.length > MAX_DIGITS) return `${whole[0]}.${whole.slice(1, 6)}…e+${whole.length - 1}`
  const shown = fraction.length > MAX_DIGITS ? `${fraction.slice(0, MAX_DIGITS)}…` : fraction
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return shown === '' ? grouped : `${grouped}.${shown}`
}
