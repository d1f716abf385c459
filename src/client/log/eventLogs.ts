import type { FeedRegistered, RevenueAttested } from '../../registry/events.ts'
import type { Feed } from '../../registry/feed.ts'
import type { RegistryName } from '../../registry/layout.ts'
import type { Reading } from '../../registry/reading.ts'
import type { Registries, RegistryContract } from '../../registry/registryContract.ts'
import type { RootReader } from '../../registry/rootReader.ts'
import { type KnownEvent, type LogEvent, type LogLengths, readLogEvent } from './registryLog.ts'

/** The event logs of both registries at one state root, for `wattfeed/live`. */
export interface EventLogs {
  /** Package hash of each registry: 64 hex digits. */
  readonly packageHashes: Readonly<Record<RegistryName, string>>
  /** Number of events in each log; 0 if the registry has no log. */
  readonly lengths: Readonly<Record<RegistryName, number>>
  /** All registered feeds by id, in order of registration. */
  readonly entries: ReadonlyMap<string, LoggedFeed>
  /** The same object for every state root of a chain; another one after the chain was replaced. */
  readonly chain: object
  /**
   * Returns an event. The newest events are cached; others take one call.
   *
   * @param expected - digest that the event should have; another digest is accepted only if two reads agree on it
   * @rpc state_get_dictionary_item
   */
  readEvent(log: RegistryName, index: number, expected?: string): Promise<LoggedEvent>
}

/** A registered feed. */
export interface LoggedFeed {
  /** Null if it was not read, because the feed has no value yet. */
  readonly feed: Feed | null
  /** Null if the feed has no value, or does not decode. */
  readonly reading: Reading | null
}

/** An event of a registry's log. */
export interface LoggedEvent {
  /** First 8 hex digits of the SHA-256 of its bytes. */
  readonly digest: string
  /** Null if the event is of another kind, or does not decode. */
  readonly event: FeedRegistered | RevenueAttested | null
}

const MAX_RECENT = 1_000

/** An event that does not decode is accepted as such when reads agree on its bytes for this time. */
const MIN_DOUBT_MS = 10_000

/** Limit for the events in doubt, because a node may invent any number of them. */
const MAX_DOUBTS = 1_000

/** @param now - milliseconds of a monotonic clock */
export function createEventLogs({ feedRegistry, attestationRegistry }: Registries, now: () => number) {
  let recent = { chain: {}, events: new Map<string, LogEvent>() }
  /** When an event first failed to decode, by log, index and digest (nodes may send events of any size). */
  const doubts = new Map<string, number>()

  /** Caches the events that led to a list. */
  function remember(
    { chain, lastEvent }: { chain: object; lastEvent: KnownEvent | null },
    events: readonly LogEvent[],
  ): void {
    if (recent.chain !== chain) recent = { chain, events: new Map() }
    if (lastEvent?.read) recent.events.set(placeOf(lastEvent), lastEvent.read)
    for (const event of events) recent.events.set(placeOf(event), event)
    for (const place of recent.events.keys()) {
      if (recent.events.size <= MAX_RECENT) return
      recent.events.delete(place)
    }
  }

  /**
   * Reads an event. An event that does not decode throws until reads have agreed on its bytes for a while, because the
   * node may have garbled it. After that it is skipped permanently.
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
    remember,
    at(
      reader: RootReader,
      { chain, lengths, entries }: Pick<EventLogs, 'chain' | 'entries'> & { lengths: LogLengths },
    ): EventLogs {
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
