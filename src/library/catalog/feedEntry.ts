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

/**
 * The texts of a new feed that people may write: with the flag of `feeds new` and its help, and the label and the hint of the
 * page. Others are suggested.
 */
export const draftFields = {
  id: {
    flag: '--id <id>',
    help: 'the feed’s id on chain',
    label: 'Feed id',
    hint: 'Permanent on chain.',
  },
  title: {
    flag: '--title <text>',
    help: 'the feed’s title',
    label: 'Title',
    hint: 'The name in lists and headings.',
  },
  description: {
    flag: '--description <text>',
    help: 'the feed’s description',
    label: 'Description',
    hint: 'About 200 characters are free of extra cost.',
  },
  unit: {
    flag: '--unit <unit>',
    help: 'display unit, as stored on chain',
    label: 'Unit',
    hint: 'Required. Shown with every value, such as $/bbl.',
  },
  decimals: {
    flag: '--decimals <count>',
    help: 'number of decimal places to attest; further ones are cut, not rounded',
    label: 'Decimals',
    hint: 'Attested digits after the decimal point. Further ones are cut, not rounded.',
  },
} as const
export type DraftField = keyof typeof draftFields

/** In the order of the page and of the help, in which they depend on each other. */
export const draftNames = Object.keys(draftFields) as readonly DraftField[]

/** Suggests the text of a field from the series and its newest row; null if nothing can be suggested. `unit` is the chosen one. */
export const suggestText: Readonly<
  Record<DraftField, (series: SelectedSeries, newest: NewestOfSeries | null, unit: string) => string | null>
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
  { id, decimals, ...texts }: Record<Exclude<DraftField, 'decimals'>, string> & { decimals: number },
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
