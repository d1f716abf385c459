import { type EiaRow, encodePeriod, isDecimal, scaleDecimal } from '@wattfeed/eia'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import { earlierTexts } from './earlierTexts.ts'
import { isDatasetFeed, parseEarlierUnits, type Recipe } from './recipe.ts'
import { canonicalJson, hashSource, type Source } from './sourceHash.ts'

/**
 * Result of comparing an attestation with EIA's data.
 *
 * - `match`: EIA's row, or the archived one, hashes to `source_hash` and scales to `amount`.
 * - `revised`: EIA has another value today. The attested value fits the recipe, or a later attestation fits the row.
 * - `mismatch`: no row of this series can be the source of the attestation.
 *
 * The comparison proves nothing, or is not possible:
 *
 * - `undecidable`: EIA's row differs today, and the hash does not show whether EIA had the attested value.
 * - `withdrawn`: EIA no longer has a row of this period, or the row has no number.
 * - `unknown_recipe`: the feed has no recipe to query EIA with.
 */
export type Verdict = 'match' | 'revised' | 'mismatch' | 'undecidable' | 'withdrawn' | 'unknown_recipe'

/** The result of rechecking one attestation. */
export interface Recheck {
  /** The result. */
  readonly verdict: Verdict
  /** The reason, for people. */
  readonly detail: string
  /** The JSON text that was hashed; null if there was nothing to hash. */
  readonly canonical_json: string | null
  /** First 32 hex digits of its SHA-256; null if there was nothing to hash. */
  readonly source_hash: string | null
}

/** An attestation without attester and time. */
export type Attested = Pick<Attestation, 'period' | 'amount' | 'source_hash'>

/** Input of {@link recheck}. */
export interface RecheckInput {
  /** Metadata of the feed on chain. */
  readonly feed: Pick<Feed, 'decimals' | 'unit' | 'route' | 'frequency'> & Partial<Pick<Feed, 'description'>>
  /** Query of the series at EIA; null if unknown. */
  readonly recipe: Recipe | null
  /** The attestation. */
  readonly attested: Attested
  /**
   * Later attestations of the same period, which EIA's row may match.
   * @default none
   */
  readonly later?: readonly Attested[]
  /** EIA's rows of the period today: several if the recipe leaves a facet open. The hash shows which one was attested. */
  readonly rows: readonly EiaRow[]
}

/**
 * Compares an attestation with EIA's rows of its period. Makes no request.
 *
 * A match proves route, frequency, facets, period, value and unit. It does not prove the column, which is not hashed: two
 * columns of a row may hold the same number.
 *
 * @example
 * ```ts
 * import { recheck } from 'wattfeed/provenance'
 *
 * const { verdict, detail } = recheck({
 *   feed: { route: 'petroleum/pri/spt', frequency: 'daily', unit: '$/bbl', decimals: 6 },
 *   recipe: {
 *     route: 'petroleum/pri/spt',
 *     frequency: 'daily',
 *     column: 'value',
 *     facets: { series: 'RWTC' },
 *     unit: '$/BBL',
 *   },
 *   attested: { period: 20261116, amount: 59910000n, source_hash: 'd40bab3b102d38fc6074ccb9317bee27' },
 *   rows: [{ period: '2026-11-16', value: '59.91', unit: '$/BBL', statedUnit: '$/BBL' }],
 * })
 * console.log(verdict, detail) // match 59.91 $/BBL of 2026-11-16
 * ```
 *
 * @throws {@link PeriodError} when a row's period is not of the feed's frequency.
 */
export function recheck(input: RecheckInput): Recheck {
  const { feed, recipe, rows } = input
  if (recipe === null && isDatasetFeed({ description: '', ...feed }))
    return withoutSource(
      'unknown_recipe',
      'the value is the root of a whole dataset: "wattfeed datasets check" recomputes it from a snapshot',
    )
  if (recipe === null)
    return withoutSource('unknown_recipe', 'neither the description nor the built-in feeds have a recipe')
  const all = rows.map((row) => recheckRow(row, recipe, input))
  for (const verdict of ['match', 'revised', 'mismatch', 'undecidable'] as const) {
    const found = all.find((each) => each.verdict === verdict)
    if (found !== undefined) return found
  }
  return all[0] ?? withoutSource('withdrawn', 'EIA has no row of this period')
}

function recheckRow(row: EiaRow, recipe: Recipe, { feed, attested, later = [] }: RecheckInput): Recheck {
  const { value } = row
  if (value === null || !isDecimal(value))
    return withoutSource('withdrawn', `EIA has ${JSON.stringify(value)} instead of a number`)
  const source = sourceOf(recipe, feed, row.period, { value, unit: row.unit })
  const found = recheckArchived(source, feed, attested)
  if (found.verdict === 'match') return withUnitChecked(found, recipe, row)
  if (found.source_hash === attested.source_hash) return found
  const successor = later.find(({ source_hash }) => source_hash === found.source_hash)
  if (successor !== undefined)
    return { ...found, verdict: 'revised', detail: `a later attestation has EIA's value ${value}` }
  return explainHash(source, found, { recipe, feed, attested })
}

