import { type Static, Type } from '@sinclair/typebox'
import { defineError } from '@wattfeed/base'
import {
  DATASET_UNIT,
  type DatasetRecipe,
  formatDatasetRecipe,
  parseDatasetRecipe,
  withoutDatasetRecipe,
} from '@wattfeed/dataset'
import { frequencies, type Series } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import type { Feed } from 'wattfeed'
import { feedOrder, pick, recipeOf } from 'wattfeed/internal'
import { describeRecipe, parseRecipe } from 'wattfeed/provenance'

const text = Type.String({ minLength: 1, error: 'a text that is not empty' })

/** Maximum number of periods before the newest that are compared with the chain. */
export const MAX_LOOK_BACK = 100

/** What every entry of a feeds file has. */
const shared = {
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
  /** Why it is uncertain that EIA has this. Such a feed is not attested to a public network. */
  unverified: Type.Optional(text),
}

/** A feed whose values are those of one series. */
export const SeriesConfig = Type.Object(
  {
    ...shared,
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
    /** Number of periods before the chain's newest to compare with EIA in each cycle. @default `LOOK_BACK` */
    look_back: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_LOOK_BACK })),
  },
  { additionalProperties: false, error: 'an object, a feed' },
)
export type SeriesConfig = Static<typeof SeriesConfig>

/** A feed whose values are roots of a whole dataset. Its id is that of `datasetFeedId`. */
export const DatasetConfig = Type.Object(
  {
    ...shared,
    dataset: Type.Object(
      {
        /** Ids of the columns. @default all of the catalog */
        columns: Type.Optional(
          Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]+$' }), {
            minItems: 1,
            error: 'a list of ids of columns, or absent for all',
          }),
        ),
        /** How many of the newest periods are attested; null for all. */
        periods: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
          error: 'a number of periods of at least 1, or null for all',
        }),
      },
      { additionalProperties: false },
    ),
    unit: Type.Literal(DATASET_UNIT),
    decimals: Type.Literal(0),
  },
  { additionalProperties: false, error: 'an object, a feed of a dataset' },
)
export type DatasetConfig = Static<typeof DatasetConfig>

/**
 * An entry of a feeds file. Two types rather than one with optional members: what reads a series takes a {@link SeriesConfig},
 * so that the compiler finds every place that has no answer for a dataset.
 */
export const FeedConfig = Type.Union([SeriesConfig, DatasetConfig])
export type FeedConfig = Static<typeof FeedConfig>

export const isDataset = (feed: FeedConfig): feed is DatasetConfig => 'dataset' in feed

export const isSeries = (feed: FeedConfig): feed is SeriesConfig => !isDataset(feed)

/** A dataset of the catalog, and what of it is attested. */
export interface DatasetSelection extends DatasetRecipe {
  readonly route: string
  readonly frequency: SeriesConfig['frequency']
}

/** Returns what a dataset's feed attests: the columns of the entry, or else those of the catalog, and every facet. */
export function datasetOf({ route, frequency, dataset }: DatasetConfig): DatasetSelection {
  const known = findDataset(route)
  // The feeds file is checked for it.
  if (known === null) throw new TypeError(`the catalog has no dataset ${route}`)
  const { columns = known.columns, periods } = dataset
  return { route, frequency, columns: columns.toSorted(), periods, facets: known.facets.toSorted() }
}

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
  /** `recipe` is the whole line of a dataset's recipe. */
  field: 'column' | `facets.${string}` | 'recipe'
  /** Null if the feeds file does not pin the facet. */
  configured: string | null
  /** Null if the recipe does not pin the facet, or there is no recipe of a dataset. */
  on_chain: string | null
}

/** Returns the on-chain metadata of a configured feed. Its description ends with its recipe, if the recipe is known. */
export const feedMetadata = (config: FeedConfig): Feed => ({
  ...pick(config, feedOrder),
  description: describe(config),
})

function describe(config: FeedConfig): string {
  if (isDataset(config)) {
    const lines = [withoutDatasetRecipe(config.description), formatDatasetRecipe(datasetOf(config))]
    return lines.filter((line) => line !== '').join('\n')
  }
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
 * Lists the differences between the recipe on chain and the feeds file. Of a series, they are in column and facets. Without the
 * recipe of a dataset, nobody can check its roots. The unit is not compared, because EIA may change its words. Null if a series
 * has no recipe on chain.
 */
export function listRecipeDifferences(
  config: FeedConfig,
  { description }: Pick<Feed, 'description'>,
): RecipeDifference[] | null {
  if (isDataset(config)) {
    const [configured, found] = [formatDatasetRecipe(datasetOf(config)), parseDatasetRecipe(description)]
    const on_chain = found && formatDatasetRecipe(found)
    return configured === on_chain ? [] : [{ field: 'recipe', configured, on_chain }]
  }
  const { column, facets } = config
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
