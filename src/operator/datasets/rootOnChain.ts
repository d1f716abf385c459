import { datasetFeedId, formatDatasetRecipe, type Manifest, parseDatasetRecipe } from '@wattfeed/dataset'
import type { Client } from 'wattfeed'

/** How many values before the newest are searched. */
export const MAX_OLDER = 100

/** Values that are read at once. */
const BATCH = 10

/** Where the root of a snapshot is on chain. */
export interface RootOnChain {
  /** Whether the dataset has a feed. */
  readonly is_registered: boolean
  /** The recipe of the feed's snapshots; null without one. Another recipe gives another root. */
  readonly recipe: string | null
  /** Number of values of the feed. */
  readonly count: number
  /** Index of the newest value that has root and size; null if none of those that were searched has. */
  readonly index: number | null
  /** How many values are newer than that one; null without it. */
  readonly newer: number | null
  /** Block time in epoch milliseconds; null without it. */
  readonly attested_at: number | null
  /** `account-hash-…` or `hash-…`; null without it. */
  readonly attester: string | null
  /** How many values were searched, newest first. */
  readonly searched: number
}

/** Looks for the root and size of a snapshot in the values of its dataset's feed, newest first, all at one state root. */
export async function findOnChain(
  client: Pick<Client, 'snapshot'>,
  { route, frequency, root, size }: Manifest,
): Promise<RootOnChain> {
  const feedId = datasetFeedId(route, frequency)
  const at = await client.snapshot()
  const [feed, count] = await Promise.all([at.getFeed(feedId), at.getValueCount(feedId)])
  const none = {
    is_registered: feed !== null,
    recipe: recipeIn(feed?.description ?? ''),
    count,
    index: null,
    newer: null,
    attested_at: null,
    attester: null,
  }
  const first = Math.max(0, count - 1 - MAX_OLDER)
  for (let to = count; to > first; to -= BATCH) {
    const from = Math.max(first, to - BATCH)
    const values = await at.getValueHistory(feedId, { from, to })
    const offset = values.findLastIndex(
      (value) => value.source_hash === root && value.amount === BigInt(size),
    )
    const found = values[offset]
    if (found === undefined) continue
    const index = from + offset
    const { timestamp, attester } = found
    return {
      ...none,
      index,
      newer: count - 1 - index,
      attested_at: timestamp,
      attester,
      searched: count - index,
    }
  }
  return { ...none, searched: count - first }
}

function recipeIn(description: string): string | null {
  const recipe = parseDatasetRecipe(description)
  return recipe === null ? null : formatDatasetRecipe(recipe)
}
