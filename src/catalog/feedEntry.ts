import {
  type SelectedSeries,
  suggestDecimals,
  suggestDescription,
  suggestId,
  suggestTitle,
  suggestUnit,
} from './suggestFeed.ts'

/** An entry of a feeds file, as it is written for a new feed. */
export interface FeedEntry {
  feed_id: string
  title: string
  description: string
  source: 'EIA'
  route: string
  frequency: string
  column: string
  facets: Readonly<Record<string, string>>
  unit: string
  decimals: number
  upstream_unit?: string
  allow_future?: true
  unverified?: string
}

/** The newest row of a new feed's series. */
export interface NewestOfSeries {
  value: string | null
  /** EIA's unit; null if the row states none. */
  unit: string | null
}

/** The fields of a new feed that have suggestions, in the order in which they depend on each other. */
export const textFields = ['id', 'title', 'description', 'unit', 'decimals'] as const
export type TextField = (typeof textFields)[number]

/** Suggests the text of a field from the series and its newest row; null if nothing can be suggested. `unit` is the chosen one. */
export const suggestText: Readonly<
  Record<TextField, (series: SelectedSeries, newest: NewestOfSeries | null, unit: string) => string | null>
> = {
  id: suggestId,
  title: suggestTitle,
  description: suggestDescription,
  unit: (_, newest) => (newest?.unit ? suggestUnit(newest.unit) : null),
  decimals: (_, newest, unit) => String(suggestDecimals(unit, newest)),
}

/**
 * Returns the entry of a new feed.
 *
 * @param about.newest null if EIA was not queried: then the feed is marked as unverified
 */
export const entryOf = (
  { dataset, frequency, column, facets }: SelectedSeries,
  { id, decimals, ...texts }: Record<Exclude<TextField, 'decimals'>, string> & { decimals: number },
  { newest, allowsFuture }: { newest: NewestOfSeries | null; allowsFuture: boolean },
): FeedEntry => ({
  feed_id: id,
  title: texts.title,
  description: texts.description,
  source: 'EIA',
  route: dataset.route,
  frequency,
  column,
  facets,
  unit: texts.unit,
  decimals,
  ...(newest?.unit ? { upstream_unit: newest.unit } : {}),
  ...(allowsFuture ? { allow_future: true } : {}),
  ...(newest === null ? { unverified: 'EIA was not queried when this entry was written' } : {}),
})
