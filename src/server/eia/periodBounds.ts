import { EiaParameterError } from './eiaErrors.ts'

/** A period of any frequency, a day, or a moment of it. */
const BOUND =
  /^(?<year>\d{4})(?:-Q(?<quarter>[1-4])|-(?<month>\d\d)(?:-(?<day>\d\d)(?:[T ](?<hour>\d\d)(?::?(?<rest>\d\d(?::?\d\d(?:\.\d+)?)?))?)?(?<zone>Z|[+-]\d\d(?::?[0-5]\d)?)?)?)?$/

const RULE = "a period such as '2026', '2026-Q3', '2026-09', '2026-09-14' or '2026-09-14T00'"

/** Periods from one to another, as a table compares them; null without a bound. */
export interface PeriodBounds {
  readonly from: string | null
  readonly to: string | null
  /** The same as periods of the dataset, for other endpoints. They may select another period at the start, or hours with other offsets. */
  readonly periods: { readonly from: string | null; readonly to: string | null }
}

/**
 * Reads the first and the last period of a request, each in the form of any frequency. As at EIA, a shorter form is its first moment: the
 * days to `2026-09` end with the first of September.
 *
 * @throws {EiaParameterError}
 */
export function readPeriodBounds(
  frequency: string,
  { start = '', end = '' }: { start?: string; end?: string },
): PeriodBounds {
  const [first, last] = [readBound(frequency, start), readBound(frequency, end)]
  return {
    from: first && (first.isStart ? first.period : `${first.period}${AFTER}`),
    to: last && (last.isWhole ? last.period : `${last.period}${AFTER}`),
    periods: { from: first && periodOf(first, FIRST_OFFSET), to: last && periodOf(last, LAST_OFFSET) },
  }
}

/** Is after all that a period may have at its end, such as an offset from UTC. */
const AFTER = '~'

interface Bound {
  /** The period that has the moment. */
  readonly period: string
  /** Whether the moment is its first. */
  readonly isStart: boolean
  /** False if the period lacks its offset from UTC. */
  readonly isWhole: boolean
}

/** The offsets from UTC that come first and last in the order of texts. */
const FIRST_OFFSET = '+00'
const LAST_OFFSET = '-12'

const periodOf = ({ period, isWhole }: Bound, offset: string): string =>
  isWhole ? period : `${period}${offset}`

function readBound(frequency: string, text: string): Bound | null {
  if (text === '') return null
  const groups = BOUND.exec(text)?.groups
  const { year = '', quarter, month = monthOf(quarter), day = '01', hour = '00', rest = '0' } = groups ?? {}
  const iso = `${year}-${month}-${day}T${hour}:00:00.000Z`
  const ms = Date.parse(iso)
  const offset = offsetOf(groups?.zone)
  const utc = isoOf(ms - offset * 3_600_000)
  // Some parsers read 30 February as a day in March.
  if (groups === undefined || isoOf(ms) !== iso || Math.abs(offset) > MAX_OFFSET || utc === null)
    throw new EiaParameterError({ name: 'date format', given: text, rule: RULE })
  const isHour = /^[0:.]*$/.test(rest)
  const isDay = isHour && hour === '00'
  const isMonth = isDay && day === '01'
  const date = `${year}-${month}-${day}`
  switch (frequency) {
    case 'annual':
      return { period: year, isStart: isMonth && month === '01', isWhole: true }
    case 'quarterly': {
      const first = Math.floor((Number(month) - 1) / 3)
      const isStart = isMonth && Number(month) === 3 * first + 1
      return { period: `${year}-Q${first + 1}`, isStart, isWhole: true }
    }
    case 'monthly':
      return { period: `${year}-${month}`, isStart: isMonth, isWhole: true }
    case 'hourly':
      return {
        period: utc.slice(0, 'YYYY-MM-DDTHH'.length),
        isStart: isHour && Number.isInteger(offset),
        isWhole: true,
      }
    case 'local-hourly': {
      const zone = /^[+-]\d\d/.exec(groups.zone ?? '')?.[0] ?? ''
      return { period: `${date}T${hour}${zone}`, isStart: isHour, isWhole: zone !== '' }
    }
    default:
      return { period: date, isStart: isDay, isWhole: true }
  }
}

/** The largest offset from UTC of any place, in hours. */
const MAX_OFFSET = 14

/** Null for a time that is none, or in a year that has more than four digits. */
function isoOf(ms: number): string | null {
  if (Number.isNaN(ms)) return null
  const iso = new Date(ms).toISOString()
  return /^\d{4}-/.test(iso) ? iso : null
}

const monthOf = (quarter = '1'): string => String(3 * Number(quarter) - 2).padStart(2, '0')

/** Hours of an offset from UTC. */
function offsetOf(zone = 'Z'): number {
  const [, sign = '', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) + Number(minutes) / 60)
}
