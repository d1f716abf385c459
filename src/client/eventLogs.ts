import type { FeedRegistered, RevenueAttested } from '../registry/events.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import type { RootReader } from '../registry/rootReader.ts'
import type { Entry, FeedList } from './feedList.ts'
import { type LogEvent, readLogEvent } from './registryLog.ts'

/** The event logs of both registries at one state root, for `wattfeed/live`. */
export interface EventLogs {
  /** 64 hex digits each. */
  readonly packageHashes: Readonly<Record<RegistryName, string>>
  /** How many events each log has; 0 if the registry keeps none. */
  readonly lengths: Readonly<Record<RegistryName, number>>
  /** Every registered feed, by its id, in registry order. */
  readonly entries: ReadonlyMap<string, Pick<Entry, 'feed' | 'reading'>>
  /** The same object for every state root of one chain: another one if the chain was replaced. */
  readonly chain: object
  /**
   * Returns an event: without a call if it is one of the newest, which the client read to follow the feeds, else by one.
   *
   * @param expected - its known digest: another one counts only if every read gives it
   */
  readEvent(log: RegistryName, index: number, expected?: string): Promise<LoggedEvent>
}

/** An event of a registry's log. */
export interface LoggedEvent {
  /** First 8 hex digits of the SHA-256 of its bytes. */
  readonly digest: string
  /** Null for events of other kinds, and for those that do not decode. */
  readonly event: FeedRegistered | RevenueAttested | null
}

export interface EventLogsOptions {
  feedRegistry: RegistryContract
  attestationRegistry: RegistryContract
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/** How many of the newest events are remembered. */
const MAX_RECENT = 1_000

/** For so long every read of an event must give the same bytes before it counts as not decodable. */
const MIN_DOUBT_MS = 10_000

/** Limit for the events in doubt: a node may invent any number of them. */
const MAX_DOUBTS = 1_000

/** Creates what reads the events of both logs, and remembers the newest ones. */
export function createEventLogs({ feedRegistry, attestationRegistry, now }: EventLogsOptions) {
  let recent = { chain: {}, events: new Map<string, LogEvent>() }
  /** Since when events do not decode, by log, index and digest: a node may send events of any size. */
  const doubts = new Map<string, number>()

  function remember({ chain, lastEvent }: FeedList, events: readonly LogEvent[]): void {
    if (recent.chain !== chain) recent = { chain, events: new Map() }
    if (lastEvent?.read) recent.events.set(placeOf(lastEvent), lastEvent.read)
    for (const event of events) recent.events.set(placeOf(event), event)
    for (const place of recent.events.keys()) {
      if (recent.events.size <= MAX_RECENT) return
      recent.events.delete(place)
    }
  }

  /**
   * Reads an event. One that does not decode fails until every read has given the same for a while: it is shown to nobody
   * for good then, and a node may have garbled it.
   */
  async function read(
    reader: RootReader,
    registry: RegistryContract,
    index: number,
    expected?: string,
  ): Promise<LoggedEvent> {
    const found = await readLogEvent(reader, registry, index, expected)
    if (found.fault !== null) assertLasting(`${placeOf(found)} ${found.digest}`, found.fault)
    return found
  }

  function assertLasting(doubt: string, fault: Error): void {
    const since = doubts.get(doubt) ?? now()
    if (doubts.size >= MAX_DOUBTS) doubts.clear()
    doubts.set(doubt, since)
    if (now() - since < MIN_DOUBT_MS) throw fault
  }

  return {
    /** Remembers the events that led to a list. */
    remember,
    /** Returns the event logs at the root of both. */
    at(reader: RootReader, { chain, lengths, entries }: FeedList): EventLogs {
      const { packageHash: FeedRegistry } = feedRegistry
      const { packageHash: AttestationRegistry } = attestationRegistry
      return {
        chain,
        packageHashes: { FeedRegistry, AttestationRegistry },
        lengths: { FeedRegistry: lengths.feed ?? 0, AttestationRegistry: lengths.attestation ?? 0 },
        entries,
        async readEvent(log, index, expected) {
          const known =
            recent.chain === chain ? recent.events.get(placeOf({ registry: log, index })) : undefined
          if (known !== undefined && (expected ?? known.digest) === known.digest) return known
          return read(reader, log === 'FeedRegistry' ? feedRegistry : attestationRegistry, index, expected)
        },
      }
    },
  }
}

const placeOf = ({ registry, index }: Pick<LogEvent, 'registry' | 'index'>): string => `${registry} ${index}`
