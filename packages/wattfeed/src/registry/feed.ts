import type { Cursor } from '@wattfeed/base'
import { readStruct, type StoredKind } from '@wattfeed/casper'

/** Metadata of a feed, as stored in `FeedRegistry.feeds`. */
export interface Feed {
  /** Number of digits of an amount after the decimal point, 0 to 255. */
  readonly decimals: number
  /** Unit of the scaled value for display: `$/bbl`. */
  readonly unit: string
  /** Title of the feed, for people. */
  readonly title: string
  /** Publisher of the values: `EIA`. */
  readonly source: string
  /** EIA route of the values: `petroleum/pri/spt`. */
  readonly route: string
  /** Frequency of the values, in EIA's terms: `daily`. */
  readonly frequency: string
  /** Description, for people. Its last line may be the recipe to query EIA with. */
  readonly description: string
}

/** A feed of which nothing is known. */
export const emptyFeed: Feed = {
  decimals: 0,
  unit: '',
  title: '',
  source: '',
  route: '',
  frequency: '',
  description: '',
}

/** The fields of a feed in the order of the contract: of the bytes, and of the arguments of `register_feed`. */
export const feedFields = {
  decimals: 'u8',
  unit: 'text',
  title: 'text',
  source: 'text',
  route: 'text',
  frequency: 'text',
  description: 'text',
} as const satisfies Readonly<Record<keyof Feed, StoredKind>>

/** The names of {@link feedFields}. */
export const feedOrder = Object.keys(feedFields) as readonly (keyof Feed)[]

export const readFeedStruct = (cursor: Cursor): Feed => readStruct(cursor, feedFields)
