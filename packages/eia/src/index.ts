export {
  type Calendar,
  findCalendar,
  findRule,
  type PlannedRelease,
  type ReleasedSeries,
  type Releases,
} from './calendar.ts'
export { type Coverage, coverageOf, type DatedSeries, endsOf, leadOf } from './coverage.ts'
export { createEiaClient, type EiaClient } from './createEiaClient.ts'
export { weekdayOf } from './days.ts'
export { EiaError, EiaNoRowsError, EiaUnreachableError } from './eiaErrors.ts'
export { addSeries, type Fetch } from './eiaRequest.ts'
export type { FacetValue } from './facetValue.ts'
export { isWorkday } from './holidays.ts'
export type { SeriesInspection } from './inspectPage.ts'
export { EiaRowsMovedError, type RowsSince } from './listRowsSince.ts'
export { formatDay, formatMonth, formatUtc } from './moment.ts'
export { parseExactJson } from './parseExactJson.ts'
export {
  encodePeriod,
  formatPeriod,
  frequencies,
  isForecast,
  isNextPeriod,
  lengthOfPeriod,
  newestPeriod,
  PeriodError,
  periodAt,
  periodBefore,
  periodStart,
  periodsBetween,
  startOfPeriod,
} from './period.ts'
export { describePeriod, forPeriod } from './periodWords.ts'
export { readablePeriod } from './readablePeriod.ts'
export { isDecimal, readValue, ScaleError, scaleDecimal } from './scaleDecimal.ts'
export {
  EiaDoubledPeriodError,
  EiaOpenFacetError,
  type EiaRow,
  parsePage,
  type Series,
  selectRows,
} from './series.ts'
export { MAX_THROTTLE_MS, type ThrottledEvent } from './throttle.ts'
