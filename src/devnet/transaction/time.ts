import { InvalidParamsError, textOf } from '../params.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const units: readonly [number, readonly string[]][] = [
  [1e-6, ['nanos', 'nsec', 'ns']],
  [1e-3, ['usec', 'us', 'µs']],
  [1, ['millis', 'msec', 'ms']],
  [SECOND, ['seconds', 'second', 'secs', 'sec', 's']],
  [MINUTE, ['minutes', 'minute', 'mins', 'min', 'm']],
  [HOUR, ['hours', 'hour', 'hrs', 'hr', 'h']],
  [DAY, ['days', 'day', 'd']],
  [7 * DAY, ['weeks', 'week', 'wks', 'wk', 'w']],
  [2_630_016 * SECOND, ['months', 'month', 'M']],
  [31_557_600 * SECOND, ['years', 'year', 'yrs', 'yr', 'y']],
]

// A node stores milliseconds as u64.
const MAX_MS = 2 ** 64

const SUPPORTED = 'ns, us/µs, ms, sec, min, hours, days, weeks, months, years (and few variations)'

/**
 * Parses a duration like a node: `30m`, `1h 30m`, `2days`. Returns milliseconds.
 *
 * @throws {InvalidParamsError} with the node's message
 */
export function parseDuration(text: string): number {
  if (text.trim() === '') throw new InvalidParamsError('value was empty')
  let rest = text.trim()
  let sum = 0
  while (rest !== '') {
    const [all = '', digits = '', unit = ''] = /^(\d*)\s*([^\d\s]*)\s*/.exec(rest) ?? []
    if (digits === '') throw new InvalidParamsError(`expected number at ${text.length - rest.length}`)
    sum += Number(digits) * unitMs(unit)
    rest = rest.slice(all.length)
  }
  if (sum >= MAX_MS) throw new InvalidParamsError('number is too large')
  return Math.floor(sum)
}

function unitMs(unit: string): number {
  if (unit === '') throw new InvalidParamsError('time unit needed, for example 4sec or 4ms')
  const found = units.find(([, names]) => names.includes(unit))
  if (found) return found[0]
  throw new InvalidParamsError(`unknown time unit "${unit}", supported units: ${SUPPORTED}`)
}

/** Formats a duration of less than a month like a node: `30m`, `1h 30m`, `1day 2h`. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s'
  const days = Math.floor(durationMs / DAY)
  const parts = [
    days === 0 ? '' : days === 1 ? '1day' : `${days}days`,
    part(durationMs % DAY, HOUR, 'h'),
    part(durationMs % HOUR, MINUTE, 'm'),
    part(durationMs % MINUTE, SECOND, 's'),
    part(durationMs % SECOND, 1, 'ms'),
  ]
  return parts.filter((each) => each !== '').join(' ')
}

function part(durationMs: number, unit: number, name: string): string {
  const count = Math.floor(durationMs / unit)
  return count === 0 ? '' : `${count}${name}`
}

/** Parses an RFC 3339 time in UTC. Returns epoch milliseconds. @throws {InvalidParamsError} */
export function parseTimestamp(value: unknown): number {
  const text = textOf(value)
  const isRfc3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(text)
  if (!isRfc3339) throw new InvalidParamsError('timestamp format is invalid')
  const timestampMs = Date.parse(`${text.replace(' ', 'T').replace('Z', '')}Z`)
  if (timestampMs >= 0 && isDay(timestampMs, text)) return timestampMs
  throw new InvalidParamsError('timestamp is out of range')
}

/** Whether the day exists: JavaScript parses February 30 as March 2. */
const isDay = (timestampMs: number, text: string): boolean =>
  new Date(timestampMs).toISOString().slice(0, 10) === text.slice(0, 10)
