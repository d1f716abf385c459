import { type Static, Type } from '@sinclair/typebox'
import { defineError } from '@wattfeed/base'
import { frequencies, type Series } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { describeRecipe, parseRecipe, recipeOf } from '../../library/provenance/recipe.ts'
import { type Feed, feedOrder } from '../../library/registry/feed.ts'
import { pick } from '../../library/registry/reading.ts'

const text = Type.String({ minLength: 1, error: 'a text that is not empty' })

/** Maximum number of periods before the newest that are compared with the chain. */
export const MAX_LOOK_BACK = 100

export const FeedConfig = Type.Object(
  {
    feed_id: Type.String({
      // The FeedRegistry rejects control characters.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
      error: 'a text without control characters',
    }),
    title: text,
    description: text,
    /** As on chain; `EIA`. */
    source: text,
    /** EIA's route, below `/v2/`. */
    route: Type.String({
      pattern: '^[A-Za-z0-9-]+(/[A-Za-z0-9-]+)*$',
      error: 'the path below /v2/, no slash at its ends',
    }),
    frequency: Type.Union(frequencies.map((frequency) => Type.Literal(frequency))),
    /** The column of EIA's dataset that holds the value. */
    column: text,
    /** The value of each pinned facet, by its id. The source hash covers all of them. */
    facets: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]+$' }), text, {
      error: 'an object of facet ids and their values',
      additionalProperties: false,
    }),
    /** The display unit, as on chain. */
    unit: text,
    /** Number of digits of an amount after the decimal point. */
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    /** The unit that every row must state, if given. */
    upstream_unit: Type.Optional(text),
    /** The former units, oldest first. The hashes of earlier values cover them. */
    earlier_upstream_units: Type.Optional(
      Type.Array(text, { minItems: 1, error: 'a list of texts that are not empty' }),
    ),
    /** Whether to attest forecasts: months, quarters and years that have not ended; days, weeks and hours that have not started. @default false */
    allow_future: Type.Optional(Type.Boolean()),
    /** Number of periods before the newest to compare with the chain in each cycle. @default `LOOK_BACK` */
    look_back: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_LOOK_BACK })),
    /** Why it is uncertain that EIA has this series. Such a feed is not attested to a public network. */
    unverified: Type.Optional(text),
  },
  { additionalProperties: false, error: 'an object, a feed' },
)
export type FeedConfig = Static<typeof FeedConfig>

/** Returns the feed's series at EIA. Its open facets are those of the catalog that the feed does not pin. */
export function seriesOf({ route, frequency, column, facets }: Omit<Series, 'openFacets'>): Series {
  const openFacets = findDataset(route)?.facets.filter((facet) => !Object.hasOwn(facets, facet)) ?? []
  return { route, frequency, column, facets, openFacets }
}

/** A feed id that is not registered on chain. */
export const FeedNotRegisteredError = defineError(
  'FeedNotRegisteredError',
  'feed_not_registered',
  (facts: { feedId: string }) =>
    `${facts.feedId} is not registered on this chain; "feeds list" shows the registered feeds, "feeds register" registers it`,
)

/** A field whose value on chain differs from the configured one. */
export interface Difference {
  field: keyof Feed
  configured: string | number
  on_chain: string | number
}

/** A part of the recipe on chain that differs from the configuration. The values would be those of another series. */
export interface RecipeDifference {
  field: 'column' | `facets.${string}`
  /** Null if the feeds file does not pin the facet. */
  configured: string | null
  /** Null if the recipe does not pin the facet. */
  on_chain: string | null
}

/** Returns the on-chain metadata of a configured feed. Its description ends with its recipe, if the recipe is known. */
export const feedMetadata = (config: FeedConfig): Feed => ({
  ...pick(config, feedOrder),
  description: describe(config),
})

function describe(config: FeedConfig): string {
  const recipe = recipeOf(config)
  return recipe === null
    ? config.description
    : describeRecipe(config.description, recipe, config.earlier_upstream_units)
}

/** Lists the fields that a registration would change, in the contract's order. */
export function listDifferences(config: FeedConfig, feed: Feed): Difference[] {
  const configured = feedMetadata(config)
  return feedOrder
    .filter((field) => configured[field] !== feed[field])
    .map((field) => ({ field, configured: configured[field], on_chain: feed[field] }))
}

/**
 * Lists the differences in column and facets between the recipe on chain and the feeds file; null if the feed has no
 * recipe on chain. The unit is not compared, because EIA may change its words.
 */
export function listRecipeDifferences(
  { column, facets }: Pick<FeedConfig, 'column' | 'facets'>,
  { description }: Pick<Feed, 'description'>,
): RecipeDifference[] | null {
  const recipe = parseRecipe(description)
  if (recipe === null) return null
  const pinned = [...new Set([...Object.keys(facets), ...Object.keys(recipe.facets)])].sort()
  const compared: RecipeDifference[] = [
    { field: 'column', configured: column, on_chain: recipe.column },
    ...pinned.map(
      (facet): RecipeDifference => ({
        field: `facets.${facet}`,
        configured: ownValue(facets, facet),
        on_chain: ownValue(recipe.facets, facet),
      }),
    ),
  ]
  return compared.filter(({ configured, on_chain }) => configured !== on_chain)
}

const ownValue = (values: Readonly<Record<string, string>>, key: string): string | null =>
  Object.hasOwn(values, key) ? (values[key] ?? null) : null
