import { encodePeriod } from '../../eia/period.ts'
import { EiaDoubledPeriodError, type EiaRow, type Series } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import { type Check, type CheckedSelection, failed, passed, skipped } from './checks.ts'
import type { EiaReads } from './eiaReads.ts'

/** The newest row of a feed's series. */
export type NewestRow = Pick<EiaRow, 'period' | 'value'> & {
  /** The unit that the row states, or null. */
  unit: string | null
}

/** The checks of a feed that need EIA. */
export interface UpstreamCheck {
  checks: Check[]
  newest: NewestRow | null
  /** Whether the newest period has one row; null if there is no row. */
  isUnique: boolean | null
}

/** Asks EIA for the facets' values and the newest rows of the series, and checks both. */
export async function checkUpstream(eia: EiaReads, config: CheckedSelection): Promise<UpstreamCheck> {
  const [values, rows] = await Promise.all([checkFacetValues(eia, config), readRows(eia, config)])
  if (rows instanceof WattfeedError) {
    const checks = [
      values,
      failed('newest_period', rows instanceof EiaDoubledPeriodError ? moreThanOneRow(rows) : rows.message),
      skipped('upstream_unit', 'there is no row'),
    ]
    return { checks, newest: null, isUnique: rows instanceof EiaDoubledPeriodError ? false : null }
  }
  const [{ period, value, statedUnit: unit }] = rows
  return {
    checks: [values, checkPeriod(config, rows), checkUnit(config, unit)],
    newest: { period, value, unit },
    isUnique: true,
  }
}

/** The result without an EIA key. */
export const upstreamNotAsked: UpstreamCheck = {
  checks: [
    skipped('facet_values', 'EIA_API_KEY is not set'),
    skipped('newest_period', 'EIA_API_KEY is not set'),
    skipped('upstream_unit', 'EIA_API_KEY is not set'),
  ],
  newest: null,
  isUnique: null,
}

async function checkFacetValues(eia: EiaReads, { route, facets }: CheckedSelection): Promise<Check> {
  const entries = Object.entries(facets)
  if (entries.length === 0) return passed('facet_values', 'none is needed')
  const faults = await Promise.all(entries.map(([facet, value]) => facetFault(eia, route, facet, value)))
  const found = faults.filter((fault) => fault !== null)
  const words = entries.map(([facet, value]) => `${facet}=${value}`).join(', ')
  return found.length === 0 ? passed('facet_values', words) : failed('facet_values', found.join('; '))
}

/** Returns why a facet cannot have a value; null if it can. */
async function facetFault(
  eia: EiaReads,
  route: string,
  facet: string,
  value: string,
): Promise<string | null> {
  try {
    const known = await eia.listFacetValues(route, facet)
    return known.some(({ id }) => id === value) ? null : `EIA lists no value ${value} for ${facet}`
  } catch (error) {
    if (error instanceof WattfeedError) return error.message
    throw error
  }
}

type Rows = readonly [EiaRow, ...EiaRow[]]

async function readRows(eia: EiaReads, series: Series): Promise<Rows | WattfeedError> {
  const { route, frequency, column, facets } = series
  try {
    const [newest, ...others] = await eia.listNewestRows({ route, frequency, column, facets }, { length: 2 })
    if (newest === undefined) throw new Error('EIA’s client answered without a row')
    return [newest, ...others]
  } catch (error) {
    if (error instanceof WattfeedError) return error
    throw error
  }
}

/** Two rows of one period are two series. */
const moreThanOneRow = ({ period }: EiaDoubledPeriodError): string =>
  `there is more than one row for ${period}`

function checkPeriod({ frequency }: CheckedSelection, rows: Rows): Check {
  const [{ period }] = rows
  try {
    encodePeriod(frequency, period)
    return passed('newest_period', period)
  } catch (error) {
    if (error instanceof WattfeedError) return failed('newest_period', error.message)
    throw error
  }
}

function checkUnit({ upstream_unit }: CheckedSelection, stated: string | null): Check {
  if (upstream_unit === undefined)
    return passed('upstream_unit', stated === null ? 'rows state none' : `rows state ${stated}`)
  return stated === upstream_unit
    ? passed('upstream_unit', upstream_unit)
    : failed('upstream_unit', `rows state ${stated ?? 'none'}, and the feed expects ${upstream_unit}`)
}
