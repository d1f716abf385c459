import { DecodeError, readSequence } from '@wattfeed/base'
import { type GlobalState, isUndecodable } from '@wattfeed/casper'
import type { FeedRegistered, LogEvent, RevenueAttested } from '../../registry/events.ts'
import type { Feed } from '../../registry/feed.ts'
import { attestationRegistryField, feedRegistryField } from '../../registry/fields.ts'
import { type AttestedValue, createReading, type Reading } from '../../registry/reading.ts'
import { readCountedItems, recount } from '../../registry/recount.ts'
import type { Registries } from '../../registry/registryContract.ts'
import { type RootReader, readerOf } from '../../registry/rootReader.ts'
import { LaggingNodeError } from '../errors.ts'
import {
  addRecent,
  assertGrown,
  type KnownLogs,
  type LoggedFeed,
  type LogLengths,
  newestEvent,
  otherEvent,
  type RecentEvents,
  readKnownEvent,
  readLengths,
  readNewEvents,
} from './eventLogs.ts'

export interface Entry extends LoggedFeed {
  readonly value: AttestedValue | null
  /** The error if the feed does not decode; otherwise null. */
  readonly fault: Error | null
}

/** All registered feeds at one state root. Immutable. */
export interface FeedList extends KnownLogs {
  readonly stateRootHash: string
  readonly sequence: number
  /** Identity of the chain: the same object for each of its state roots. */
  readonly chain: object
  /** The newest events of the chain. */
  readonly recent: RecentEvents
  /** `state` URefs of both registries. */
  readonly stateUrefs: string
  /** By feed id, in registry order. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Decodable ids, in registry order. */
  readonly feedIds: readonly string[]
  /** Feeds with a value, in registry order: the same array until a feed changes. */
  readonly readings: readonly Reading[]
  /** Number of new events that changed a feed; null if every feed was read again. */
  readonly changes: number | null
  /** Number of feeds that do not decode, which `readings` leaves out. */
  readonly undecodable: number
}

export interface FeedListSource extends Registries {
  concurrency: number
}

/** Limit for the number of feeds, because a node may invent any number to exhaust memory. */
const MAX_FEEDS = 100_000

const UNKNOWN: Entry = { feed: null, value: null, reading: null, fault: null }

/** Reads every feed at a state root of a chain, with three calls and three more for each feed. */
export async function loadFeedList(
  source: FeedListSource,
  reader: RootReader,
  { chain, recent = new Map() }: Pick<FeedList, 'chain'> & { readonly recent?: RecentEvents },
): Promise<FeedList> {
  const [found, lengths] = await Promise.all([readIds(source, reader, 0), readLengths(source, reader)])
  const ids = found.length === 0 && lengths.feed ? await readHiddenIds(source, reader) : found
  const entries = await readEntries(source, reader, new Map(ids.map((id) => [id, UNKNOWN])))
  return createFeedList(reader, entries, {
    chain,
    recent,
    stateUrefs: await readStateUrefs(source, reader),
    lengths,
    lastEvent: newestEvent(lengths, []),
    changes: null,
  })
}

/** Returns the registries' URefs, which distinguish a restarted development chain. */
async function readStateUrefs(source: FeedListSource, { stateRootHash }: RootReader): Promise<string> {
  const contracts = [source.feedRegistry.at(stateRootHash), source.attestationRegistry.at(stateRootHash)]
  return (await Promise.all(contracts)).map(({ stateUref }) => stateUref).join()
}

/** Result of updating a list to another state root. */
export type Advance =
  /** The feeds at the state root. */
  | { readonly kind: 'advanced'; readonly list: FeedList }
  /** The state root contradicts the list. */
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
 * Updates a list to another state root. Reads both log lengths, the newest known event again, the new events, and the data
 * that these do not contain. A registry without a log is read completely.
 *
 * @throws {@link LaggingNodeError} when a log is shorter than before.
 */
