import { type Static, Type } from '@sinclair/typebox'
import { findDataset } from '../../catalog/datasets.ts'
import { frequencies } from '../../eia/period.ts'
import {
  type DescribedRecipe,
  describeRecipe,
  hashedUnit,
  hasUnitColumn,
  parseRecipe,
} from '../../eia/recipe.ts'
import type { Series } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import type { Feed } from '../../registry/feed.ts'

const text = Type.String({ minLength: 1, error: 'a text that is not empty' })

/** The most periods before the newest that are compared with the chain. */
export const MAX_LOOK_BACK = 100

/** A feed of the feeds file. */
export const FeedConfig = Type.Object(
  {
    feed_id: Type.String({
      // What the FeedRegistry takes: no control characters.
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
    /** The value of each pinned facet, by its id. All of them enter the hash. */
    facets: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]+$' }), text, {
      error: 'an object of facet ids and their values',
      additionalProperties: false,
    }),
    /** The display unit, as on chain. */
    unit: text,
    /** How many digits of an amount are after the decimal point. */
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    /** The unit that every row must state, if given. */
    upstream_unit: Type.Optional(text),
    /** The units that every row stated before, oldest first: the hashes of earlier values cover them. */
    earlier_upstream_units: Type.Optional(
      Type.Array(text, { minItems: 1, error: 'a list of texts that are not empty' }),
    ),
    /** Whether to attest forecasts: months, quarters and years that have not ended, days, weeks and hours that have not begun. @default false */
    allow_future: Type.Optional(Type.Boolean()),
    /** How many periods before the newest are compared with the chain in each cycle. @default `LOOK_BACK` */
    look_back: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_LOOK_BACK })),
    /** Why it is uncertain that EIA has this series; such a feed is not attested to a public network. */
    unverified: Type.Optional(text),
  },
  { additionalProperties: false, error: 'an object, a feed' },
)
export type FeedConfig = Static<typeof FeedConfig>

/** Returns the feed's series at EIA; the catalog says which facets the feed leaves open. */
export function seriesOf({ route, frequency, column, facets }: Omit<Series, 'openFacets'>): Series {
  const openFacets = findDataset(route)?.facets.filter((facet) => !Object.hasOwn(facets, facet)) ?? []
  return { route, frequency, column, facets, openFacets }
}

/** A feed id that is not registered on chain. */
export class FeedNotRegisteredError extends WattfeedError {
  static override readonly name = 'FeedNotRegisteredError'
  readonly code = 'feed_not_registered'
  readonly retryable = false

  constructor(readonly feedId: string) {
    super(
      `${feedId} is not registered on this chain; "feeds list" shows what is, "feeds register" registers it`,
    )
  }
}

/** A field whose value on chain is not the configured one. */
export interface Difference {
  field: keyof Feed
  configured: string | number
  on_chain: string | number
}

/** A part of the recipe on chain that is not the configured one: the values would be those of another series. */
export interface RecipeDifference {
  field: 'column' | `facets.${string}`
  /** Null if the feeds file does not pin the facet. */
  configured: string | null
  /** Null if the recipe does not pin the facet. */
  on_chain: string | null
}

const fields = ['decimals', 'unit', 'title', 'source', 'route', 'frequency', 'description'] as const

/**
 * Returns what anyone needs to recompute the hashes of a feed's values; null while it is not known which unit EIA's rows
 * state.
 */
export function recipeOf({ route, column, facets, upstream_unit }: FeedConfig): DescribedRecipe | null {
  const unit = hashedUnit(route, upstream_unit ?? null)
  return unit === null && !hasUnitColumn(route) ? null : { column, facets, unit }
}

/** Returns the on-chain metadata of a configured feed: its description ends with its recipe, if that is known. */
export const feedMetadata = (config: FeedConfig): Feed => ({
  decimals: config.decimals,
  unit: config.unit,
  title: config.title,
  source: config.source,
  route: config.route,
  frequency: config.frequency,
  description: describe(config),
})

function describe(config: FeedConfig): string {
  const recipe = recipeOf(config)
  return recipe === null
    ? config.description
    : describeRecipe(config.description, recipe, config.earlier_upstream_units)
}

/** Lists what registering a feed would change, in the contract's order. */
export function listDifferences(config: FeedConfig, feed: Feed): Difference[] {
  const configured = feedMetadata(config)
  return fields
    .filter((field) => configured[field] !== feed[field])
    .map((field) => ({ field, configured: configured[field], on_chain: feed[field] }))
}

/**
 * Lists where the recipe on chain asks EIA for another column or other facets than the feeds file; null if the chain has
 * no recipe of the feed. Its unit is not compared: EIA may change the words.
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
