import type { Cursor } from '../bytes/cursor.ts'

/** Metadata of a feed, as `FeedRegistry.feeds` holds it. */
export interface Feed {
  /** How many of an amount's digits follow the decimal point, 0 to 255. */
  readonly decimals: number
  /** Unit of the scaled value, for people: `$/bbl`. */
  readonly unit: string
  /** Title of the feed, for people. */
  readonly title: string
  /** Publisher of the values: `EIA`. */
  readonly source: string
  /** The EIA route that the values come from: `petroleum/pri/spt`. */
  readonly route: string
  /** How often a value appears, in EIA's terms: `daily`. */
  readonly frequency: string
  /** Description, for people. Its last line may be the recipe to query EIA with. */
  readonly description: string
}

/** Reads a serialized `Feed`. */
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