export async function advanceFeedList(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
): Promise<Advance> {
  const found = await readStateUrefs(source, reader)
  if (found !== list.stateUrefs) return { kind: 'reset', what: 'the state URefs of the registries', found }
  const [lengths, last] = await Promise.all([
    readLengths(source, reader),
    readKnownEvent(source, list.lastEvent, reader),
  ])
  const other = otherEvent(list, lengths, last)
  if (other !== null)
    return { kind: 'reset', what: `${other.registry}.__events[${other.index}]`, found: other.bytes }
  assertGrown(list.lengths, lengths)
  if (isTooFar(list, lengths)) return { kind: 'too far' }
  const { registered, attested } = await readNewEvents(source, reader, { from: list.lengths, to: lengths })
  const read = {
    feed: registered && (list.lengths.feed ?? 0) + registered.length,
    attestation: attested && (list.lengths.attestation ?? 0) + attested.length,
  }
  const events = [...(registered ?? []), ...(attested ?? [])]
  const lastEvent = newestEvent(read, last === null ? events : [last, ...events])
  const advanced = await applyEvents(source, list, reader, {
    lengths: read,
    lastEvent,
    recent: addRecent(list.recent, lastEvent?.read ? [lastEvent.read, ...events] : events),
    registered: registered?.map(({ event }) => event).filter((event) => event !== null) ?? null,
    attested: attested?.map(({ event }) => event).filter(isAttested) ?? null,
  })
  return { kind: 'advanced', list: advanced }
}

const isAttested = (event: LogEvent['event']): event is RevenueAttested => event !== null && 'value' in event

/** Returns whether reading every feed again (three calls each) is cheaper than reading the new events (one call each). */
function isTooFar({ lengths: before, entries }: FeedList, lengths: LogLengths): boolean {
  const newIn = (log: keyof LogLengths): number => (lengths[log] ?? 0) - (before[log] ?? 0)
  const limit = Math.min(MAX_NEW_EVENTS, Math.max(100, 3 * entries.size))
  return newIn('feed') + newIn('attestation') > limit
}

/** The new events up to another state root. */
interface NewEvents extends Pick<FeedList, 'lengths' | 'lastEvent' | 'recent'> {
  /** Null if there is no log. */
  readonly registered: readonly FeedRegistered[] | null
  /** Null if there is no log. */
  readonly attested: readonly RevenueAttested[] | null
}

/** Applies new events to a list, and reads the data that the events do not contain. */
async function applyEvents(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
  events: NewEvents,
): Promise<FeedList> {
  const { registered, attested, ...logs } = events
  const changes = registered && attested && registered.length + attested.length
  const { stateRootHash, sequence } = reader
  if (changes === 0) return { ...list, ...logs, stateRootHash, sequence, changes }
  const entries = await updateEntries(source, list, reader, events)
  return createFeedList(reader, entries, { ...list, ...logs, changes })
}

/** Returns the entries with the new values. The metadata of a feed is read again if the feed was registered again. */
async function updateEntries(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
  { registered, attested }: NewEvents,
): Promise<Map<string, Entry>> {
  const entries = new Map(list.entries)
  const named = registered
    ? registered.map(({ feedId }) => feedId)
    : [...list.entries.keys(), ...(await readIds(source, reader, list.entries.size))]
  // A registration may have changed the metadata.
  for (const id of named) entries.set(id, { ...(entries.get(id) ?? UNKNOWN), feed: null })
  // The events have every new value, except of feeds that are new here, or did not decode.
  const isWhole = (id: string): boolean => list.entries.get(id)?.fault === null
  const unread = new Set(
    (attested ? named.filter((id) => !isWhole(id)) : [...entries.keys()]).filter(isReadableId),
  )
  for (const { feedId, value } of attested ?? []) {
    const entry = entries.get(feedId)
    if (entry) entries.set(feedId, createEntry(feedId, entry.feed, value))
    unread.delete(feedId)
  }
  await replaceEach(source, entries, [...unread], async (id, { feed }) =>
    createEntry(id, feed, await readValue(source, reader, id)),
  )
  // Metadata is only needed once a feed has a value.
  const bare = [...entries].filter(([, { feed, value }]) => value !== null && feed === null)
  const bareIds = bare.map(([id]) => id)
  await replaceEach(source, entries, bareIds, async (id, { value }) =>
    createEntry(id, await readFeedById(source, reader, id), value),
  )
  return entries
}

