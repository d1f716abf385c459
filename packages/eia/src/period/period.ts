import { DAY_MS, HOUR_MS, WattfeedError } from '@wattfeed/base'
import { clip } from '../clip.ts'

/** EIA's terms for how often a value appears. */
export const frequencies = [
  'hourly',
  'local-hourly',
  'daily',
  'weekly',
  'four-week-average',
  'monthly',
  'quarterly',
  'annual',
] as const

type Frequency = (typeof frequencies)[number]

/**
 * A text that is not a period of its frequency.
 *
 * @example
 * ```ts
 * import { PeriodError, recheckFeed } from 'wattfeed/provenance'
 *
 * try {
 *   await recheckFeed(client, 'EIA.PET.PRICE.WTI.DAILY', { apiKey })
 * } catch (error) {
 *   if (!(error instanceof PeriodError)) throw error
 *   console.error(error.frequency, error.text, error.rule)
 * }
 * ```
 */
export class PeriodError extends WattfeedError {
  static override readonly name = 'PeriodError'
  readonly code = 'period'
  readonly retryable = false

  constructor(
    /** The frequency. */
    readonly frequency: string,
    /** The text, cut where it is long. */
    readonly text: string,
    /** The expected form. */
    readonly rule: string,
  ) {
    super(`${JSON.stringify(text)} is not a ${frequency} period: it must be ${rule}`)
  }
}

/** The text form of a frequency's periods, and their integers on chain. */
interface Form {
  /** Named groups `year`, `month`, `quarter`, `day`, `hour`, `offset` where they exist. */
  readonly pattern: RegExp
  readonly rule: string
  readonly encode: (date: CivilDate, startMs: number) => number
  /** The text of an integer; null if the integer does not determine it. */
  readonly decode: (integer: number) => string | null
  readonly scale: PeriodScale
  readonly length: PeriodLength
}

/** How the integers of a frequency's periods are written. */
export interface PeriodScale {
  /** Number of their digits; of an hour, since 2001. */
  readonly digits: number
  /** Their form, such as `YYYYMM`. */
  readonly form: string
}

/** Length of a frequency's periods, in months of the calendar or in milliseconds. */
export type PeriodLength = { readonly months: number } | { readonly ms: number }

interface CivilDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

const YEAR = '(?<year>\\d{4})'
const MONTH = `${YEAR}-(?<month>\\d\\d)`
const DAY = `${MONTH}-(?<day>\\d\\d)`
const HOUR = `${DAY}T(?<hour>\\d\\d)`

const yyyymm = ({ year, month }: CivilDate) => year * 100 + month
const yyyymmdd = (date: CivilDate) => yyyymm(date) * 100 + date.day
const epochSeconds = (_: CivilDate, startMs: number) => startMs / 1000

const YEARS = { digits: 4, form: 'YYYY' }
const MONTHS = { digits: 6, form: 'YYYYMM' }
const DAYS = { digits: 8, form: 'YYYYMMDD' }
const SECONDS = { digits: 10, form: 'epoch seconds' }

const HOUR_LENGTH = { ms: HOUR_MS }
const WEEK_LENGTH = { ms: 7 * DAY_MS }

const dated: Omit<Form, 'length'> = {
  pattern: exactly(DAY),
  rule: 'a date, YYYY-MM-DD',
  encode: yyyymmdd,
  decode: (integer) => digits(integer, 8).replace(/^(....)(..)/, '$1-$2-'),
  scale: DAYS,
}
const forms: ReadonlyMap<string, Form> = new Map<Frequency, Form>([
  [
    'annual',
    {
      pattern: exactly(YEAR),
      rule: 'a year, YYYY',
      encode: ({ year }) => year,
      decode: (integer) => digits(integer, 4),
      scale: YEARS,
      length: { months: 12 },
    },
  ],
  [
    'quarterly',
    {
      pattern: exactly(`${YEAR}-Q(?<quarter>[1-4])`),
      rule: 'a quarter, YYYY-Qn',
      encode: yyyymm,
      decode: (integer) => `${digits(Math.floor(integer / 100), 4)}-Q${((integer % 100) + 2) / 3}`,
      scale: MONTHS,
      length: { months: 3 },
    },
  ],
  [
    'monthly',
    {
      pattern: exactly(MONTH),
      rule: 'a month, YYYY-MM',
      encode: yyyymm,
      decode: (integer) => digits(integer, 6).replace(/^..../, '$&-'),
      scale: MONTHS,
      length: { months: 1 },
    },
  ],
  ['weekly', { ...dated, length: WEEK_LENGTH }],
  ['daily', { ...dated, length: { ms: DAY_MS } }],
  ['four-week-average', { ...dated, length: WEEK_LENGTH }],
  [
    'hourly',
    {
      pattern: exactly(HOUR),
      rule: 'an hour of UTC since 1970, YYYY-MM-DDTHH',
      encode: epochSeconds,
      decode: (integer) => hourText(integer * 1000),
      scale: SECONDS,
      length: HOUR_LENGTH,
    },
  ],
  [
    'local-hourly',
    {
      pattern: exactly(`${HOUR}(?<offset>[+-]\\d\\d)`),
      rule: 'an hour since 1970 with its offset from UTC, YYYY-MM-DDTHH-HH',
      encode: epochSeconds,
      decode: () => null,
      scale: SECONDS,
      length: HOUR_LENGTH,
    },
  ],
])

