import flagshipFeeds from '../catalog/feeds.json' with { type: 'json' }
import { addSeries } from '../eia/eiaRequest.ts'
import { formatPeriod } from '../eia/period.ts'
import { hashedUnit, parseRecipe, type Recipe } from '../eia/recipe.ts'
import { canonicalJson } from '../eia/sourceHash.ts'
import type { Feed } from '../registry/feed.ts'
import type { Attested } from './recheck.ts'

/** The origin of a recipe. */
export type RecipeSource = 'description' | 'built_in'

/** An attestation, with the data for fetching its row from EIA and for hashing the row. */
export interface Provenance {
  readonly recipe: Recipe | null
  /** Null without a recipe. */
  readonly recipe_source: RecipeSource | null
  readonly attested: Attested & {
    /** Index in the feed's history, from 0. */
    readonly index: number
  }
  /**
   * The JSON text to hash, with the placeholder `{value}`. Local-hourly feeds also have the placeholder `{period}`, because
   * only EIA's row contains the text of their period. Null without a recipe.
   */
  readonly canonical_template: string | null
  /** URL of EIA's row, without an API key. Null without a recipe. */
  readonly api_url: string | null
}

/**
 * Returns the recipe in a feed's description, otherwise the recipe of the flagship feed with this id, route and frequency.
 *
 * A wrong guess does no harm: the hash of its row never matches.
 */
export function findRecipe(
  feedId: string,
  { description, route, frequency }: Pick<Feed, 'description' | 'route' | 'frequency'>,
): { recipe: Recipe; source: RecipeSource } | null {
  const described = parseRecipe(description)
  if (described !== null) return { recipe: { route, frequency, ...described }, source: 'description' }
  const flagship = flagshipRecipes.get(feedId)
  if (flagship?.route !== route || flagship.frequency !== frequency) return null
  return { recipe: flagship, source: 'built_in' }
}

const flagshipRecipes: ReadonlyMap<string, Recipe> = new Map(
  (flagshipFeeds as readonly FlagshipFeed[]).map(
    ({ feed_id, route, frequency, column, facets, upstream_unit = null }) => [
      feed_id,
      { route, frequency, column, facets, unit: hashedUnit(route, upstream_unit) },
    ],
  ),
)

interface FlagshipFeed extends Omit<Recipe, 'unit'> {
  readonly feed_id: string
  readonly upstream_unit?: string
}

/** Returns the data for rechecking an attestation. */
export function createProvenance(feedId: string, feed: Feed, attested: Provenance['attested']): Provenance {
  const found = findRecipe(feedId, feed)
  const recipe = found?.recipe ?? null
  return {
    recipe,
    recipe_source: found?.source ?? null,
    attested,
    canonical_template: recipe && canonicalTemplate(recipe, feed, attested.period),
    api_url: recipe && rowUrl(recipe, attested.period),
  }
}

function canonicalTemplate({ unit, ...recipe }: Recipe, feed: Feed, period: number): string {
  return canonicalJson({
    ...recipe,
    period: formatPeriod(feed.frequency, period) ?? '{period}',
    value: '{value}',
    unit: unit ?? feed.unit,
  })
}

// Maximum number of rows in a response of EIA's API.
const MAX_ROWS = 5_000

const DAY_MS = 86_400_000

/** Returns the URL of a period's row. For local-hourly feeds, the URL covers all rows of the days around the period. */
function rowUrl(recipe: Recipe, period: number): string {
  const url = new URL(`https://api.eia.gov/v2/${recipe.route}/data`)
  const text = formatPeriod(recipe.frequency, period)
  addSeries(url, recipe, { offset: 0, length: MAX_ROWS })
  const bounds = text === null ? daysAround(period * 1000) : { start: text, end: text }
  for (const [name, bound] of Object.entries(bounds)) url.searchParams.set(name, bound)
  return url.href
}

/** Returns the days around a time in any time zone, or no bounds if the integer is out of the range of dates. */
function daysAround(ms: number): Record<string, string> {
  const [start, end] = [new Date(ms - DAY_MS), new Date(ms + 2 * DAY_MS)]
  if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) return {}
  return { start: start.toISOString().slice(0, 10), end: end.toISOString().slice(0, 10) }
}
