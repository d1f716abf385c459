import { readSequence } from '../async/readSequence.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import type { FeedRegistered, RevenueAttested } from '../registry/events.ts'
import type { Feed } from '../registry/feed.ts'
import { attestationRegistryField, feedRegistryField } from '../registry/fields.ts'
import type { RegistryName } from '../registry/layout.ts'
import { type AttestedValue, createReading, type Reading } from '../registry/reading.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import type { RootReader } from '../registry/rootReader.ts'
import { LaggingNodeError } from './errors.ts'
import { type KnownEvent, type LogEvent, readLogLength } from './registryLog.ts'

/** What is known about one registered feed. */
export interface Entry {
  /** Null if it was not read, because there is no value to show with it. */
  readonly feed: Feed | null
  readonly value: AttestedValue | null
  readonly reading: Reading | null
  /** Why it has no reading: it does not decode. */
  readonly fault: Error | null
}

/** Number of events by registry; null if it keeps no log. */
export interface LogLengths {
  readonly feed: number | null
  readonly attestation: number | null
}

/** Every registered feed at one state root. Immutable: an advance creates a new one. */
export interface FeedList {
  readonly stateRootHash: string
  readonly sequence: number
  /** The same object for every root of one chain. */
  readonly chain: object
  /** `state` URefs of both registries. */
  readonly stateUrefs: string
  /** How many events it includes. */
  readonly lengths: LogLengths
  /** The newest event that it includes, which distinguishes this chain from others; null if there is none. */
  readonly lastEvent: KnownEvent | null
  /** By feed id, in registry order. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Decodable ids, in registry order. */
  readonly feedIds: readonly string[]
  /** Feeds with a value, in registry order; the same array while nothing changed. */
  readonly readings: readonly Reading[]
  /** How many new events changed a feed; null if everything was read anew. */
  readonly changes: number | null
  /** Number of feeds that do not decode, and so are not among the readings. */
  readonly undecodable: number
}

export interface FeedListSource {
  feedRegistry: RegistryContract
  attestationRegistry: RegistryContract
  /** Maximum number of reads in flight. */
  concurrency: number
}

/** Makes the registries be looked up before the next attempt, as they may have moved. */
export function lookUpAgain({ feedRegistry, attestationRegistry }: FeedListSource): void {
  feedRegistry.forget()
  attestationRegistry.forget()
}

/** An absent item is read again after this time: a node may have lied. */
export const ASK_AGAIN_AFTER_MS = 10_000

/** A node may invent any number of feeds to exhaust memory. */
const MAX_FEEDS = 100_000

const UNKNOWN: Entry = { feed: null, value: null, reading: null, fault: null }

/** Reads every feed at a state root: three calls, and three more for each feed. */
export async function loadFeedList(
  source: FeedListSource,
  reader: RootReader,
  chain: object,
): Promise<FeedList> {
  const [found, lengths] = await Promise.all([readIds(source, reader, 0), readLengths(source, reader)])
  const ids = found.length === 0 && lengths.feed ? await readHiddenIds(source, reader) : found
  const entries = await readEntries(source, reader, new Map(ids.map((id) => [id, UNKNOWN])))
  return createFeedList(reader, entries, {
    chain,
    stateUrefs: await readStateUrefs(source, reader),
    lengths,
    lastEvent: newestEvent(lengths, []),
    changes: null,
  })
}

/** Returns the registries' URefs: a restarted development chain may have others. */
export async function readStateUrefs(source: FeedListSource, { stateRootHash }: RootReader): Promise<string> {
  const contracts = [source.feedRegistry.at(stateRootHash), source.attestationRegistry.at(stateRootHash)]
  return (await Promise.all(contracts)).map(({ stateUref }) => stateUref).join()
}

/** Where the logs end at another root, and the events up to there. */
export interface NewEvents extends Pick<FeedList, 'lengths' | 'lastEvent'> {
  /** Null if there is no log. */
  readonly registered: readonly FeedRegistered[] | null
  /** Null if there is no log. */
  readonly attested: readonly RevenueAttested[] | null
}

/** Returns the list at another root of the chain, after the events, and reads what these leave open. */
export async function advanceFeedList(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
  events: NewEvents,
): Promise<FeedList> {
  const { lengths, lastEvent, registered, attested } = events
  const changes = registered && attested && registered.length + attested.length
  if (changes === 0) return { ...list, ...position(reader), lengths, lastEvent, changes }
  const entries = await applyEvents(source, list, reader, events)
  const { chain, stateUrefs } = list
  return createFeedList(reader, entries, { chain, stateUrefs, lengths, lastEvent, changes })
}

/** Returns the entries after the events, and reads what these leave open. */
async function applyEvents(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
  { registered, attested }: NewEvents,
): Promise<Map<string, Entry>> {
  const entries = new Map(list.entries)
  const named = registered
    ? registered.map(({ feedId }) => feedId)
    : [...list.entries.keys(), ...(await readIds(source, reader, list.entries.size))]
  for (const id of named) entries.set(id, { ...(entries.get(id) ?? UNKNOWN), feed: null })
  const isWhole = (id: string): boolean => list.entries.get(id)?.fault === null
  const unread = new Set(
    (attested ? named.filter((id) => !isWhole(id)) : [...entries.keys()]).filter(isReadableId),
  )
  for (const { feedId, value } of attested ?? []) {
    const entry = entries.get(feedId)
    if (entry) entries.set(feedId, createEntry(feedId, entry.feed, value))
    unread.delete(feedId)
  }
  await readValues(source, reader, entries, unread)
  await readMissingFeeds(source, reader, entries)
  return entries
}

