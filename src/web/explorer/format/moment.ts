import { formatDay } from '@wattfeed/eia'

/** Formats a time in the reader's time zone: '13 Nov 2026, 15:05 GMT+1'; null if that is UTC, or the time is invalid. */
export function formatLocal(ms: number): string | null {
  const offset = new Date(ms).getTimezoneOffset()
  if (Number.isNaN(offset) || offset === 0) return null
  return `${formatDay(ms - offset * 60_000)}, ${formatLocalTime(ms)} ${formatZone(ms)}`
}

/** Formats a time of day in the reader's time zone: '18:00'. */
export function formatLocalTime(ms: number): string {
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

const STEPS: readonly [fromS: number, unitS: number, name: string][] = [
  [2 * 365 * 86_400, 365 * 86_400, 'years'],
  [60 * 86_400, 30 * 86_400, 'months'],
  [2 * 86_400, 86_400, 'days'],
  [5_400, 3_600, 'h'],
  [90, 60, 'min'],
  [5, 1, 's'],
]

/** Formats a duration: '3 min'; null below 5 s. */
export function formatDuration(ms: number): string | null {
  const seconds = ms / 1000
  const step = STEPS.find(([from]) => seconds >= from)
  if (step === undefined) return null
  const [, unit, name] = step
  return `${Math.floor(seconds / unit)} ${name}`
}

/** Formats an age: '3 min ago'. */
export function formatAge(ageMs: number): string {
  const duration = formatDuration(ageMs)
  return duration === null ? 'just now' : `${duration} ago`
}
