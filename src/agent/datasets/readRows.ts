import { defineError, retry, WattfeedError } from '@wattfeed/base'
import { openStage, type Stage, type StagedPage } from '@wattfeed/dataset/disk'
import {
  type DatasetQuery,
  EiaRowsMovedError,
  EiaThrottledError,
  encodePeriod,
  formatPeriod,
  MAX_PAGE_ROWS,
  periodBefore,
} from '@wattfeed/eia'
import { hashedUnit } from '../../library/provenance/recipe.ts'
import type { SnapshotInput } from './snapshotInput.ts'

/** A dataset without rows. */
const EmptyDatasetError = defineError(
  'EmptyDatasetError',
  'dataset_empty',
  (facts: { route: string; frequency: string }) =>
    `EIA has no ${facts.frequency} rows of ${facts.route}; "feeds datasets" lists the frequencies of a dataset`,
)

/** A number of periods for a frequency whose periods cannot be counted. */
const UncountablePeriodsError = defineError(
  'UncountablePeriodsError',
  'dataset_periods',
  (facts: { route: string; frequency: string }) =>
    `the ${facts.frequency} periods of ${facts.route} cannot be counted, because they have no common clock; read all of them`,
)

const MAX_STARTS = 3
const TRIES = 4
const MAX_PAUSE_MS = 60_000

/**
 * Reads all rows of a dataset into a stage, and returns it open. A killed run is resumed after its last page if EIA's first page is
 * still the same.
 *
 * EIA does not tell whether rows have changed between two pages. So pages overlap in one row, which must be the same on both. As many
 * rows as EIA counts must have come, and the first page must be the same after the last one. Otherwise, all is read again.
 *
 * A value is missed until the next snapshot if it changes further down, after its page was read.
 *
 * @throws {EmptyDatasetError}
 * @throws {UncountablePeriodsError}
 * @throws {EiaRowsMovedError} if the rows changed during each of three readings.
 */
export async function readRows(path: string, options: SnapshotInput): Promise<Stage> {
  for (let starts = 1; starts <= MAX_STARTS; starts++) {
    const read = await readOnce(path, options)
    if (typeof read !== 'string') return read
    if (starts < MAX_STARTS) options.onProgress?.({ step: 'again', why: read })
  }
  throw new EiaRowsMovedError({ route: options.dataset.route, status: null })
}

/** Reads all rows into a stage, and returns it open; or returns why all must be read again. */
async function readOnce(path: string, options: SnapshotInput): Promise<Stage | string> {
  const { dataset, facets } = options
  const { route, frequency, periods } = dataset
  const sorted = { columns: [...dataset.columns].sort(), facets: [...facets].sort() }
  const range = await findRange({ route, frequency, ...sorted, start: null }, options)
  if (typeof range === 'string') return range
  const query = { route, frequency, ...sorted, start: range.start }
  using resources = new DisposableStack()
  const stage = resources.use(openStage(path, { ...query, periods }))
  const why = await fillStage(stage, query, { ...options, newest: range.newest })
  if (why === null) {
    resources.move() // From here on, the caller closes the stage.
    return stage
  }
  stage.clear()
  return why
}

/** The first period to read, and the newest one there is; null where all are read. */
interface Range {
  readonly start: string | null
  readonly newest: string | null
}

/** Finds what to read; or returns why it must be requested again. */
async function findRange(query: DatasetQuery, options: SnapshotInput): Promise<Range | string> {
  const { route, frequency } = query
  const { periods } = options.dataset
  if (periods === null) return { start: null, newest: null }
  if (frequency === 'local-hourly') throw new UncountablePeriodsError({ route, frequency })
  const page = await readPage(query, { offset: 0, length: 1 }, options)
  const [row] = page.rows
  if (row === undefined) return whyWithoutRows(page, query)
  const first = periodBefore(frequency, encodePeriod(frequency, row.period), periods - 1)
  // Null if so many periods reach back before the first one that can be written: then all are read.
  return { start: first === null ? null : formatPeriod(frequency, first), newest: row.period }
}

/** Reads the pages that a stage lacks. Returns why all must be read again; null if the stage has all rows. */
async function fillStage(
  stage: Stage,
  query: DatasetQuery,
  options: SnapshotInput & Pick<Range, 'newest'>,
): Promise<string | null> {
  const { newest, now, onProgress } = options
  const readAt = (offset: number) => readPage(query, { offset, length: MAX_PAGE_ROWS }, options)
  const first = await readAt(0)
  if (first.rows.length === 0) return whyWithoutRows(first, query)
  const { total } = first
  const tell = (step: 'resume' | 'page') => {
    const { pages, rows } = stage.progress()
    onProgress?.({ step, pages, rows, total })
  }
  if (newest !== null && first.rows[0]?.period !== newest) return 'a newer period has come'
  if (stage.progress().pages > 0 && stage.isFirst(first)) tell('resume')
  else {
    stage.clear()
    if (!stage.add(first, now())) return 'a row came twice'
    tell('page')
  }
  for (;;) {
    const { rows } = stage.progress()
    if (rows > total) return `EIA counted ${total} rows and sent ${rows}`
    if (rows === total) break
    const page = await readAt(rows - 1)
    const [overlapping, ...others] = page.rows
    if (overlapping === undefined || !stage.isLast(overlapping)) return 'the rows moved between two pages'
    if (others.length === 0) return `EIA counted ${total} rows and sent ${rows}`
    if (!stage.add({ ...page, rows: others }, now())) return 'the rows moved between two pages'
    tell('page')
  }
  return stage.isFirst(await readAt(0)) ? null : 'the first rows have changed'
}

/** Why a first page without rows must be requested again. @throws {EmptyDatasetError} if there are none to send. */
function whyWithoutRows({ total }: StagedPage, { route, frequency }: DatasetQuery): string {
  if (total === 0) throw new EmptyDatasetError({ route, frequency })
  return `EIA counted ${total} rows and sent none`
}

/** Reads a page, with the units as a leaf has them. */
async function readPage(
  query: DatasetQuery,
  section: { offset: number; length: number },
  { eia, signal, minPauseMs = 5_000 }: SnapshotInput,
): Promise<StagedPage> {
  const { rows, total } = await retry(() => eia.readDatasetPage(query, section, signal), {
    attempts: TRIES,
    minPauseMs,
    maxPauseMs: MAX_PAUSE_MS,
    signal,
    // The client has waited for EIA already.
    shouldRetry: (error) =>
      error instanceof WattfeedError && error.retryable && !(error instanceof EiaThrottledError),
  })
  const withHashedUnits = rows.map((row) => ({
    ...row,
    values: row.values.map(({ value, unit }) => ({ value, unit: hashedUnit(query.route, unit) })),
  }))
  return { rows: withHashedUnits, total }
}