/** Returns the ids of feeds without a value, or of which something did not decode; placeholders for ids. The node may have lied. */
export function openFeeds({ entries }: FeedList): string[] {
  const isOpen = ([id, { value, fault }]: [string, Entry]): boolean =>
    !isReadableId(id) || value === null || fault !== null
  return [...entries].filter(isOpen).map(([id]) => id)
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
  const found = new Map([...read].filter(([, { reading }]) => reading !== null))
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

function createEntry(id: string, feed: Feed | null, value: AttestedValue | null): Entry {
  return { feed, value, reading: feed && value ? createReading(id, feed, value) : null, fault: null }
}

function position({ stateRootHash, sequence }: RootReader) {
  return { stateRootHash, sequence }
}

function createFeedList(
  reader: RootReader,
  entries: ReadonlyMap<string, Entry>,
  known: Pick<FeedList, 'chain' | 'stateUrefs' | 'lengths' | 'lastEvent' | 'changes'>,
): FeedList {
  const all = [...entries.values()]
  const readings = Object.freeze(all.map(({ reading }) => reading).filter((reading) => reading !== null))
  const feedIds = [...entries.keys()].filter(isReadableId)
  const undecodable = entries.size - feedIds.length + all.filter(({ fault }) => fault !== null).length
  return {
    ...position(reader),
    chain: known.chain,
    stateUrefs: known.stateUrefs,
    lengths: known.lengths,
    lastEvent: known.lastEvent,
    entries,
    feedIds,
    readings,
    changes: known.changes,
    undecodable,
  }
}

/** Returns the AttestationRegistry's newest event (it has a block time), else the FeedRegistry's; null if none. */
export function newestEvent(lengths: LogLengths, read: readonly LogEvent[]): KnownEvent | null {
  const registry = lengths.attestation ? 'AttestationRegistry' : 'FeedRegistry'
  const index = ((lengths.attestation || lengths.feed) ?? 0) - 1
  if (index < 0) return null
  const found = read.find((event) => event.registry === registry && event.index === index)
  return { registry, index, read: found?.event ? found : null }
}

/** @throws {LaggingNodeError} when a log is shorter than before. */
export function assertGrown(seen: LogLengths, lengths: LogLengths): void {
  assertLogGrown('FeedRegistry', seen.feed, lengths.feed)
  assertLogGrown('AttestationRegistry', seen.attestation, lengths.attestation)
}

function assertLogGrown(registry: RegistryName, seen: number | null, length: number | null): void {
  if (seen !== null && length !== null && length < seen) throw new LaggingNodeError(registry, length, seen)
}

/** Reads how many events each registry has emitted. */
export async function readLengths(source: FeedListSource, reader: RootReader): Promise<LogLengths> {
  const [feed, attestation] = await Promise.all([
    readLogLength(reader, source.feedRegistry),
    readLogLength(reader, source.attestationRegistry),
  ])
  return { feed, attestation }
}

/** Reads the ids from index `from` on; ids are only ever appended. */
async function readIds(source: FeedListSource, reader: RootReader, from: number): Promise<string[]> {
  return readIdsTo(source, reader, { from, to: await readFeedCount(source, reader) })
}

/** Reads the ids where a node reports no count of them, although their events are logged. */
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

/** Reads how many feeds are registered. */
export async function readFeedCount({ feedRegistry }: FeedListSource, reader: RootReader): Promise<number> {
  const count = (await reader.readField(feedRegistry, feedRegistryField.count)) ?? 0
  return assertCountable(count)
}

function assertCountable(count: number): number {
  if (count > MAX_FEEDS)
    throw new DecodeError('FeedRegistry.count', `${count} feeds where ${MAX_FEEDS} are the most`)
  return count
}

/** Returns a placeholder for an id that does not decode; no id on chain has a lone surrogate. */
const unreadableId = (index: number): string => `\ud800${index}`

/** The index of the id that a placeholder stands for. */
const indexOf = (placeholder: string): number => Number(placeholder.slice(1))

/** Whether an id is from the chain rather than a placeholder. */
const isReadableId = (id: string): boolean => id.isWellFormed()

async function readId(source: FeedListSource, reader: RootReader, index: number): Promise<string> {
  return reader.readKnownField(source.feedRegistry, feedRegistryField.id(index))
}

async function readFeed(source: FeedListSource, reader: RootReader, id: string): Promise<Feed> {
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

/** Replaces each entry with what `read` returns; one that does not decode gets a `fault`. */
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

/** Returns the entries with their missing parts read. */
async function readEntries(
  source: FeedListSource,
  reader: RootReader,
  known: ReadonlyMap<string, Entry>,
): Promise<Map<string, Entry>> {
  const entries = new Map(known)
  await replaceEach(source, entries, [...known.keys()].filter(isReadableId), async (id, { feed, value }) =>
    createEntry(
      id,
      ...(await Promise.all([feed ?? readFeed(source, reader, id), value ?? readValue(source, reader, id)])),
    ),
  )
  return entries
}

function readValues(
  source: FeedListSource,
  reader: RootReader,
  entries: Map<string, Entry>,
  ids: Iterable<string>,
): Promise<void> {
  return replaceEach(source, entries, [...ids], async (id, { feed }) =>
    createEntry(id, feed, await readValue(source, reader, id)),
  )
}

/** A feed's metadata is only read once there is a value to show with it. */
function readMissingFeeds(
  source: FeedListSource,
  reader: RootReader,
  entries: Map<string, Entry>,
): Promise<void> {
  const missing = [...entries].filter(([, { feed, value }]) => value !== null && feed === null)
  return replaceEach(
    source,
    entries,
    missing.map(([id]) => id),
    async (id, { value }) => createEntry(id, await readFeed(source, reader, id), value),
  )
}
