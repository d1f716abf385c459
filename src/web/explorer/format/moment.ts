import { formatDay } from '@wattfeed/eia'

/** Formats a time in the reader's time zone: '13 Nov 2026, 15:05 GMT+1'; null if that is UTC. */
export function formatLocal(ms: number): string | null {
  const offset = new Date(ms).getTimezoneOffset()
  if (Number.isNaN(offset) || offset === 0) return null
  return `${formatDay(ms - offset * 60_000)}, ${formatTime(ms)} ${formatZone(ms)}`
}

/** Formats a time of day in the reader's time zone: '18:00'. */
export function formatTime(ms: number): string {
  const date = new Date(ms)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Formats the reader's offset from UTC at a moment: 'GMT+1'. */
export function formatZone(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `GMT${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`
}

/** Formats a number of a clock or a calendar with two digits. */
export const two = (number: number): string => String(number).padStart(2, '0')

const STEPS: readonly [fromS: number, unitS: number, one: string, many: string][] = [
  [2 * 365 * 86_400, 365 * 86_400, 'year', 'years'],
  [60 * 86_400, 30 * 86_400, 'month', 'months'],
  [2 * 86_400, 86_400, 'day', 'days'],
  [5_400, 3_600, 'h', 'h'],
  [90, 60, 'min', 'min'],
  [5, 1, 's', 's'],
]

/** Formats an age: '3 min ago'. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, ageMs) / 1000
  const step = STEPS.find(([from]) => seconds >= from)
  if (step === undefined) return 'just now'
  const [, unit, one, many] = step
  const count = Math.floor(seconds / unit)
  return `${count} ${count === 1 ? one : many} ago`
}
