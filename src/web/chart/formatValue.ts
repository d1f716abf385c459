/** More digits than any statistic has. */
const MAX_DIGITS = 24

/** Formats an exact decimal with thousands separators; a longer one is rounded. */
export function formatValue(value: string): string {
  const [whole = '', fraction] = value.split('.')
  if (whole.length > MAX_DIGITS) return Number(value).toExponential(5)
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
