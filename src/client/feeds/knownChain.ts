import { type FeedList, type FeedListSource, lookUpAgain } from './feedList.ts'

export interface KnownChainOptions extends FeedListSource {
  onAdvance: (list: FeedList) => void
}

/** Number of reads in a row that must contradict the cache before the chain counts as replaced. */
const MIN_CONTRADICTIONS = 5

/** Creates the cached state of a chain: its newest feeds and log lengths, until the chain is replaced. */
export function createKnownChain(options: KnownChainOptions) {
  let identity = {}
  let newest: FeedList | null = null
  let lengths: Pick<FeedList, 'lengths' | 'sequence'> | null = null
  let contradiction = { found: '', times: 0 }

  /** Counts a read that contradicts the cache. A single one proves nothing, because a node may be wrong. */
  function isConfirmed(found: string): boolean {
    const times = contradiction.found === found ? contradiction.times + 1 : 1
    contradiction = { found, times: times % MIN_CONTRADICTIONS }
    return times >= MIN_CONTRADICTIONS
  }

  function show(list: FeedList): void {
    newest = list
    options.onAdvance(list)
  }

  return {
    /** Returns the identity of the chain: another object after the chain was replaced. */
    identity: () => identity,
    newest: () => newest,
    /** Returns the newest log lengths; null if none were read. */
    lengths: () => lengths,
    /** Stores log lengths that were read without the feeds. */
    setLengths(found: NonNullable<typeof lengths>): void {
      lengths = found
    },
    isConfirmed,
    show,
    /** Adds a list. It becomes the newest unless a later state root was read in the meantime. */
    add(list: FeedList): void {
      contradiction = { found: '', times: 0 }
      if (lengths === null || lengths.sequence < list.sequence) lengths = list
      if (newest === null || newest.sequence < list.sequence) show(list)
    },
    /** Drops the cache, unless a list newer than the contradicted one was read in the meantime. */
    replace(list: FeedList): void {
      lookUpAgain(options)
      if (newest !== null && newest.sequence > list.sequence) return
      newest = null
      lengths = null
      identity = {}
    },
  }
}

export type KnownChain = ReturnType<typeof createKnownChain>
