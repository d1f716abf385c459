import { DAY_MS } from '@wattfeed/base'
import { addSeries, formatPeriod, MAX_PAGE_ROWS } from '@wattfeed/eia'
import flagshipFeeds from '../../feeds.json' with { type: 'json' }
import type { Feed } from '../registry/feed.ts'
import type { Attested } from './recheck.ts'
import { hashedUnit, parseRecipe, type Recipe } from './recipe.ts'
import { canonicalJson } from './sourceHash.ts'

/** Origin of a recipe: the feed's description, or the built-in feeds. */
export type RecipeSource = 'description' | 'built_in'

/** An attestation, with the request for its row at EIA and the text to hash. */
export interface Provenance {
  /** Query of the series at EIA; null if unknown. */
  readonly recipe: Recipe | null
  /** Origin of the recipe; null without one. */
  readonly recipe_source: RecipeSource | null
  /** The attestation. */
  readonly attested: Attested & {
    /** Index in the feed's history, from 0. */
    readonly index: number
  }
  /**
   * The JSON text to hash, with `{value}` in place of the value. For local-hourly feeds also with `{period}`, because only
   * EIA's row has its text. Null without a recipe.
   */
  readonly canonical_template: string | null
  /** URL of the row at EIA, without a key; null without a recipe. */
  readonly api_url: string | null
}

/**
 * Returns a feed's recipe: from its description, or of the built-in feed with this id, route and frequency.
 *
 * The recipe need not be trusted, because a wrong one never hashes to the attested hash.
 *
 * @example
 * ```ts
 * import { findRecipe } from 'wattfeed/provenance'
 *
 * const feed = await client.getFeed('EIA.PET.PRICE.WTI.DAILY')
 * if (feed) console.log(findRecipe('EIA.PET.PRICE.WTI.DAILY', feed)?.recipe.facets) // { series: 'RWTC' }
 * ```
 *
 * @returns Null if neither has a recipe.
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

/**
 * Returns the provenance of an attestation. Makes no call.
 *
 * @example
 * ```ts
 * import { createProvenance } from 'wattfeed/provenance'
 *
 * const id = 'EIA.PET.PRICE.WTI.DAILY'
 * const [feed, value] = await Promise.all([client.getFeed(id), client.getValueAt(id, 0)])
 * if (feed && value) console.log(createProvenance(id, feed, { ...value, index: 0 }).api_url)
 * ```
 */
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

/** Returns EIA's URL of a period's row. For local-hourly feeds it returns the rows of the days around it. */
function rowUrl(recipe: Recipe, period: number): string {
  const url = new URL(`https://api.eia.gov/v2/${recipe.route}/data`)
  const text = formatPeriod(recipe.frequency, period)
  addSeries(url, recipe, { offset: 0, length: MAX_PAGE_ROWS })
  const bounds = text === null ? daysAround(period * 1000) : { start: text, end: text }
  for (const [name, bound] of Object.entries(bounds)) url.searchParams.set(name, bound)
  return url.href
}

/** Returns the days before and after a moment in every time zone; none if the moment is out of range for a date. */
function daysAround(ms: number): Record<string, string> {
  const [start, end] = [new Date(ms - DAY_MS), new Date(ms + 2 * DAY_MS)]
  if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) return {}
  return { start: start.toISOString().slice(0, 10), end: end.toISOString().slice(0, 10) }
}
