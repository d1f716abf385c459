import type { Cursor } from '../bytes/cursor.ts'

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

export function readFeed(cursor: Cursor): Feed {
  return {
    decimals: cursor.u8(),
    unit: cursor.string(),
    title: cursor.string(),
    source: cursor.string(),
    route: cursor.string(),
    frequency: cursor.string(),
    description: cursor.string(),
  }
}
