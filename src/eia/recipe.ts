/** What a feed's rows are asked for with, and what the hashes of its values cover besides period and value. */
export interface Recipe {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  readonly frequency: string
  /** The column that holds the value. It is the one part that is not hashed. */
  readonly column: string
  /** One value for each facet that is pinned, by facet id. */
  readonly facets: Readonly<Record<string, string>>
  /** The unit as EIA's rows write it; null where they have none that is hashed, and then the feed's unit is. */
  readonly unit: string | null
}

/** The part of a recipe that a description holds; route and frequency are fields of the feed. */
export type DescribedRecipe = Pick<Recipe, 'column' | 'facets' | 'unit'>

// Their rows have a column `unit`, which is not hashed; those of all other datasets `units` or `<column>-units`.
const UNIT_COLUMN = /^(aeo|international|seds|steo|total-energy)(\/|$)/

/** Whether a dataset's rows have no unit that is hashed. */
const hasUnitColumn = (route: string): boolean => UNIT_COLUMN.test(route)

/** Returns the unit that is hashed with a dataset's values, of the one that its rows state; null for the feed's own. */
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
 * Facets are sorted by UTF-16 code unit. `%`, `;`, `=` and control characters are percent-escaped as UTF-8 with capital
 * hex digits, and nothing else is. The unit is empty where EIA's rows have none that is hashed.
 *
 * @example
 * ```ts
 * import { formatRecipe } from './recipe.ts'
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
 * Parses the recipe on a description's last line; null where that is none exactly as {@link formatRecipe} writes it.
 *
 * @example
 * ```ts
 * import { parseRecipe } from './recipe.ts'
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
  // Every recipe has one form, so that no changed character goes unnoticed.
  return recipe.column !== '' && formatRecipe(recipe) === line ? recipe : null
}

const EARLIER_PREFIX = 'eia-earlier-units:'

/**
 * Returns a description with this recipe as its last line, in place of the one that it may have. The units that EIA's
 * rows stated before, if any, are on the line before it: the hashes of earlier values cover them.
 */
export function describeRecipe(
  description: string,
  recipe: DescribedRecipe,
  earlierUnits: readonly string[] = [],
): string {
  const earlier = earlierUnits.length === 0 ? '' : EARLIER_PREFIX + earlierUnits.map(percentEscape).join(';')
  return [withoutRecipe(description), earlier, formatRecipe(recipe)].filter((line) => line !== '').join('\n')
}

/** Returns the units that EIA's rows stated before the one in the recipe, from a description; none without a recipe. */
export function parseEarlierUnits(description: string): string[] {
  if (parseRecipe(description) === null) return []
  const line = description.split('\n').at(-2) ?? ''
  return line.startsWith(EARLIER_PREFIX)
    ? line.slice(EARLIER_PREFIX.length).split(';').map(percentDecode)
    : []
}

/** Returns a description without its recipe: what people read. */
export function withoutRecipe(description: string): string {
  if (parseRecipe(description) === null) return description
  const lines = description.split('\n').slice(0, -1)
  return (lines.at(-1)?.startsWith(EARLIER_PREFIX) ? lines.slice(0, -1) : lines).join('\n')
}

function percentEscape(text: string): string {
  return [...text].map((char) => (isEscaped(char) ? encodeURIComponent(char) : char)).join('')
}

const isEscaped = (char: string): boolean => '%;='.includes(char) || char < ' ' || char === '\u007f'

/** What does not decode is left as it is, and then differs from how it would be escaped. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
