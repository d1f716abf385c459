import { defineError, nameRow } from '@wattfeed/base'
import { DatasetError } from '@wattfeed/dataset'
import { openStage, type Stage, type StagedPage, type StagedRow } from '@wattfeed/dataset/disk'
import {
  type DatasetPage,
  type DatasetQuery,
  EiaRowsMovedError,
  encodePeriod,
  findCalendar,
  MAX_PAGE_ROWS,
  PeriodError,
  parsePeriodStart,
} from '@wattfeed/eia'
import { hashedUnit } from 'wattfeed/internal'
import { checkPages } from './checkPages.ts'
import { retryEia } from './retryEia.ts'
import type { SnapshotInput } from './snapshotInput.ts'
import { windowStart } from './windowStart.ts'

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

/** Age above which a killed run is not resumed. */
const MAX_STAGE_AGE_MS = 3_600_000

/** All rows of a dataset. */
export interface ReadRows {
  /** It is open: the caller closes it. */
  readonly stage: Stage
  /** What EIA's first page says beside its rows. */
  readonly page: Pick<DatasetPage, 'about' | 'unitMembers'>
}

/**
 * Reads all rows of a dataset into a stage. A killed run is resumed after its last page, if EIA's first page is
 * still the same. It must have begun less than an hour ago, and EIA's calendar must have no release since.
 *
 * EIA does not tell whether rows have changed between two pages. So pages overlap in one row, which must be the same on both. As many
 * rows as EIA counts must have come. Then the newest pages are read once more, and some of the others, chosen at random. Otherwise, all is
 * read again. docs/datasets.md says which changes are missed.
 *
 * @throws {EmptyDatasetError}
 * @throws {UncountablePeriodsError}
 * @throws {DatasetError} if EIA has two different rows with one key, a row that cannot be a leaf, or units on some pages only.
 * @throws {EiaRowsMovedError} if the rows changed during each of three readings.
 */
export async function readRows(path: string, options: SnapshotInput): Promise<ReadRows> {
  for (let starts = 1; starts <= MAX_STARTS; starts++) {
    const read = await readOnce(path, options)
    if (typeof read !== 'string') return read
    if (starts < MAX_STARTS) options.onProgress?.({ step: 'again', why: read })
  }
  throw new EiaRowsMovedError({ route: options.dataset.route, status: null })
}

/** Reads all rows into a stage; or returns why all must be read again. */
async function readOnce(path: string, options: SnapshotInput): Promise<ReadRows | string> {
  const { dataset, facets } = options
  const { route, frequency, periods } = dataset
  const sorted = { columns: [...dataset.columns].sort(), facets: [...facets].sort() }
  const range = await findRange({ route, frequency, ...sorted, start: null }, options)
  if (typeof range === 'string') return range
  const query = { route, frequency, ...sorted, start: range.start }
  using resources = new DisposableStack()
  const stage = resources.use(openStage(path, { ...query, periods }))
  const page = await readPage(query, { offset: 0, length: MAX_PAGE_ROWS }, options)
  const why = await fillStage(stage, query, { ...options, newest: range.newest, first: page })
  if (why === null) {
    resources.move() // From here on, the caller closes the stage.
    return { stage, page }
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
  return { start: windowStart(frequency, periodOf(row, query), periods), newest: row.period }
}

/** The integer of the newest row's period. @throws {DatasetError} that names the row, if it has none of its frequency. */
function periodOf({ period, facets }: StagedRow, { route, frequency, facets: ids }: DatasetQuery): number {
  try {
    return encodePeriod(frequency, period)
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    const members = ids.map((id, index) => [id, facets[index]] as const)
    throw new DatasetError({
      what: `${route}, ${nameRow(0, [['period', period], ...members])}`,
      rule: error.message,
    })
  }
}

/** Reads the pages that a stage lacks. Returns why all must be read again; null if the stage has all rows. */
async function fillStage(
  stage: Stage,
  query: DatasetQuery,
  options: SnapshotInput & Pick<Range, 'newest'> & { readonly first: ReadPage },
): Promise<string | null> {
  const { newest, first, now, onProgress } = options
  const readAt = (offset: number) => readPage(query, { offset, length: MAX_PAGE_ROWS }, options)
  const [newestRow] = first.rows
  if (newestRow === undefined) return whyWithoutRows(first, query)
  const { total } = first
  const tell = (step: 'resume' | 'page') => {
    const { pages, rows } = stage.progress()
    onProgress?.({ step, pages, rows, total })
  }
  if (newest !== null && newestRow.period !== newest) return 'a newer period has come'
  const stale = whyStale(stage.progress().startedAt, { query, period: newestRow.period, now: now() })
  if (stale !== null) {
    onProgress?.({ step: 'again', why: stale })
    stage.clear()
  }
  if (stage.isSame(first)) tell('resume')
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
    if (page.rows.length === 1) return `EIA counted ${total} rows and sent ${rows}`
    assertSameUnits(page, first, query)
    if (!stage.add(page, now())) return 'the rows moved between two pages'
    tell('page')
  }
  return checkPages(stage, readAt, options)
}

