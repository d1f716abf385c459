/**
 * Reads API v2 of the U.S. Energy Information Administration (EIA): rows, periods, and the release calendar. For Bun, Node.js and browsers.
 *
 * A value stays text with every digit that EIA sent; null is a value that EIA withholds. Times are epoch milliseconds. Every error is a
 * {@link WattfeedError} with a literal `code`, facts as fields, and `retryable`.
 *
 * @module @wattfeed/eia
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export {
  type Calendar,
  type Due,
  findCalendar,
  findRule,
  type PlannedRelease,
  type ReleasedSeries,
  type Releases,
} from './calendar.ts'
export type { DelayedRelease, MonthlyRelease, ReleaseRule, RuleEra, WeeklyRelease } from './calendarRules.ts'
export {
  createEiaClient,
  type EiaClient,
  type EiaClientOptions,
  type EiaObserver,
  type EiaWarning,
  type RowsOptions,
} from './createEiaClient.ts'
export {
  type AboutAnswer,
  type DatasetPage,
  type DatasetQuery,
  type DatasetRow,
  type DatasetValue,
  MAX_PAGE_ROWS,
  type OtherMember,
} from './datasetPage.ts'
export {
  type DefinedEiaError,
  EiaError,
  EiaIncompleteError,
  EiaNoRowsError,
  EiaThrottledError,
  EiaUnreachableError,
} from './eiaErrors.ts'
export { addSeries, type Fetch, type Section } from './eiaRequest.ts'
export type { FacetValue } from './facetValue.ts'
export { endText, isForecast, newestPeriod } from './forecast.ts'
export { isWorkday } from './holidays.ts'
export type { SeriesInspection } from './inspectPage.ts'
export { EiaRowsMovedError, type RowsSince, type RowsSinceOptions } from './listRowsSince.ts'
export { parseExactJson } from './parseExactJson.ts'
export {
  type Coverage,
  coverageOf,
  type DatedSeries,
  endsOf,
  endsOfText,
  leadOf,
  type PeriodEnds,
} from './period/coverage.ts'
export { weekdayOf } from './period/days.ts'
export { formatDay, formatMonth, formatUtc } from './period/moment.ts'
export {
  encodePeriod,
  encodePeriodStart,
  formatPeriod,
  frequencies,
  lengthOfPeriod,
  PeriodError,
  type PeriodLength,
  type PeriodScale,
  parsePeriodStart,
  scaleOfPeriod,
  startOfPeriod,
} from './period/period.ts'
export { isNextPeriod, periodBefore, periodsBetween } from './period/periodSteps.ts'
export { describePeriod, forPeriod, type PeriodText } from './period/periodWords.ts'
export { readablePeriod } from './period/readablePeriod.ts'
export { readValue } from './readValue.ts'
export { isDecimal, ScaleError, scaleDecimal } from './scaleDecimal.ts'
export {
  EiaDoubledPeriodError,
  EiaOpenFacetError,
  type EiaRow,
  type Page,
  parsePage,
  type Series,
  type SeriesRows,
  selectRows,
} from './series.ts'
export { MAX_THROTTLE_MS, type ThrottledEvent, type Wait } from './throttle.ts'