/**
 * Compares an attestation with the archived source of its value, which must always match.
 *
 * @example
 * ```ts
 * import { hashSource, recheckArchived, type Source } from 'wattfeed/provenance'
 *
 * const feed = { route: 'petroleum/pri/spt', frequency: 'daily', unit: '$/bbl', decimals: 6 }
 * const source: Source = {
 *   route: feed.route,
 *   frequency: feed.frequency,
 *   facets: { series: 'RWTC' },
 *   period: '2026-11-16',
 *   value: '59.91',
 *   unit: '$/BBL',
 * }
 * const attested = { period: 20261116, amount: 59910000n, source_hash: hashSource(source) }
 * console.log(recheckArchived(source, feed, attested).verdict) // match
 * ```
 *
 * @returns The verdict `match` or `mismatch`.
 * @throws {@link PeriodError} when the source's period is not of its frequency.
 */
export function recheckArchived(source: Source, feed: RecheckInput['feed'], attested: Attested): Recheck {
  const hash = hashSource(source)
  const fault = faultOf(source, hash, feed, attested)
  return {
    verdict: fault === null ? 'match' : 'mismatch',
    detail: fault ?? `${source.value} ${source.unit} of ${source.period}`,
    canonical_json: canonicalJson(source),
    source_hash: hash,
  }
}

/**
 * Returns the source of a feed's value, which {@link hashSource} hashes.
 *
 * @example
 * ```ts
 * import { hashSource, sourceOf } from 'wattfeed/provenance'
 *
 * const recipe = {
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   column: 'value',
 *   facets: { series: 'RWTC' },
 *   unit: '$/BBL',
 * }
 * const source = sourceOf(recipe, { unit: '$/bbl' }, '2026-11-16', { value: '59.91', unit: '$/BBL' })
 * console.log(hashSource(source))
 * ```
 *
 * @param feed - its unit is used if the row has none
 * @param period - EIA's text of the period
 */
export function sourceOf(
  { route, frequency, facets }: Recipe,
  { unit }: Pick<Feed, 'unit'>,
  period: string,
  row: { value: string; unit: string | null },
): Source {
  return { route, frequency, facets, period, value: row.value, unit: row.unit ?? unit }
}

function withoutSource(verdict: Verdict, detail: string): Recheck {
  return { verdict, detail, canonical_json: null, source_hash: null }
}

/** Returns why a source is of another series or period than an attestation; null if it is not. */
function placeFault(
  { route, frequency, period }: Source,
  feed: RecheckInput['feed'],
  attested: Attested,
): string | null {
  if (route !== feed.route || frequency !== feed.frequency)
    return `the feed is ${feed.route}, ${feed.frequency}, but the row is ${route}, ${frequency}`
  return encodePeriod(frequency, period) === attested.period
    ? null
    : `the row is of ${period}, but the attestation is of ${attested.period}`
}

function faultOf(
  source: Source,
  hash: string,
  feed: RecheckInput['feed'],
  attested: Attested,
): string | null {
  const fault = placeFault(source, feed, attested)
  if (fault !== null) return fault
  if (hash !== attested.source_hash)
    return `the row hashes to ${hash}, but ${attested.source_hash} was attested`
  const amount = amountOf(source.value, feed.decimals)
  return amount === attested.amount
    ? null
    : `the row's ${source.value} scales to ${amount ?? 'no amount'}, but ${attested.amount} was attested`
}

/** A match is a mismatch if the recipe does not name the row's unit, which the hash covers. */
function withUnitChecked(found: Recheck, recipe: Recipe, { unit }: EiaRow): Recheck {
  if (recipe.unit === unit) return found
  const [named, has] = [recipe.unit ?? 'none', unit ?? 'none']
  return {
    ...found,
    verdict: 'mismatch',
    detail: `the recipe names the unit ${named}, but the row has ${has}`,
  }
}

/**
 * Explains a hash that differs from today's row, by trying the values and units that EIA may have had before. If none
 * matches, nothing is proven, because the earlier value may have had any number of digits.
 */
function explainHash(
  source: Source,
  found: Recheck,
  { recipe, feed, attested }: Pick<RecheckInput, 'feed' | 'attested'> & { recipe: Recipe },
): Recheck {
  if (placeFault(source, feed, attested) !== null) return found
  const { value } = source
  for (const unit of unitsOf(source, recipe, feed))
    for (const text of [value, ...earlierTexts(attested.amount, feed.decimals)]) {
      const candidate = { ...source, value: text, unit }
      if (hashSource(candidate) !== attested.source_hash) continue
      return text === value
        ? matchInUnit(candidate, source.unit, feed, attested)
        : { ...found, verdict: 'revised', detail: `EIA had ${text} and has ${value} today` }
    }
  return {
    ...found,
    verdict: 'undecidable',
    detail: `EIA has ${value} ${source.unit} today, and no value that it may have had before hashes to the attested hash; the earlier value may have had more digits or another unit`,
  }
}

/** The value is the same, but EIA writes its unit differently today. */
function matchInUnit(
  source: Source,
  unitToday: string,
  feed: RecheckInput['feed'],
  attested: Attested,
): Recheck {
  const found = recheckArchived(source, feed, attested)
  return found.verdict === 'match'
    ? { ...found, detail: `${found.detail}; EIA writes the unit as ${unitToday} today` }
    : found
}

/** Returns the unit of EIA's row, the recipe's, and the earlier ones in the description. */
const unitsOf = (source: Source, { unit }: Recipe, { description = '' }: RecheckInput['feed']): Set<string> =>
  new Set([source.unit, ...(unit === null ? [] : [unit]), ...parseEarlierUnits(description)])

function amountOf(value: string, decimals: number): bigint | null {
  try {
    return scaleDecimal(value, decimals)
  } catch {
    return null
  }
}
