import { parseDatasetRecipe, withoutDatasetRecipe } from '@wattfeed/dataset'

/**
 * Whether a feed's values are roots of a whole dataset: its description ends with a dataset's recipe. Its amounts are numbers of
 * values, and its source hashes have 64 digits.
 */
export const isDatasetFeed = ({ description }: { readonly description: string }): boolean =>
  parseDatasetRecipe(description) !== null

/** The query for a feed's rows. Its values' hashes cover it, and period and value. */
export interface Recipe {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  /** How often a value appears, in EIA's terms: `daily`. */
  readonly frequency: string
  /** The column of the value. It is the only part that is not hashed. */
  readonly column: string
  /** One value for each pinned facet, by facet id. */
  readonly facets: Readonly<Record<string, string>>
  /** The unit in EIA's rows; null if they have no hashed unit, so that the feed's unit is hashed. */
  readonly unit: string | null
}

/** The part of a recipe in the description. Route and frequency are fields of the feed. */
export type DescribedRecipe = Pick<Recipe, 'column' | 'facets' | 'unit'>

// Their rows have a column `unit`, which is not hashed. Other datasets have `units` or `<column>-units`.
const UNIT_COLUMN = /^(aeo|international|seds|steo|total-energy)(\/|$)/

/** Returns whether a dataset's rows lack a hashed unit. */
const hasUnitColumn = (route: string): boolean => UNIT_COLUMN.test(route)

/** Returns the hashed unit of a dataset's values, given the unit in its rows; null if the feed's own unit is hashed. */
export const hashedUnit = (route: string, statedUnit: string | null): string | null =>
  hasUnitColumn(route) ? null : statedUnit

/** A series as a feeds file names it. */
export interface NamedSeries extends Pick<Recipe, 'route' | 'column' | 'facets'> {
  /** The unit that EIA's rows state; absent while it is unknown. */
  readonly upstream_unit?: string | undefined
}

/** Returns what anyone needs to recompute the hashes of a series; null while the unit that EIA's rows state is unknown. */
export function recipeOf({ route, column, facets, upstream_unit }: NamedSeries): DescribedRecipe | null {
  const unit = hashedUnit(route, upstream_unit ?? null)
  return unit === null && !hasUnitColumn(route) ? null : { column, facets, unit }
}

const PREFIX = 'eia:'

/**
 * Formats a recipe as the last line of a feed's description: `eia:<column>;<unit>;<facet>=<value>;…`
 *
 * Facets are sorted by UTF-16 code unit. Only `%`, `;`, `=` and control characters are percent-encoded, as UTF-8 with capital hex
 * digits. The unit is empty if EIA's rows have no hashed unit.
 *
 * @example
 * ```ts
 * import { formatRecipe } from 'wattfeed/provenance'
 *
 * formatRecipe({ column: 'value', unit: '$/BBL', facets: { series: 'RWTC' } }) // 'eia:value;$/BBL;series=RWTC'
 * ```
 */
export function formatRecipe({ column, unit, facets }: DescribedRecipe): string {
  const sorted = Object.entries(facets).sort(([a], [b]) => (a < b ? -1 : 1))
  const pinned = sorted.map(([facet, value]) => `${percentEscape(facet)}=${percentEscape(value)}`)
  return PREFIX + [percentEscape(column), percentEscape(unit ?? ''), ...pinned].join(';')
}

/**
 * Parses the recipe on a description's last line; null unless it is exactly as {@link formatRecipe} writes it.
 *
 * @example
 * ```ts
 * import { parseRecipe } from 'wattfeed/provenance'
 *
 * parseRecipe('WTI, Cushing.\neia:value;$/BBL;series=RWTC') // { column: 'value', unit: '$/BBL', facets: { series: 'RWTC' } }
 * ```
 */
export function parseRecipe(description: string): DescribedRecipe | null {
  const line = description.slice(description.lastIndexOf('\n') + 1)
  if (!line.startsWith(PREFIX)) return null
  const [column, unit, ...pinned] = line.slice(PREFIX.length).split(';')
  const facets = pinned.map((each) => each.split('=').map(percentDecode))
  const recipe = {
    column: percentDecode(column ?? ''),
    unit: percentDecode(unit ?? '') || null,
    facets: Object.fromEntries(facets.map(([facet = '', value = '']) => [facet, value])),
  }
  // Every recipe has one form, so every changed character is detected.
  return recipe.column !== '' && formatRecipe(recipe) === line ? recipe : null
}

const EARLIER_PREFIX = 'eia-earlier-units:'

/**
 * Returns a description with this recipe as its last line, replacing an existing one. EIA's earlier units, if any, are on the line
 * before it, because the hashes of earlier values cover them.
 *
 * @example
 * ```ts
 * import { describeRecipe } from 'wattfeed/provenance'
 *
 * const recipe = { column: 'value', unit: '$/BBL', facets: { series: 'RWTC' } }
 * describeRecipe('WTI, Cushing.', recipe) // 'WTI, Cushing.\neia:value;$/BBL;series=RWTC'
 * ```
 */
export function describeRecipe(
  description: string,
  recipe: DescribedRecipe,
  earlierUnits: readonly string[] = [],
): string {
  const earlier = earlierUnits.length === 0 ? '' : EARLIER_PREFIX + earlierUnits.map(percentEscape).join(';')
  return [withoutRecipe(description), earlier, formatRecipe(recipe)].filter((line) => line !== '').join('\n')
}

/** Returns EIA's earlier units from a description; empty without a recipe. */
export function parseEarlierUnits(description: string): string[] {
  if (parseRecipe(description) === null) return []
  const line = description.split('\n').at(-2) ?? ''
  return line.startsWith(EARLIER_PREFIX)
    ? line.slice(EARLIER_PREFIX.length).split(';').map(percentDecode)
    : []
}

/**
 * Returns a description without its recipe, that of a series or a dataset, for people.
 *
 * @example
 * ```ts
 * import { withoutRecipe } from 'wattfeed/provenance'
 *
 * withoutRecipe('WTI, Cushing.\neia:value;$/BBL;series=RWTC') // 'WTI, Cushing.'
 * ```
 */
export function withoutRecipe(description: string): string {
  if (parseRecipe(description) === null) return withoutDatasetRecipe(description)
  const lines = description.split('\n').slice(0, -1)
  return (lines.at(-1)?.startsWith(EARLIER_PREFIX) ? lines.slice(0, -1) : lines).join('\n')
}

function percentEscape(text: string): string {
  return [...text].map((char) => (isEscaped(char) ? encodeURIComponent(char) : char)).join('')
}

const isEscaped = (char: string): boolean => '%;='.includes(char) || char < ' ' || char === '\u007f'

/** Text that does not decode stays unchanged, and so differs from its encoded form. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