/**
 * Updates a list to another state root by the event logs. Falls back to reading every feed, so that an undecodable event does not block
 * the list.
 *
 * @throws {@link LaggingNodeError} when the root has fewer events or feeds.
 */
export async function followFeeds(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
): Promise<Advance> {
  try {
    return await advanceFeedList(source, list, reader)
  } catch (error) {
    if (!isUndecodable(error)) throw error
    return { kind: 'advanced', list: await readAfter(source, list, reader) }
  }
}

/** Reads every feed at a state root that is later than a list of the same chain. */
export async function readAfter(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
): Promise<FeedList> {
  const read = await loadFeedList(source, reader, list)
  assertGrown(list.lengths, read.lengths)
  // Ids are only ever appended, so a node that counts fewer on the same chain lags or hides some.
  if (read.entries.size < list.entries.size)
    throw new LaggingNodeError('FeedRegistry', read.entries.size, list.entries.size)
  return read
}

/** Returns the ids of incomplete feeds: without a value, or not decodable. The node may have been wrong. */
export function incompleteIds({ entries }: FeedList): string[] {
  const isIncomplete = ([id, { value, fault }]: [string, Entry]): boolean =>
    !isReadableId(id) || value === null || fault !== null
  return [...entries].filter(isIncomplete).map(([id]) => id)
}

/** Reads some incomplete feeds again, at the same root. Returns the same object if nothing new is found. */
export async function completeFeedList(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
  ids: readonly string[],
): Promise<FeedList> {
  const named = await readUnreadIds(source, reader, ids)
  const asked = ids.map((id) => named.get(id) ?? id).filter(isReadableId)
  const read = await readEntries(
    source,
    reader,
    new Map(asked.map((id) => [id, list.entries.get(id) ?? UNKNOWN])),
  )
  // The end of a fault is news, too: a feed without a value would otherwise be an error until its next event.
  function isNews([id, { reading, fault }]: [string, Entry]): boolean {
    const known = list.entries.get(id)
    return known === undefined || reading !== null || (fault === null && known.fault !== null)
  }
  const found = new Map([...read].filter(isNews))
  if (found.size + named.size === 0) return list
  const entries = [...list.entries].map(([placeholder, entry]): [string, Entry] => {
    const id = named.get(placeholder) ?? placeholder
    return [id, found.get(id) ?? entry]
  })
  return createFeedList(reader, new Map(entries), { ...list, changes: 0 })
}

/** Reads the ids behind placeholders again; leaves out those that still cannot be read. */
async function readUnreadIds(
  source: FeedListSource,
  reader: RootReader,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const placeholders = ids.filter((id) => !isReadableId(id))
  const found = await Promise.all(
    placeholders.map((each) => readId(source, reader, indexOf(each)).catch(() => each)),
  )
  const named = placeholders.map((each, index): [string, string] => [each, found[index] ?? each])
  return new Map(named.filter(([placeholder, id]) => placeholder !== id))
}

function createFeedList(
  { stateRootHash, sequence }: RootReader,
  entries: ReadonlyMap<string, Entry>,
  known: Pick<FeedList, 'chain' | 'recent' | 'stateUrefs' | 'lengths' | 'lastEvent' | 'changes'>,
): FeedList {
  const all = [...entries.values()]
  const feedIds = [...entries.keys()].filter(isReadableId)
  return {
    ...known,
    stateRootHash,
    sequence,
    entries,
    feedIds,
    readings: Object.freeze(all.map(({ reading }) => reading).filter((reading) => reading !== null)),
    undecodable: entries.size - feedIds.length + all.filter(({ fault }) => fault !== null).length,
  }
}

function createEntry(id: string, feed: Feed | null, value: AttestedValue | null): Entry {
  return { feed, value, reading: feed && value ? createReading(id, feed, value) : null, fault: null }
}

/** Reads the ids from index `from`. Ids are only ever appended. */
async function readIds(source: FeedListSource, reader: RootReader, from: number): Promise<string[]> {
  const count = await readFeedCount(source, reader)
  const counted = { count, readCount: countAt(source, reader) }
  return readCountedItems(reader.state, counted, (to) => readIdsTo(source, reader, { from, to }))
}

