import { encodePeriod } from '../eia/period.ts'
import { parseEarlierUnits, type Recipe } from '../eia/recipe.ts'
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
  /** EIA's row differs today, and the hash does not tell whether EIA had what was attested. */
  | 'undecidable'
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
  readonly feed: Pick<Feed, 'decimals' | 'unit' | 'route' | 'frequency'> & Partial<Pick<Feed, 'description'>>
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
  for (const verdict of ['match', 'revised', 'mismatch', 'undecidable'] as const) {
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
  return explainHash(source, found, { recipe, feed, attested })
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

/**
 * Explains a hash that is not that of EIA's row today, by the texts and units that EIA may have written before. Where none
 * of them hashes to it, nothing is proven: EIA's earlier text may have had any number of digits.
 */
function explainHash(
  source: Source,
  found: Recheck,
  { recipe, feed, attested }: Pick<RecheckInput, 'feed' | 'attested'> & { recipe: Recipe },
): Recheck {
  const { route, frequency, period, value } = source
  if (
    route !== feed.route ||
    frequency !== feed.frequency ||
    encodePeriod(frequency, period) !== attested.period
  )
    return found
  for (const unit of unitsOf(source, recipe, feed))
    for (const text of [value, ...textsOf(attested.amount, feed.decimals)]) {
      const candidate = { ...source, value: text, unit }
      if (hashSource(candidate) !== attested.source_hash) continue
      return text === value
        ? matchInUnit(candidate, source.unit, feed, attested)
        : revisedFrom(text, value, found)
    }
  return {
    ...found,
    verdict: 'undecidable',
    detail: `EIA has ${value} ${source.unit} today, and nothing that it may have had before hashes to what was attested: the earlier value may have had more digits, or another unit`,
  }
}

const revisedFrom = (text: string, value: string, found: Recheck): Recheck => ({
  ...found,
  verdict: 'revised',
  detail: `EIA had ${text}, and has ${value} today`,
})

/** The value is the same, and EIA writes its unit in other words today. */
function matchInUnit(
  source: Source,
  unitToday: string,
  feed: RecheckInput['feed'],
  attested: Attested,
): Recheck {
  const found = compareSource(source, feed, attested)
  return found.verdict === 'match'
    ? { ...found, detail: `${found.detail}; EIA writes the unit as ${unitToday} today` }
    : found
}

/** The unit of EIA's row, the one in the recipe, and earlier ones. */
const unitsOf = (source: Source, { unit }: Recipe, { description = '' }: RecheckInput['feed']): Set<string> =>
  new Set([source.unit, ...(unit === null ? [] : [unit]), ...parseEarlierUnits(description)])

/** How many digits beyond the feed's decimals are tried: each takes ten times as many hashes. */
const MAX_CUT_DIGITS = 2
/** How many zeros behind the feed's decimals are tried. */
const MAX_ZEROS = 8

/** The texts that scale to an amount, as far as they are tried: plain, with zeros, cut, and with an exponent. */
function* textsOf(amount: bigint, decimals: number): Generator<string> {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals)
  const shortest = fraction.replace(/0+$/, '')
  yield* plainTexts(whole, shortest)
  for (let length = shortest.length + 1; length <= decimals + MAX_ZEROS; length++)
    yield* plainTexts(whole, shortest.padEnd(length, '0'))
  yield* exponentTexts(digits, decimals)
  for (let length = 1; length <= MAX_CUT_DIGITS; length++)
    for (let rest = 1; rest < 10 ** length; rest++)
      yield* plainTexts(whole, fraction + String(rest).padStart(length, '0'))
}

function* plainTexts(whole: string, fraction: string): Generator<string> {
  const text = fraction === '' ? whole : `${whole}.${fraction}`
  yield text
  if (fraction === '') yield `${whole}.`
  if (whole === '0' && fraction !== '') yield text.slice(1)
}

/** `1.5e3`, `15E2`, `1.50E+03` and their like. */
function* exponentTexts(digits: string, decimals: number): Generator<string> {
  const significant = digits.replace(/^0+/, '')
  const mantissa = significant.replace(/0+$/, '')
  if (mantissa === '') return
  const exponent = significant.length - 1 - decimals
  const [first = '', rest] = [mantissa[0], mantissa.slice(1)]
  const forms: [mantissa: string, exponent: number][] = [[mantissa, exponent - rest.length]]
  for (let zeros = 0; zeros <= 2; zeros++) forms.push([`${first}.${rest}${'0'.repeat(zeros)}`, exponent])
  for (const [text, power] of forms) {
    const size = String(Math.abs(power))
    for (const sign of power < 0 ? ['-'] : ['', '+'])
      for (const letter of ['e', 'E'])
        for (const padded of new Set([size, size.padStart(2, '0')]))
          yield `${text.replace(/\.$/, '')}${letter}${sign}${padded}`
  }
}

function amountOf(value: string, decimals: number): bigint | null {
  try {
    return scaleDecimal(value, decimals)
  } catch {
    return null
  }
}
