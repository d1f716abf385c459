import { encodePeriod } from '../eia/period.ts'
import type { Recipe } from '../eia/recipe.ts'
import { isDecimal, scaleDecimal } from '../eia/scaleDecimal.ts'
import type { EiaRow } from '../eia/series.ts'
import { canonicalJson, hashSource, type Source } from '../eia/sourceHash.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'

/** What became of an attestation's source. */
export type Verdict =
  /** EIA's row, or the archived one, hashes to `source_hash` and scales to `amount`. */
  | 'match'
  /** EIA's row has another value today; what was attested fits the recipe, or a later attestation fits the row. */
  | 'revised'
  /** No row of this series can have been what was attested. */
  | 'mismatch'
  /** EIA has no row of this period, or no number in it, any more. */
  | 'withdrawn'
  /** Nobody says how to ask EIA for this feed. */
  | 'unknown_recipe'

/** The result of rechecking one attestation. */
export interface Recheck {
  readonly verdict: Verdict
  /** Why, in words. */
  readonly detail: string
  /** The JSON text that was hashed here; null if there was nothing to hash. */
  readonly canonical_json: string | null
  /** The first 32 hex digits of its SHA-256. */
  readonly source_hash: string | null
}

/** An attestation, without who made it and when. */
export type Attested = Pick<Attestation, 'period' | 'amount' | 'source_hash'>

export interface RecheckInput {
  /** As on chain. */
  readonly feed: Pick<Feed, 'decimals' | 'unit' | 'route' | 'frequency'>
  /** Null if it is not known. */
  readonly recipe: Recipe | null
  readonly attested: Attested
  /** Later attestations of the same period, whose amounts and hashes EIA's row may fit. @default none */
  readonly later?: readonly Attested[]
  /** EIA's rows of that period today: one, unless the series is not pinned down; the hash tells which was attested. */
  readonly rows: readonly EiaRow[]
}

/**
 * Rechecks an attestation against EIA's rows of its period. Pure: runs in Bun, Node.js and browsers.
 *
 * A match proves route, frequency, facets, period, value and unit at once. It does not prove the column, which is not
 * hashed: two columns of a row may hold the same number.
 *
 * @throws {PeriodError} if the row's period is not one of the feed's frequency.
 *
 * @example
 * ```ts
 * import { recheck } from './recheck.ts'
 *
 * const { verdict, detail } = recheck({ feed, recipe, attested, rows })
 * console.log(verdict) // match
 * ```
 */
export function recheck(input: RecheckInput): Recheck {
  const { recipe, rows } = input
  if (recipe === null)
    return without('unknown_recipe', 'neither the description nor the built-in feeds tell it')
  const all = rows.map((row) => recheckRow(row, recipe, input))
  for (const verdict of ['match', 'revised', 'mismatch'] as const) {
    const found = all.find((each) => each.verdict === verdict)
    if (found !== undefined) return found
  }
  return all[0] ?? without('withdrawn', 'EIA has no row of this period')
}

function recheckRow(row: EiaRow, recipe: Recipe, { feed, attested, later = [] }: RecheckInput): Recheck {
  const { value } = row
  if (value === null || !isDecimal(value))
    return without('withdrawn', `EIA has ${JSON.stringify(value)} instead of a number`)
  const source = sourceOf(recipe, feed, row.period, { value, unit: row.unit })
  const found = compareSource(source, feed, attested)
  if (found.verdict === 'match') return assertUnit(found, recipe, row)
  if (found.source_hash === attested.source_hash) return found
  const successor = later.find(({ source_hash }) => source_hash === found.source_hash)
  if (successor !== undefined)
    return { ...found, verdict: 'revised', detail: `a later attestation has EIA's value ${value}` }
  return explainRevision(source, feed, attested, found)
}

/**
 * Rechecks an attestation against the archived source of a value, which has to match for ever.
 *
 * @throws {PeriodError} if the source's period is not one of its frequency.
 */
