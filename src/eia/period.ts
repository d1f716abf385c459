import { WattfeedError } from '../errors.ts'

/** EIA's words for how often a value appears. */
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

/** One of them. */
type Frequency = (typeof frequencies)[number]

/** A text that is no period of its frequency. */
export class PeriodError extends WattfeedError {
  static override readonly name = 'PeriodError'
  readonly code = 'period'
  readonly retryable = false

  constructor(
    readonly frequency: string,
    /** The text, cut where it is long. */
    readonly text: string,
    /** What it has to be. */
    readonly rule: string,
  ) {
    super(`${JSON.stringify(text)} is no ${frequency} period: it must be ${rule}`)
  }
}

const LONGEST_IN_ERROR = 80
const HOUR_MS = 3_600_000

/** How a frequency writes its periods, and what integer stands for one on chain. */
interface Form {
  /** Named groups `year`, `month`, `quarter`, `day`, `hour`, `offset` as far as there are. */
  readonly pattern: RegExp
  readonly rule: string
  readonly encode: (date: CivilDate, startMs: number) => number
}

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

const dated: Form = { pattern: exactly(DAY), rule: 'a date, YYYY-MM-DD', encode: yyyymmdd }
const forms: ReadonlyMap<string, Form> = new Map<Frequency, Form>([
  ['annual', { pattern: exactly(YEAR), rule: 'a year, YYYY', encode: ({ year }) => year }],
  [
    'quarterly',
    { pattern: exactly(`${YEAR}-Q(?<quarter>[1-4])`), rule: 'a quarter, YYYY-Qn', encode: yyyymm },
  ],
  ['monthly', { pattern: exactly(MONTH), rule: 'a month, YYYY-MM', encode: yyyymm }],
  ['weekly', dated],
  ['daily', dated],
  ['four-week-average', dated],
  [
    'hourly',
    { pattern: exactly(HOUR), rule: 'an hour of UTC since 1970, YYYY-MM-DDTHH', encode: epochSeconds },
  ],
  [
    'local-hourly',
    {
      pattern: exactly(`${HOUR}(?<offset>[+-]\\d\\d)`),
      rule: 'an hour since 1970 with its offset from UTC, YYYY-MM-DDTHH-HH',
      encode: epochSeconds,
    },
  ],
])

function exactly(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

/**
 * The integer that stands for a period on chain: YYYY (annual), YYYYMM (monthly; quarterly, of the quarter's
 * first month), YYYYMMDD (daily, weekly, four-week-average), or epoch seconds (hourly, local-hourly).
 *
 * @throws {@link PeriodError} for a text in another form, a date that does not exist, an hour before 1970,
 * or a frequency that is not EIA's.
 *
 * @example
 * ```ts
 * import { encodePeriod } from './period.ts'
 *
 * encodePeriod('quarterly', '2023-Q3') // 202307
 * encodePeriod('local-hourly', '2023-03-20T00-07') // 1679295600
 * ```
 */
export function encodePeriod(frequency: string, text: string): number {
  return readPeriod(frequency, text).integer
}

/**
 * The first instant of a period in UTC, in epoch milliseconds. Of an hourly period, the instant that its
 * integer names; of a weekly one, the day that it is dated.
 *
 * @throws {@link PeriodError} as {@link encodePeriod} does.
 */
export function periodStart(frequency: string, text: string): number {
  return readPeriod(frequency, text).startMs
}

function readPeriod(frequency: string, text: string): { integer: number; startMs: number } {
  const form = forms.get(frequency)
  const fail = () =>
    new PeriodError(
      frequency,
      text.slice(0, LONGEST_IN_ERROR),
      form?.rule ?? `of a frequency that EIA has: ${[...forms.keys()].join(', ')}`,
    )
  const groups = form?.pattern.exec(text)?.groups
  if (form === undefined || groups === undefined) throw fail()
  const { year, quarter, month = monthOf(quarter), day = '01', hour = '00', offset = '+00' } = groups
  const civil = `${year}-${month}-${day}T${hour}:00:00.000Z`
  const civilMs = Date.parse(civil)
  // A parser may take 30 February for a day in March.
  const exists = !Number.isNaN(civilMs) && new Date(civilMs).toISOString() === civil
  const startMs = civilMs - Number(offset) * HOUR_MS
  const integer = form.encode({ year: Number(year), month: Number(month), day: Number(day) }, startMs)
  if (!exists || integer < 0 || !isOffset(Number(offset))) throw fail()
  return { integer, startMs }
}

function monthOf(quarter = '1'): string {
  return String(Number(quarter) * 3 - 2).padStart(2, '0')
}

/** Whether some place on earth is that many hours ahead of UTC. */
function isOffset(hours: number): boolean {
  return hours >= -12 && hours <= 14
}