/** Why what was read before a run was killed is not used; null if it is, or there is nothing. */
function whyStale(
  startedAt: number | null,
  { query, period, now }: { query: DatasetQuery; period: string; now: number },
): string | null {
  if (startedAt === null) return null
  // The clock may have been set back.
  if (Math.abs(now - startedAt) > MAX_STAGE_AGE_MS) return 'what was read before is older than an hour'
  const { route, frequency } = query
  const released = findCalendar({ route, frequency }, startOf(frequency, period))?.releasesSince(startedAt)[0]
  if (released === undefined || released > now) return null
  return `EIA has planned a release for ${new Date(released).toISOString()}, after what was read before`
}

/** The start of a period; of any for a text that is none, which matters to weeks alone. */
function startOf(frequency: string, period: string): number {
  try {
    return parsePeriodStart(frequency, period)
  } catch (error) {
    if (error instanceof PeriodError) return 0
    throw error
  }
}

/** @throws {DatasetError} unless the rows of a page have units where those of the first one have. */
function assertSameUnits(page: ReadPage, first: ReadPage, { route, columns }: DatasetQuery): void {
  const hasUnit = ({ unitMembers }: ReadPage, index: number) => (unitMembers[index] ?? null) !== null
  const at = columns.findIndex((_, index) => hasUnit(page, index) !== hasUnit(first, index))
  if (at === -1) return
  const [has, have] = hasUnit(page, at) ? ['have a', 'have none'] : ['have no', 'have one']
  throw new DatasetError({
    what: `${route}, the ${page.rows.length} rows from offset ${page.offset} on`,
    rule: `${has} unit of ${columns[at]}, while the first rows ${have}; EIA has to correct them`,
  })
}

/** Why a first page without rows must be requested again. @throws {EmptyDatasetError} if there are none to send. */
function whyWithoutRows({ total }: StagedPage, { route, frequency }: DatasetQuery): string {
  if (total === 0) throw new EmptyDatasetError({ route, frequency })
  return `EIA counted ${total} rows and sent none`
}

/** A page as a stage has it. */
interface ReadPage extends StagedPage, Pick<DatasetPage, 'about' | 'unitMembers'> {}

/** Reads a page, with the units as a leaf has them. */
async function readPage(
  query: DatasetQuery,
  section: { offset: number; length: number },
  options: SnapshotInput,
): Promise<ReadPage> {
  const { eia, signal } = options
  const { rows, ...page } = await retryEia(() => eia.readDatasetPage(query, section, signal), options)
  const withHashedUnits = rows.map((row) => ({
    ...row,
    values: row.values.map(({ value, unit }) => ({ value, unit: hashedUnit(query.route, unit) })),
  }))
  return { ...page, offset: section.offset, rows: withHashedUnits }
}
