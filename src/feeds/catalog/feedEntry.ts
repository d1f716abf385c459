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

/** What EIA's newest rows say about a new feed's series. */
export interface RowsOfSeries {
  /** The values, newest first; null for one that EIA withholds. */
  values: readonly (string | null)[]
  /** EIA's unit; null if the newest row states none. */
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

/** Suggests the text of a field from the series and its rows; null if nothing can be suggested. `unit` is the chosen one. */
export const suggestText: Readonly<
  Record<DraftField, (series: SelectedSeries, rows: RowsOfSeries | null, unit: string) => string | null>
> = {
  id: suggestId,
  title: suggestTitle,
  description: suggestDescription,
  unit: (_, rows) => (rows?.unit ? suggestUnit(rows.unit) : null),
  decimals: (_, rows, unit) => String(suggestDecimals(unit, rows?.values ?? [])),
}

/**
 * Returns the entry of a new feed.
 *
 * @param about.rows null if EIA was not queried: then the feed is marked as unverified
 */
export const entryOf = (
  { dataset, frequency, column, facets }: SelectedSeries,
  { id, decimals, ...texts }: Record<Exclude<DraftField, 'decimals'>, string> & { decimals: number },
  { rows, allowsFuture }: { rows: RowsOfSeries | null; allowsFuture: boolean },
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
  ...(rows?.unit ? { upstream_unit: rows.unit } : {}),
  ...(allowsFuture ? { allow_future: true } : {}),
  ...(rows === null ? { unverified: 'EIA was not queried when this entry was written' } : {}),
})
