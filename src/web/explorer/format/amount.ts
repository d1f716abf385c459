import { formatExact } from '../../cite/formatExact.ts'

/** More digits than any statistic has. */
const MAX_DIGITS = 24

/** Formats an exact amount with thousands separators and without trailing zeros: '3.04938'. */
export function formatAmount(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = formatExact(amount, decimals).split('.')
  if (whole.length > MAX_DIGITS) return `${whole[0]}.${whole.slice(1, 6)}…e+${whole.length - 1}`
  const shown = fraction.length > MAX_DIGITS ? `${fraction.slice(0, MAX_DIGITS)}…` : fraction
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return shown === '' ? grouped : `${grouped}.${shown}`
}
