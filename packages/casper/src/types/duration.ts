import { DecodeError } from '@wattfeed/base'

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
 * @throws {DecodeError} with the node's message as its rule.
 */
export function parseDuration(text: string): number {
  if (text.trim() === '') throw wrong('value was empty')
  let rest = text.trim()
  let sum = 0
  while (rest !== '') {
    const [all = '', digits = '', unit = ''] = /^(\d*)\s*([^\d\s]*)\s*/.exec(rest) ?? []
    if (digits === '') throw wrong(`expected number at ${text.length - rest.length}`)
    sum += Number(digits) * unitMs(unit)
    rest = rest.slice(all.length)
  }
  if (sum >= MAX_MS) throw wrong('number is too large')
  return Math.floor(sum)
}

function unitMs(unit: string): number {
  if (unit === '') throw wrong('time unit needed, for example 4sec or 4ms')
  const found = units.find(([, names]) => names.includes(unit))
  if (found) return found[0]
  throw wrong(`unknown time unit "${unit}", supported units: ${SUPPORTED}`)
}

const wrong = (rule: string): DecodeError => new DecodeError('duration', rule)

/** Formats a duration of less than a month like a node: `30m`, `1h 30m`, `1day 2h`. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s'
  const parts = [
    part(durationMs, DAY, durationMs < 2 * DAY ? 'day' : 'days'),
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
