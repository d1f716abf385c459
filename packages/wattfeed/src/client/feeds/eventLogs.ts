import { readSequence } from '@wattfeed/base'
import { eventNotThere, type GlobalState } from '@wattfeed/casper'
import {
  type FeedRegistered,
  type KnownEvent,
  type LogEvent,
  type RevenueAttested,
  readLogEvent,
  readLogEventAgain,
  readLogLength,
  readNewLogEvent,
} from '../../registry/events.ts'
import type { Feed } from '../../registry/feed.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { type AttestedValue, isSameAttestedValue, type Reading } from '../../registry/reading.ts'
import { readCountedItems } from '../../registry/recount.ts'
import type { Registries, RegistryContract } from '../../registry/registryContract.ts'
import { type RootReader, readerOf } from '../../registry/rootReader.ts'
import { LaggingNodeError } from '../errors.ts'

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

/** An event that does not decode is accepted as such when reads agree on its bytes for this time. */
const MIN_DOUBT_MS = 10_000

/** Limit for the events in doubt, because a node may invent any number of them. */
const MAX_DOUBTS = 1_000

interface LogSource extends Registries {
  /** When an event first failed to decode, by log, index and digest. */
  readonly doubts: Map<string, number>
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/** Returns the event logs at the reader's state root, whose feeds a list has. */
export function eventLogsAt(
  source: LogSource,
  reader: RootReader,
  {
    chain,
    lengths,
    entries,
    recent,
  }: Pick<EventLogs, 'chain' | 'entries'> & { lengths: LogLengths; recent: RecentEvents },
): EventLogs {
  const { feedRegistry, attestationRegistry } = source
  return {
    chain,
    packageHashes: {
      FeedRegistry: feedRegistry.packageHash,
      AttestationRegistry: attestationRegistry.packageHash,
    },
    lengths: { FeedRegistry: lengths.feed ?? 0, AttestationRegistry: lengths.attestation ?? 0 },
    entries,
    async readEvent(log, index, expected) {
      const known = recent.get(placeOf({ registry: log, index }))
      if (known !== undefined && (expected ?? known.digest) === known.digest) return known
      const registry = log === 'FeedRegistry' ? feedRegistry : attestationRegistry
      const found = await readLogEvent(reader, registry, index, expected)
      if (found.fault !== null) assertLasting(source, `${placeOf(found)} ${found.digest}`, found.fault)
      return found
    },
  }
}

/**
 * Throws the fault of an event that does not decode until reads have agreed on its bytes for a while, because the node may have garbled
 * it. After that it is skipped permanently.
 */
function assertLasting({ doubts, now }: LogSource, doubt: string, fault: Error): void {
  const since = doubts.get(doubt) ?? now()
  if (doubts.size >= MAX_DOUBTS) doubts.clear()
  doubts.set(doubt, since)
  if (now() - since < MIN_DOUBT_MS) throw fault
}

/** The newest events of a chain, by log and index, so that streams need not read them again. */
export type RecentEvents = ReadonlyMap<string, LogEvent>

const MAX_RECENT = 1_000

/** Adds events, and drops the oldest above the limit. */
export function addRecent(recent: RecentEvents, events: readonly LogEvent[]): RecentEvents {
  if (events.every((event) => recent.has(placeOf(event)))) return recent
  const all = [...recent, ...events.map((event): [string, LogEvent] => [placeOf(event), event])]
  return new Map(all.slice(-MAX_RECENT))
}

const placeOf = ({ registry, index }: Pick<LogEvent, 'registry' | 'index'>): string => `${registry} ${index}`

/** Number of events of each registry; null if it has no log. */
export interface LogLengths {
  readonly feed: number | null
  readonly attestation: number | null
}

export async function readLengths(
  { feedRegistry, attestationRegistry }: Registries,
  reader: RootReader,
): Promise<LogLengths> {
  const [feed, attestation] = await Promise.all([
    readLogLength(reader, feedRegistry),
    readLogLength(reader, attestationRegistry),
  ])
  return { feed, attestation }
}

/** Formats log lengths: `f36.a1204`; null if there are no logs. */
export function formatLengths({ feed, attestation }: LogLengths): string | null {
  const parts = [feed === null ? [] : `f${feed}`, attestation === null ? [] : `a${attestation}`]
  return parts.flat().join('.') || null
}

/** @throws {@link LaggingNodeError} when a log is shorter than before. */
export function assertGrown(seen: LogLengths, lengths: LogLengths): void {
  assertLogGrown('FeedRegistry', seen.feed, lengths.feed)
  assertLogGrown('AttestationRegistry', seen.attestation, lengths.attestation)
}

/** Returns whether a log is shorter than before, or is gone. */
export const isShorter = (seen: LogLengths, lengths: LogLengths): boolean =>
  (lengths.feed ?? 0) < (seen.feed ?? 0) || (lengths.attestation ?? 0) < (seen.attestation ?? 0)

function assertLogGrown(registry: RegistryName, seen: number | null, length: number | null): void {
  if (seen !== null && length !== null && length < seen) throw new LaggingNodeError(registry, length, seen)
}

/** What is known of the logs: their content up to an earlier state root. */
export interface KnownLogs {
  readonly lengths: LogLengths
  /** The newest event, which distinguishes this chain from others; null if there is none. */
  readonly lastEvent: KnownEvent | null
  /** The newest value of each feed by feed id, and why it does not decode. */
  readonly entries: ReadonlyMap<string, { value: AttestedValue | null; fault: Error | null }>
}

/** Returns the newest event of the AttestationRegistry (which has a block time), or of the FeedRegistry; null if none. */
export function newestEvent(lengths: LogLengths, read: readonly LogEvent[]): KnownEvent | null {
  const registry = lengths.attestation ? 'AttestationRegistry' : 'FeedRegistry'
  const index = ((lengths.attestation || lengths.feed) ?? 0) - 1
  if (index < 0) return null
  const found = read.find((event) => event.registry === registry && event.index === index)
  return { registry, index, read: found?.event ? found : null }
}

/** Reads the event at the index of a known one; null if there is none. */
export async function readKnownEvent(
  { feedRegistry, attestationRegistry }: Registries,
  known: KnownEvent | null,
  reader: RootReader,
): Promise<LogEvent | null> {
  if (known === null) return null
  const registry = known.registry === 'FeedRegistry' ? feedRegistry : attestationRegistry
  return readLogEventAgain(reader, registry, known)
}

/**
 * Returns the event found in place of a known one, which indicates another chain; null if the known event was found.
 *
 * @throws {@link DecodeError} when the log's length includes the known event, but the event is absent.
 */
export function otherEvent(known: KnownLogs, lengths: LogLengths, found: LogEvent | null): LogEvent | null {
  const { lastEvent } = known
  if (lastEvent === null) return null
  if (found !== null) return isSameEvent(known, lastEvent, found) ? null : found
  const length = lastEvent.registry === 'FeedRegistry' ? lengths.feed : lengths.attestation
  if (length !== null && length > lastEvent.index) throw eventNotThere(lastEvent.index)
  return null
}

function isSameEvent({ entries }: KnownLogs, { read }: KnownEvent, { bytes, event }: LogEvent): boolean {
  if (read !== null) return read.bytes === bytes
  // An event that does not decode does not indicate another chain, because the node may have garbled it.
  return event === null || isKnownBy(entries, event)
}

/** Returns whether an event agrees with the cached feeds. The newest attestation of all is also the newest of its feed. */
function isKnownBy(entries: KnownLogs['entries'], event: FeedRegistered | RevenueAttested): boolean {
  const entry = entries.get(event.feedId)
  if (entry === undefined) return false
  if (!('value' in event)) return true
  // A missing value does not indicate another chain: a node hid it, or it does not decode.
  return entry.fault !== null || entry.value === null || isSameAttestedValue(entry.value, event.value)
}

/** Reads the events of both logs since a known state root; null for a registry without a log. */
export async function readNewEvents(
  { feedRegistry, attestationRegistry, concurrency }: Registries & { concurrency: number },
  reader: RootReader,
  { from, to }: { from: LogLengths; to: LogLengths },
): Promise<{ registered: LogEvent[] | null; attested: LogEvent[] | null }> {
  // Of a registration only the id counts, unless it is the newest event of all, which identifies the chain.
  const readRegistration = to.attestation ? readLogEvent : readNewLogEvent
  const [registered, attested] = await Promise.all([
    readRange({ from: from.feed, to: to.feed, concurrency }, reader, feedRegistry, readRegistration),
    readRange(
      { from: from.attestation, to: to.attestation, concurrency },
      reader,
      attestationRegistry,
      readNewLogEvent,
    ),
  ])
  return { registered, attested }
}

/** @throws The fault of an event that does not decode. */
async function readRange(
  { from, to, concurrency }: { from: number | null; to: number | null; concurrency: number },
  reader: RootReader,
  registry: RegistryContract,
  read: typeof readLogEvent,
): Promise<LogEvent[] | null> {
  if (from === null || to === null) return null
  const readCount = (node: GlobalState) => readLogLength(readerOf(node, reader), registry)
  const events = await readCountedItems(reader.state, { count: to, readCount }, (end) =>
    readSequence({ from, to: end, concurrency }, (index) => read(reader, registry, index)),
  )
  for (const { fault } of events) if (fault !== null) throw fault
  return events
}