export function recheckArchived(source: Source, feed: RecheckInput['feed'], attested: Attested): Recheck {
  return compareSource(source, feed, attested)
}

/** What is hashed for a value of a feed; the feed's unit where the row has none. */
export function sourceOf(
  { route, frequency, facets }: Recipe,
  { unit }: Pick<Feed, 'unit'>,
  period: string,
  row: { value: string; unit: string | null },
): Source {
  return { route, frequency, facets, period, value: row.value, unit: row.unit ?? unit }
}

function without(verdict: Verdict, detail: string): Recheck {
  return { verdict, detail, canonical_json: null, source_hash: null }
}

/** A match, or the mismatch with its reason. */
function compareSource(source: Source, feed: RecheckInput['feed'], attested: Attested): Recheck {
  const hash = hashSource(source)
  const fault = faultOf(source, hash, feed, attested)
  return {
    verdict: fault === null ? 'match' : 'mismatch',
    detail: fault ?? `${source.value} ${source.unit} of ${source.period}`,
    canonical_json: canonicalJson(source),
    source_hash: hash,
  }
}

function faultOf(
  { route, frequency, period, value }: Source,
  hash: string,
  feed: RecheckInput['feed'],
  attested: Attested,
): string | null {
  if (route !== feed.route || frequency !== feed.frequency)
    return `the feed is of ${feed.route}, ${feed.frequency}, and the row of ${route}, ${frequency}`
  if (encodePeriod(frequency, period) !== attested.period)
    return `the row is of ${period}, which is not the period ${attested.period}`
  if (hash !== attested.source_hash)
    return `the row hashes to ${hash}, and ${attested.source_hash} was attested`
  const amount = amountOf(value, feed.decimals)
  return amount === attested.amount
    ? null
    : `the row's ${value} scales to ${amount ?? 'no amount'}, and ${attested.amount} was attested`
}

/** The hash covers the row's own unit, which the recipe has to name as well. */
function assertUnit(found: Recheck, recipe: Recipe, { unit }: EiaRow): Recheck {
  if (recipe.unit === unit) return found
  const [named, has] = [recipe.unit ?? 'none', unit ?? 'none']
  return {
    ...found,
    verdict: 'mismatch',
    detail: `the recipe names the unit ${named}, and the row has ${has}`,
  }
}

/** Tells EIA's revision of a value that was attested rightly from a value that EIA never had. */
function explainRevision(
  source: Source,
  feed: RecheckInput['feed'],
  { amount, source_hash }: Attested,
  found: Recheck,
): Recheck {
  const texts = [...textsOf(amount, feed.decimals)]
  const text = texts.find(
    (value) => value !== source.value && hashSource({ ...source, value }) === source_hash,
  )
  if (text !== undefined)
    return { ...found, verdict: 'revised', detail: `EIA had ${text}, and has ${source.value} today` }
  const isCut = fractionDigits(source.value) > feed.decimals
  if (!isCut || amountOf(source.value, feed.decimals) === amount) return found
  return {
    ...found,
    verdict: 'revised',
    detail: `EIA has ${source.value} today; its values are longer than ${feed.decimals} decimals, so that the earlier one cannot be told from the amount`,
  }
}

/** Every text of plain digits, with no more behind the point than `decimals`, that scales to an amount. */
function* textsOf(amount: bigint, decimals: number): Generator<string> {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const [whole, fraction] = [
    digits.slice(0, digits.length - decimals),
    digits.slice(digits.length - decimals),
  ]
  const shortest = fraction.replace(/0+$/, '').length
  for (let length = shortest; length <= decimals; length++) {
    const text = length === 0 ? whole : `${whole}.${fraction.slice(0, length)}`
    yield text
    if (whole === '0' && length > 0) yield text.slice(1)
  }
}

const fractionDigits = (value: string): number => /\.(\d*)/.exec(value)?.[1]?.length ?? 0

function amountOf(value: string, decimals: number): bigint | null {
  try {
    return scaleDecimal(value, decimals)
  } catch {
    return null
  }
}
