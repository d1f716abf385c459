/** What EIA's metadata say of a frequency. */
export interface EiaFrequency {
  readonly id: string
  readonly description: string
  /** EIA's letter for it, which also ends the ids of API version 1, but for `HL` of local hours. */
  readonly query: string
  /** The form of its periods: `YYYY-MM`. */
  readonly format: string
}

const DAY = 'YYYY-MM-DD'
const HOUR = `${DAY}"T"HH24`

const known: readonly EiaFrequency[] = [
  { id: 'annual', description: 'One data point for each calendar year.', query: 'A', format: 'YYYY' },
  { id: 'quarterly', description: 'One data point every 3 months.', query: 'Q', format: 'YYYY-"Q"Q' },
  { id: 'monthly', description: 'One data point for each month.', query: 'M', format: 'YYYY-MM' },
  { id: 'weekly', description: 'One data point for each week.', query: 'W', format: DAY },
  { id: 'four-week-average', description: 'One data point for each week.', query: '4', format: DAY },
  { id: 'daily', description: 'One data point for each day.', query: 'D', format: DAY },
  { id: 'hourly', description: 'One data point for each hour in UTC time.', query: 'H', format: HOUR },
  {
    id: 'local-hourly',
    description: 'One data point for each hour in local time.',
    query: 'LH',
    format: `${HOUR}TZH`,
  },
]

/** Returns what EIA says of a frequency, by its id. Of one that was not recorded, only the id is known. */
export const eiaFrequency = (id: string): EiaFrequency =>
  known.find((each) => each.id === id) ?? { id, description: id, query: '', format: DAY }
