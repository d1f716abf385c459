import { type FeedList, type FeedListSource, lookUpAgain } from './feedList.ts'

export interface KnownChainOptions extends FeedListSource {
  onAdvance: (list: FeedList) => void
}

/** So many reads in a row must contradict what is known of a chain before it counts as replaced. */
const MIN_CONTRADICTIONS = 5

/** What is known of a chain until it turns out to be replaced: the newest feeds, and how long its logs were. */
export function createKnownChain(options: KnownChainOptions) {
  let identity = {}
  let newest: FeedList | null = null
  let lengths: Pick<FeedList, 'lengths' | 'sequence'> | null = null
  let contradiction = { found: '', times: 0 }

  /** Counts a read that found something else than what is known. One proves nothing, as a node may err. */
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
    /** Another object once the chain was replaced. */
    identity: () => identity,
    newest: () => newest,
    /** The newest lengths of the logs; null if none were read. */
    lengths: () => lengths,
    /** Records lengths that were read without the feeds. */
    setLengths(found: NonNullable<typeof lengths>): void {
      lengths = found
    },
    isConfirmed,
    /** Shows a list in place of the newest one. */
    show,
    /** Records a list, which is the newest one unless a later root was read meanwhile. */
    add(list: FeedList): void {
      contradiction = { found: '', times: 0 }
      if (lengths === null || lengths.sequence < list.sequence) lengths = list
      if (newest === null || newest.sequence < list.sequence) show(list)
    },
    /** Forgets everything if enough reads in a row found the same instead of what is known. */
    isReplaced(list: FeedList, found: string): boolean {
      if (!isConfirmed(found)) return false
      lookUpAgain(options)
      if (newest !== null && newest.sequence > list.sequence) return true
      newest = null
      lengths = null
      identity = {}
      return true
    },
  }
}

export type KnownChain = ReturnType<typeof createKnownChain>
