import type { Rpc } from '../casper/rpc/rpc.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import { createAgreeingRpc } from '../casper/state/agreedAbsence.ts'
import { LaggingNodeError } from './laggingNode.ts'
import {
  advanceLive,
  completeLive,
  isSameRegistries,
  type Live,
  type LiveSource,
  loadLive,
  openFeeds,
  readFeedCount,
} from './live.ts'
import { createRootReader, type RootReader } from './rootReader.ts'

/** Keeps what is known of every feed, and carries it to newer state roots. */
export interface LiveKeeper {
  /** The newest that is known, or null before it was first asked for. */
  newest(): Live | null
  /** Every feed at the reader's state root. */
  at(reader: RootReader): Promise<Live>
  /** What is known, at the reader's state root; null where nothing is, or it is of another chain. */
  carry(reader: RootReader): Promise<Live | null>
  /** Drops all that is known. */
  forget(): void
  /**
   * Asks again for some of what was not there, or did not decode, when the newest was read, so that a false answer does not
   * stay until the feed's next attestation. Does nothing where the newest is of another root.
   */
  askAgain(stateRootHash: string, sequence: number): Promise<void>
}

export interface LiveKeeperOptions extends LiveSource {
  rpc: Rpc
  /** Whether `rpc` has two nodes agree that something is not there. */
  agreesOnAbsence: boolean
  onAdvance: (live: Live) => void
}

/** How many feeds are asked for again at once: they are taken in turn. */
const MOST_ASKED_AGAIN = 8

/** Reads every feed when first asked; from then on the event logs tell what changed. */
export function createLiveKeeper(options: LiveKeeperOptions): LiveKeeper {
  const { rpc, feedRegistry, attestationRegistry, onAdvance } = options
  const agreeingRpc = options.agreesOnAbsence ? rpc : createAgreeingRpc(rpc)
  let newest: Live | null = null
  let loading: Promise<Live> | null = null
  let askedAgain = 0

  /** The registries may have moved: look them up again before the next try. */
  function lookUpAgain(): void {
    feedRegistry.forget()
    attestationRegistry.forget()
  }

  /** Another chain has another past: nothing that is known holds there. */
  function drop(live: Live): void {
    if (newest !== null && newest.sequence <= live.sequence) newest = null
    lookUpAgain()
  }

  function keep(live: Live): Live {
    if (newest === null || newest.sequence < live.sequence) {
      newest = live
      onAdvance(live)
    }
    return live
  }

  /** Goes on in the background when nobody waits any longer: a large registry takes its time. */
  function load(reader: RootReader): Promise<Live> {
    loading ??= loadLive(options, reader)
      .then(keep)
      .finally(() => {
        loading = null
      })
    return loading
  }

  /** What others are loading serves as well, unless it fails: the node may have forgotten their root. */
  async function findBase(reader: RootReader): Promise<Live> {
    if (newest) return newest
    return loading ? loading.catch(() => load(reader)) : load(reader)
  }

  async function find(reader: RootReader): Promise<Live> {
    const base = await findBase(reader)
    return (await advance(base, reader)) ?? find(reader)
  }

  /** Null where the reader's root is of another chain: then what was known is dropped. */
  async function advance(base: Live, reader: RootReader): Promise<Live | null> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // A snapshot from before the newest one: the event log cannot be walked back.
    if (base.sequence > reader.sequence) return loadLive(options, reader)
    const isSame = await isSameRegistries(options, base, reader)
    const advanced = isSame ? await follow(base, reader) : null
    if (advanced === null) drop(base)
    return advanced && keep(advanced)
  }

  /** An event that no node can make readable must not stop the list for good: then everything is read. */
  function follow(base: Live, reader: RootReader): Promise<Live | null> {
    return advanceLive(options, base, reader).catch(async (error) => {
      if (!isUndecodable(error)) throw error
      const loaded = await loadLive(options, reader)
      assertNotShrunk(base, loaded)
      return loaded
    })
  }

  async function guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof LaggingNodeError)) lookUpAgain()
      throw error
    }
  }

  return {
    newest: () => newest,
    at: (reader) => guarded(find(reader)),
    carry: async (reader) => newest && guarded(advance(newest, reader)),
    forget() {
      if (newest) drop(newest)
    },
    async askAgain(stateRootHash, sequence) {
      const base = newest
      if (base?.stateRootHash !== stateRootHash) return
      const reader = createRootReader(agreeingRpc, stateRootHash, sequence)
      const found = await complete(base, reader)
      if (found === base || newest !== base) return
      newest = found
      onAdvance(found)
    },
  }

  /** A node that counted too few feeds has hidden the others. */
  async function complete(base: Live, reader: RootReader): Promise<Live> {
    if (base.entries.size === 0) lookUpAgain()
    if ((await readFeedCount(options, reader)) > base.entries.size) return loadLive(options, reader)
    const open = openFeeds(base)
    const from = askedAgain % Math.max(1, open.length)
    askedAgain = from + MOST_ASKED_AGAIN
    return completeLive(options, base, reader, open.slice(from, from + MOST_ASKED_AGAIN))
  }
}

/** Ids are only ever appended: a node that counts fewer on the same chain hides some. */
function assertNotShrunk(base: Live, loaded: Live): void {
  if (loaded.entries.size < base.entries.size)
    throw new LaggingNodeError('FeedRegistry', loaded.entries.size, base.entries.size)
}