function digits(integer: number, length: number): string {
  return String(integer).padStart(length, '0')
}

/** The UTC hour that contains a moment; not a period if it is out of the range of dates. */
function hourText(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, -':00:00.000Z'.length)
}

function exactly(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

/**
 * Encodes a period as the integer on chain: YYYY (annual), YYYYMM (monthly; quarterly, with the quarter's first month), YYYYMMDD
 * (daily, weekly, four-week-average), or epoch seconds (hourly, local-hourly).
 *
 * @throws {@link PeriodError} for a text in another form, a date that does not exist, an hour before 1970, or an unknown
 * frequency.
 */
export function encodePeriod(frequency: string, text: string): number {
  return parsePeriod(frequency, text).integer
}

/**
 * Returns the first instant of the period that EIA's text names, in epoch milliseconds of UTC. For an hourly period, the instant of
 * its integer; for a weekly one, the day of its date.
 *
 * @throws {@link PeriodError} as {@link encodePeriod} does.
 */
export function parsePeriodStart(frequency: string, text: string): number {
  return parsePeriod(frequency, text).startMs
}

/**
 * Formats a period's integer as EIA's text: the inverse of {@link encodePeriod}. Null for an integer that is not a period, and for
 * local hours, because the integer lacks their offset from UTC.
 *
 * @example
 * ```ts
 * import { formatPeriod } from './period.ts'
 *
 * formatPeriod('quarterly', 202307) // '2023-Q3'
 * formatPeriod('monthly', 202313) // null
 * ```
 */
export function formatPeriod(frequency: string, integer: number): string | null {
  const text = forms.get(frequency)?.decode(integer) ?? null
  return text !== null && readPeriod(frequency, text)?.integer === integer ? text : null
}

/** Length of a frequency's periods; null for an unknown frequency. */
export const lengthOfPeriod = (frequency: string): PeriodLength | null => forms.get(frequency)?.length ?? null

/** How the integers of a frequency's periods are written; null for an unknown frequency. */
export const scaleOfPeriod = (frequency: string): PeriodScale | null => forms.get(frequency)?.scale ?? null

/**
 * The integer of the period that starts at an instant of UTC; null for an unknown frequency. An instant later in the period gives a
 * number below the integer of the next one.
 */
export function encodePeriodStart(frequency: string, startMs: number): number | null {
  const date = new Date(startMs)
  const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
  return forms.get(frequency)?.encode(civil, startMs) ?? null
}

/** The first instant of an integer's period, as in {@link parsePeriodStart}; null if the integer is not a period. */
export function startOfPeriod(frequency: string, integer: number): number | null {
  // A local hour's integer holds only the moment.
  const utc = frequency === 'local-hourly' ? 'hourly' : frequency
  const text = formatPeriod(utc, integer)
  return text === null ? null : parsePeriodStart(utc, text)
}

/** @throws {@link PeriodError} for a text that is not a period of its frequency. */
function parsePeriod(frequency: string, text: string): ReadPeriod {
  const read = readPeriod(frequency, text)
  if (read !== null) return read
  const rule = forms.get(frequency)?.rule ?? `of a frequency that EIA has: ${[...forms.keys()].join(', ')}`
  throw new PeriodError(frequency, clip(text), rule)
}

interface ReadPeriod {
  readonly integer: number
  readonly startMs: number
}

/** Null for a text that is not a period of its frequency. */
function readPeriod(frequency: string, text: string): ReadPeriod | null {
  const form = forms.get(frequency)
  const groups = form?.pattern.exec(text)?.groups
  if (form === undefined || groups === undefined) return null
  const { year, quarter, month = monthOf(quarter), day = '01', hour = '00', offset = '+00' } = groups
  const civil = `${year}-${month}-${day}T${hour}:00:00.000Z`
  const civilMs = Date.parse(civil)
  // Some parsers read 30 February as a day in March.
  const exists = !Number.isNaN(civilMs) && new Date(civilMs).toISOString() === civil
  const startMs = civilMs - Number(offset) * HOUR_MS
  const integer = form.encode({ year: Number(year), month: Number(month), day: Number(day) }, startMs)
  return exists && integer >= 0 && isOffset(Number(offset)) ? { integer, startMs } : null
}

function monthOf(quarter = '1'): string {
  return String(Number(quarter) * 3 - 2).padStart(2, '0')
}

/** Returns whether a time zone with this offset in hours exists. */
function isOffset(hours: number): boolean {
  return hours >= -12 && hours <= 14
}
