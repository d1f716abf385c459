const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const LONG_MONTHS =
  'January February March April May June July August September October November December'.split(' ')

const two = (number: number): string => String(number).padStart(2, '0')

/** Formats the day in UTC: '13 Nov 2026'. */
export function formatDay(ms: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return 'no date'
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Formats the month in UTC: 'November 2026'. */
export function formatMonth(ms: number): string {
  const date = new Date(ms)
  return `${LONG_MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Formats a time in UTC: '13 Nov 2026, 14:05 UTC'. */
export function formatUtc(ms: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return 'no date'
  return `${formatDay(ms)}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())} UTC`
}
