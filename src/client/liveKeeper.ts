import { isUndecodable } from '../casper/rpcErrors.ts'
import {
  advanceLive,
  isSameRegistries,
  LaggingNodeError,
  type Live,
  type LiveSource,
  loadLive,
} from './live.ts'
import type { RootReader } from './rootReader.ts'

/** Keeps what is known of every feed, and carries it to newer state roots. */
export interface LiveKeeper {
  /** The newest that is known, or null before it was first asked for. */
  newest(): Live | null
  /** Every feed at the reader's state root. */
  at(reader: RootReader): Promise<Live>
}

export interface LiveKeeperOptions extends LiveSource {
  onAdvance: (live: Live) => void
}

/** Reads every feed when first asked; from then on the event logs tell what changed. */
export function createLiveKeeper(options: LiveKeeperOptions): LiveKeeper {
  const { feedRegistry, attestationRegistry, onAdvance } = options
  let newest: Live | null = null
  let loading: Promise<Live> | null = null

  /** The registries may have moved: look them up again before the next try. */
  function forget(): void {
    feedRegistry.forget()
    attestationRegistry.forget()
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
    if (base.stateRootHash === reader.stateRootHash) return base
    // A snapshot from before the newest one: the event log cannot be walked back.
    if (base.sequence > reader.sequence) return loadLive(options, reader)
    if (!(await isSameRegistries(options, base, reader))) return keep(await loadLive(options, reader))
    return keep(await advance(base, reader))
  }

  /** An event that no node can make readable must not stop the list for good: then everything is read. */
  function advance(base: Live, reader: RootReader): Promise<Live> {
    return advanceLive(options, base, reader).catch((error) => {
      if (isUndecodable(error)) return loadLive(options, reader)
      throw error
    })
  }

  return {
    newest: () => newest,
    async at(reader) {
      try {
        return await find(reader)
      } catch (error) {
        if (!(error instanceof LaggingNodeError)) forget()
        throw error
      }
    },
  }
}