/** Reads the ids when a node reports no count of them, although the log has events. */
async function readHiddenIds(source: FeedListSource, reader: RootReader): Promise<string[]> {
  const count = await reader.readKnownField(source.feedRegistry, feedRegistryField.count)
  return readIdsTo(source, reader, { from: 0, to: assertCountable(count) })
}

function readIdsTo(
  source: FeedListSource,
  reader: RootReader,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  return readSequence({ from, to, concurrency: source.concurrency }, (index) =>
    readId(source, reader, index).catch((error) => {
      if (isUndecodable(error)) return unreadableId(index)
      throw error
    }),
  )
}

/** Reads the number of registered feeds. */
export async function readFeedCount(source: FeedListSource, reader: RootReader): Promise<number> {
  const count = (await reader.readField(source.feedRegistry, feedRegistryField.count)) ?? 0
  if (count <= MAX_FEEDS || reader.state.isProven) return assertCountable(count)
  // One node may be wrong.
  const feed = { item: `FeedRegistry.ids[${MAX_FEEDS}]`, index: MAX_FEEDS }
  const others = recount(reader.state, { ...feed, readCount: countAt(source, reader) })
  return assertCountable(await others.catch(() => count))
}

/** Returns a function that reads the number of registered feeds at another node. */
const countAt =
  ({ feedRegistry }: FeedListSource, reader: RootReader) =>
  (node: GlobalState): Promise<number | null> =>
    readerOf(node, reader).readField(feedRegistry, feedRegistryField.count)

function assertCountable(count: number): number {
  if (count > MAX_FEEDS)
    throw new DecodeError('FeedRegistry.count', `${count} feeds exceed the limit of ${MAX_FEEDS}`)
  return count
}

/** Returns a placeholder for an id that does not decode. It has a lone surrogate, which no id on chain has. */
const unreadableId = (index: number): string => `\ud800${index}`

const indexOf = (placeholder: string): number => Number(placeholder.slice(1))

/** Returns whether an id is from the chain, not a placeholder. */
const isReadableId = (id: string): boolean => id.isWellFormed()

async function readId(source: FeedListSource, reader: RootReader, index: number): Promise<string> {
  return reader.readKnownField(source.feedRegistry, feedRegistryField.id(index))
}

async function readFeedById(source: FeedListSource, reader: RootReader, id: string): Promise<Feed> {
  return reader.readKnownField(source.feedRegistry, feedRegistryField.feed(id))
}

async function readValue(
  source: FeedListSource,
  reader: RootReader,
  id: string,
): Promise<AttestedValue | null> {
  const latest = await reader.readField(source.attestationRegistry, attestationRegistryField.latest(id))
  if (latest === null) return null
  const { period, amount, source_hash, timestamp } = latest
  return { period, amount, source_hash, timestamp }
}

/** Replaces each entry with the result of `read`. An entry that does not decode gets a `fault`. */
async function replaceEach(
  { concurrency }: FeedListSource,
  entries: Map<string, Entry>,
  ids: readonly string[],
  read: (id: string, known: Entry) => Promise<Entry>,
): Promise<void> {
  await readSequence({ from: 0, to: ids.length, concurrency }, async (index) => {
    const id = ids[index] ?? ''
    const known = entries.get(id) ?? UNKNOWN
    const entry = await read(id, known).catch((error) => {
      if (isUndecodable(error)) return { ...known, reading: null, fault: error }
      throw error
    })
    entries.set(id, entry)
  })
}

/** Reads the missing parts of the entries. */
async function readEntries(
  source: FeedListSource,
  reader: RootReader,
  known: ReadonlyMap<string, Entry>,
): Promise<Map<string, Entry>> {
  const entries = new Map(known)
  await replaceEach(source, entries, [...known.keys()].filter(isReadableId), async (id, { feed, value }) =>
    createEntry(
      id,
      ...(await Promise.all([
        feed ?? readFeedById(source, reader, id),
        value ?? readValue(source, reader, id),
      ])),
    ),
  )
  return entries
}
