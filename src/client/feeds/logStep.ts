import { readSequence } from '../../async/readSequence.ts'
import { eventNotThere } from '../../odra/eventLog.ts'
import type { FeedRegistered, RevenueAttested } from '../../registry/events.ts'
import type { AttestedValue } from '../../registry/reading.ts'
import type { RootReader } from '../../registry/rootReader.ts'
import {
  assertGrown,
  type KnownEvent,
  type LogEvent,
  type LogLengths,
  newestEvent,
  readLengths,
  readLogEvent,
  readLogEventAgain,
  readNewLogEvent,
} from '../log/registryLog.ts'
import { advanceFeedList, type FeedList, type FeedListSource, readStateUrefs } from './feedList.ts'

/** Result of updating the cached feeds to another state root. */
export type LogStep =
  /** The feeds at the state root, and the events since. */
  | { readonly kind: 'advanced'; readonly list: FeedList; readonly events: readonly LogEvent[] }
  /** The state root contradicts the cache. */
  | {
      readonly kind: 'reset'
      /** Name of the item that differs, for errors: `FeedRegistry.__events[3]`. */
      readonly what: string
      /** The value found instead, to compare with other reads. */
      readonly found: string
    }
  /** There are so many new events that reading every feed again is faster. */
  | { readonly kind: 'too far' }

/** Limit for new events, because following more could outlast a read's deadline. */
const MAX_NEW_EVENTS = 1_000

/**
 * Updates the cached feeds to another state root. Reads both log lengths, the newest known event again, the new events,
 * and the data that these do not contain. A registry without a log is read completely.
 *
 * @throws {@link LaggingNodeError} when a log is shorter than before.
 */
export async function logStep(source: FeedListSource, known: FeedList, reader: RootReader): Promise<LogStep> {
  const found = await readStateUrefs(source, reader)
  if (found !== known.stateUrefs) return { kind: 'reset', what: 'the state URefs of the registries', found }
  const [lengths, last] = await Promise.all([
    readLengths(source, reader),
    readKnownEvent(source, known.lastEvent, reader),
  ])
  const other = otherEvent(known, lengths, last)
  if (other !== null)
    return { kind: 'reset', what: `${other.registry}.__events[${other.index}]`, found: other.bytes }
  assertGrown(known.lengths, lengths)
  if (isTooFar(known, lengths)) return { kind: 'too far' }
  const { feedRegistry, attestationRegistry } = source
  const { feed, attestation } = known.lengths
  // Of a registration only the id counts, unless it is the newest event of all, which identifies the chain.
  const readRegistration = lengths.attestation ? readLogEvent : readNewLogEvent
  const [registered, attested] = await Promise.all([
    readNewEvents(source, { from: feed, to: lengths.feed }, (index) =>
      readRegistration(reader, feedRegistry, index),
    ),
    readNewEvents(source, { from: attestation, to: lengths.attestation }, (index) =>
      readNewLogEvent(reader, attestationRegistry, index),
    ),
  ])
  const events = [...(registered ?? []), ...(attested ?? [])]
  const list = await advanceFeedList(source, known, reader, {
    lengths,
    lastEvent: newestEvent(lengths, last === null ? events : [last, ...events]),
    registered: registered?.map(({ event }) => event).filter((event) => event !== null) ?? null,
    attested: attested?.map(({ event }) => event).filter(isAttested) ?? null,
  })
  return { kind: 'advanced', list, events }
}

const isAttested = (event: LogEvent['event']): event is RevenueAttested => event !== null && 'value' in event

/** Whether reading every feed again (three calls each) is cheaper than reading the new events (one call each). */
function isTooFar({ lengths: before, entries }: FeedList, lengths: LogLengths): boolean {
  const newIn = (log: keyof LogLengths): number => (lengths[log] ?? 0) - (before[log] ?? 0)
  const limit = Math.min(MAX_NEW_EVENTS, Math.max(100, 3 * entries.size))
  return newIn('feed') + newIn('attestation') > limit
}

/**
 * Reads the new events of a log; null if there is no log.
 *
 * @throws The fault of an event that does not decode.
 */
async function readNewEvents(
  { concurrency }: FeedListSource,
  { from, to }: { from: number | null; to: number | null },
  read: (index: number) => Promise<LogEvent>,
): Promise<LogEvent[] | null> {
  if (from === null || to === null) return null
  const events = await readSequence({ from, to, concurrency }, read)
  for (const { fault } of events) if (fault !== null) throw fault
  return events
}

/** Reads the event at the index of a known one; null if there is none. */
async function readKnownEvent(
  source: FeedListSource,
  known: KnownEvent | null,
  reader: RootReader,
): Promise<LogEvent | null> {
  if (known === null) return null
  const registry = known.registry === 'FeedRegistry' ? source.feedRegistry : source.attestationRegistry
  return readLogEventAgain(reader, registry, known)
}

/**
 * Returns the event found in place of a known one, which indicates another chain; null if the known event was found.
 *
 * @throws {@link DecodeError} when the log's length includes the known event, but the event is absent.
 */
function otherEvent(known: FeedList, lengths: LogLengths, found: LogEvent | null): LogEvent | null {
  const { lastEvent } = known
  if (lastEvent === null) return null
  if (found !== null) return isSameEvent(known, lastEvent, found) ? null : found
  const length = lastEvent.registry === 'FeedRegistry' ? lengths.feed : lengths.attestation
  if (length !== null && length > lastEvent.index) throw eventNotThere(lastEvent.index)
  return null
}

function isSameEvent({ entries }: FeedList, { read }: KnownEvent, { bytes, event }: LogEvent): boolean {
  if (read !== null) return read.bytes === bytes
  // An event that does not decode does not indicate another chain, because the node may have garbled it.
  return event === null || isKnownBy(entries, event)
}

/** Whether an event agrees with the cached feeds. The newest attestation of all is also the newest of its feed. */
function isKnownBy(entries: FeedList['entries'], event: FeedRegistered | RevenueAttested): boolean {
  const entry = entries.get(event.feedId)
  if (entry === undefined) return false
  if (!('value' in event)) return true
  // A missing value does not indicate another chain: a node hid it, or it does not decode.
  return entry.fault !== null || entry.value === null || isSameValue(entry.value, event.value)
}

const isSameValue = (known: AttestedValue, value: AttestedValue): boolean =>
  known.period === value.period &&
  known.amount === value.amount &&
  known.source_hash === value.source_hash &&
  known.timestamp === value.timestamp
