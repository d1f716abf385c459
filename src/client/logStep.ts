import { readSequence } from '../async/readSequence.ts'
import { eventNotThere } from '../odra/eventLog.ts'
import type { FeedRegistered, RevenueAttested } from '../registry/events.ts'
import type { AttestedValue } from '../registry/reading.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import type { RootReader } from '../registry/rootReader.ts'
import {
  advanceFeedList,
  assertGrown,
  type FeedList,
  type FeedListSource,
  type LogLengths,
  newestEvent,
  readLengths,
  readStateUrefs,
} from './feedList.ts'
import { type KnownEvent, type LogEvent, readLogEvent, readLogEventAgain } from './registryLog.ts'

/** What another state root means for the known feeds. */
export type LogStep =
  /** The feeds there, and the events that led to them. */
  | { readonly kind: 'advanced'; readonly list: FeedList; readonly events: readonly LogEvent[] }
  /** The root contradicts what is known of the chain. */
  | {
      readonly kind: 'reset'
      /** Names what differs in errors: `FeedRegistry.__events[3]`. */
      readonly what: string
      /** What is there instead: the same as long as every read gives the same. */
      readonly found: string
    }
  /** It has so many new events that reading every feed again is quicker. */
  | { readonly kind: 'too far' }

/** Following more new events than this could outlast a read's deadline. */
const MAX_NEW_EVENTS = 1_000

/**
 * Carries the known feeds to another state root: reads both log lengths, the newest known event again, the new events, and
 * then only what these leave open. Reads a registry without a log again as a whole.
 *
 * @throws {LaggingNodeError} when a log is shorter than before.
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
  const [registered, attested] = await Promise.all([
    readNewEvents(source, reader, feedRegistry, known.lengths.feed, lengths.feed),
    readNewEvents(source, reader, attestationRegistry, known.lengths.attestation, lengths.attestation),
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

/** Whether reading every feed again, three calls each, is cheaper than the new events, one call each. */
function isTooFar({ lengths: before, entries }: FeedList, lengths: LogLengths): boolean {
  const newIn = (log: keyof LogLengths): number => (lengths[log] ?? 0) - (before[log] ?? 0)
  const limit = Math.min(MAX_NEW_EVENTS, Math.max(100, 3 * entries.size))
  return newIn('feed') + newIn('attestation') > limit
}

/** Reads the new events of a log; null if there is no log. @throws what an event that does not decode failed with. */
async function readNewEvents(
  { concurrency }: FeedListSource,
  reader: RootReader,
  registry: RegistryContract,
  from: number | null,
  to: number | null,
): Promise<LogEvent[] | null> {
  if (from === null || to === null) return null
  const events = await readSequence({ from, to, concurrency }, (index) =>
    readLogEvent(reader, registry, index),
  )
  for (const { fault } of events) if (fault !== null) throw fault
  return events
}

/** Reads the event at the place of a known one; null if there is none. */
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
 * Returns the event that stands where another one is known, so that the root may be of another chain; null if there is
 * none.
 *
 * @throws {DecodeError} when the log counts the known event but does not hold it.
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
  // One that does not decode shows no other chain: a node may have garbled it.
  return event === null || isKnownBy(entries, event)
}

/** Whether an event may have led to the known feeds: the newest attestation of all is also the newest of its feed. */
function isKnownBy(entries: FeedList['entries'], event: FeedRegistered | RevenueAttested): boolean {
  const entry = entries.get(event.feedId)
  if (entry === undefined) return false
  if (!('value' in event)) return true
  // A value that is missing was hidden by a node, or does not decode: it shows no other chain.
  return entry.fault !== null || entry.value === null || isSameValue(entry.value, event.value)
}

const isSameValue = (known: AttestedValue, value: AttestedValue): boolean =>
  known.period === value.period &&
  known.amount === value.amount &&
  known.source_hash === value.source_hash &&
  known.timestamp === value.timestamp
