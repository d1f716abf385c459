import { formatDay } from '../../eia/moment.ts'

const two = (number: number): string => String(number).padStart(2, '0')

/** Formats a time in the reader's time zone: '13 Nov 2026, 15:05 GMT+1'; null if that is UTC. */
export function formatLocal(ms: number): string | null {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime()) || date.getTimezoneOffset() === 0) return null
  const day = formatDay(ms - date.getTimezoneOffset() * 60_000)
  const offset = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const zone = `GMT${offset < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`
  return `${day}, ${two(date.getHours())}:${two(date.getMinutes())} ${zone}`
}

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
