import { WattfeedError } from '@wattfeed/base'
import { type EiaRow, encodePeriod, type SeriesInspection } from '@wattfeed/eia'
import { seriesOf } from '../../../feeds/file/feedConfig.ts'
import type { EiaReads } from '../eiaReads.ts'
import {
  type Check,
  type CheckedSelection,
  checkPinned,
  describeOpenFacets,
  failed,
  formatValues,
  howPinned,
  listOpenFacets,
  passed,
  skipped,
  warned,
} from './checks.ts'

/** The newest row of a series. Its unit is null if EIA states none. */
export type NewestRow = Pick<EiaRow, 'period' | 'value'> & {
  unit: string | null
}

/** A facet that the feed leaves open, with its values in the rows; null for rows without a value. */
export type FacetInRows = SeriesInspection['openFacets'][number]

/** What the checks of a selection have found. */
export interface SelectionCheck {
  checks: Check[]
  newest: NewestRow | null
  /** The value of each row, newest first; null for one that EIA withholds. Empty if none was read. */
  values: SeriesInspection['values']
  /** Open facets with several values in the rows: the feed is several series until they are pinned. */
  toPin: readonly FacetInRows[]
  /** The unit that rows state, if the feed has no `upstream_unit`; else null. */
  missingUnit: string | null
}

/** Checks a selection against EIA. */
export async function checkUpstream(eia: EiaReads, config: CheckedSelection): Promise<SelectionCheck> {
  const [values, found] = await Promise.all([
    checkFacetValues(eia, config),
    tryToRead(() => eia.inspectSeries(seriesOf(config))),
  ])
  if (found instanceof WattfeedError) {
    const why = 'the newest rows could not be read'
    const checks = [
      skipped('series', why),
      values,
      failed('newest_period', found.message),
      skipped('upstream_unit', why),
    ]
    return { checks, newest: null, values: [], toPin: [], missingUnit: null }
  }
  const { period, value, statedUnit: unit } = found.newest
  const series = await checkSeries(eia, config, found)
  return {
    checks: [series, values, checkPeriod(config, period), checkUnit(config, unit)],
    newest: { period, value, unit },
    values: found.values,
    toPin: facetsToPin(found),
    missingUnit: config.upstream_unit === undefined ? unit : null,
  }
}

/** Returns the checks that need EIA as skipped, except the part of `series` that the catalog answers. */
export function skipUpstream(config: CheckedSelection): SelectionCheck {
  const why = 'EIA_API_KEY is not set'
  const others = (['facet_values', 'newest_period', 'upstream_unit'] as const).map((name) =>
    skipped(name, why),
  )
  return { checks: [checkPinned(config), ...others], newest: null, values: [], toPin: [], missingUnit: null }
}

async function tryToRead<T>(read: () => Promise<T>): Promise<T | WattfeedError> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof WattfeedError) return error
    throw error
  }
}

async function checkFacetValues(eia: EiaReads, { route, facets }: CheckedSelection): Promise<Check> {
  const entries = Object.entries(facets)
  if (entries.length === 0) return passed('facet_values', 'no facet is pinned')
  const faults = await Promise.all(entries.map(([facet, value]) => facetFault(eia, route, facet, value)))
  const found = faults.filter((fault) => fault !== null)
  const words = entries.map(([facet, value]) => `${facet}=${value}`).join(', ')
  return found.length === 0 ? passed('facet_values', words) : failed('facet_values', found.join('; '))
}

async function facetFault(
  eia: EiaReads,
  route: string,
  facet: string,
  value: string,
): Promise<string | null> {
  const known = await tryToRead(() => eia.listFacetValues(route, facet))
  if (known instanceof WattfeedError) return known.message
  return known.some(({ id }) => id === value) ? null : `EIA lists no value ${value} for ${facet}`
}

const facetsToPin = ({ openFacets: open }: SeriesInspection): FacetInRows[] =>
  open.filter(({ values }) => values.length > 1)

async function checkSeries(eia: EiaReads, config: CheckedSelection, found: SeriesInspection): Promise<Check> {
  const toPin = facetsToPin(found)
  if (toPin.length > 0) return failed('series', toPin.map(howToPin).join('; '))
  if (found.doubledPeriod !== null)
    return failed(
      'series',
      `there is more than one row for ${found.doubledPeriod}, and no facet of the catalog distinguishes them`,
    )
  const left = describeOpenFacets(config)
  if (left === null) return passed('series', howPinned(config))
  const doubts = await listDoubts(eia, config, found)
  return doubts.length === 0
    ? passed('series', `${left}, and ${describeRows(found)} are one series`)
    : warned('series', doubts.join('; '))
}

function howToPin({ facet, values }: FacetInRows): string {
  const example = values.find((value) => value !== null)
  return `${facet} is left open, and the rows have several values for it (${formatValues(values)}): pin one in "facets", such as "${facet}": "${example}"`
}

/** Lists the open facets with other values than the one in the rows: a future row may have one of them. */
async function listDoubts(
  eia: EiaReads,
  config: CheckedSelection,
  found: SeriesInspection,
): Promise<string[]> {
  const open = listOpenFacets(config) ?? []
  const doubts = await Promise.all(
    open.map(async (facet) => {
      const known = await tryToRead(() => eia.listFacetValues(config.route, facet))
      if (known instanceof WattfeedError) return `${facet} is left open: ${known.message}`
      if (known.length < 2) return null
      const [only = null] = found.openFacets.find((each) => each.facet === facet)?.values ?? []
      const cure = only === null ? '' : `; pin it with "${facet}": "${only}" to be sure`
      return `${facet} is left open: EIA lists ${known.length} values, and ${describeRows(found)} have only ${only ?? 'none'}${cure}`
    }),
  )
  return doubts.filter((doubt) => doubt !== null)
}

const describeRows = ({ rowCount, isWhole }: SeriesInspection): string =>
  isWhole ? `all ${rowCount} rows` : `the newest ${rowCount} rows`

function checkPeriod({ frequency }: CheckedSelection, period: string): Check {
  try {
    encodePeriod(frequency, period)
    return passed('newest_period', period)
  } catch (error) {
    if (error instanceof WattfeedError) return failed('newest_period', error.message)
    throw error
  }
}

function checkUnit({ upstream_unit: expected }: CheckedSelection, stated: string | null): Check {
  if (expected === undefined && stated === null)
    return passed('upstream_unit', 'the rows state no unit, so there is nothing to compare')
  if (expected === undefined)
    return failed(
      'upstream_unit',
      `the rows state ${stated}, but the feed has no "upstream_unit"; "feeds check --write" adds it once all other checks pass`,
    )
  if (stated === null)
    return failed(
      'upstream_unit',
      `the rows state no unit, but the feed expects ${expected}: remove "upstream_unit"`,
    )
  if (stated === expected) return passed('upstream_unit', stated)
  return failed('upstream_unit', `the rows state ${stated}, but the feed expects ${expected}`)
}
