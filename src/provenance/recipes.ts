import flagshipFeeds from '../catalog/feeds.json' with { type: 'json' }
import { addSeries } from '../eia/eiaRequest.ts'
import { formatPeriod } from '../eia/period.ts'
import { hashedUnit, parseRecipe, type Recipe } from '../eia/recipe.ts'
import { canonicalJson } from '../eia/sourceHash.ts'
import type { Feed } from '../registry/feed.ts'
import type { Attested } from './recheck.ts'

/** Where a recipe comes from. */
export type RecipeSource = 'description' | 'built_in'

/** An attestation, and what it takes to ask EIA for its row and to hash that. */
export interface Provenance {
  readonly recipe: Recipe | null
  /** Null without a recipe. */
  readonly recipe_source: RecipeSource | null
  readonly attested: Attested & {
    /** From 0, in the feed's history. */
    readonly index: number
  }
  /**
   * The JSON text to hash, with `{value}` where the value belongs; `{period}` too for local-hourly feeds, whose period's
   * text is in EIA's row alone. Null without a recipe.
   */
  readonly canonical_template: string | null
  /** EIA's address of the row, without a key; null without a recipe. */
  readonly api_url: string | null
}

/**
 * Returns a feed's recipe from its description, else that of the flagship feed with this id, route and frequency.
 *
 * A guessed recipe does no harm: a wrong one never hashes to what was attested.
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

/** Returns what it takes to recheck an attestation. Pure. */
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

// The most rows that EIA's API returns.
const MAX_ROWS = 5_000

const DAY_MS = 86_400_000

/** EIA's address of a period's row; for local-hourly feeds, of the rows of the days around it. */
function rowUrl(recipe: Recipe, period: number): string {
  const url = new URL(`https://api.eia.gov/v2/${recipe.route}/data`)
  const text = formatPeriod(recipe.frequency, period)
  addSeries(url, recipe, { offset: 0, length: MAX_ROWS })
  const bounds = text === null ? daysAround(period * 1000) : { start: text, end: text }
  for (const [name, bound] of Object.entries(bounds)) url.searchParams.set(name, bound)
  return url.href
}

/** The days before and after a moment, wherever on earth it is; none for an integer that no date reaches. */
function daysAround(ms: number): Record<string, string> {
  const [start, end] = [new Date(ms - DAY_MS), new Date(ms + 2 * DAY_MS)]
  if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) return {}
  return { start: start.toISOString().slice(0, 10), end: end.toISOString().slice(0, 10) }
}
