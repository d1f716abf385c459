import { readSequence } from '../async/readSequence.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../registry/events.ts'
import type { Feed } from '../registry/feed.ts'
import { attestationRegistryField, feedRegistryField } from '../registry/fields.ts'
import type { RegistryName } from '../registry/layout.ts'
import { type AttestedValue, createReading, type Reading } from '../registry/reading.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import type { RootReader } from '../registry/rootReader.ts'
import { LaggingNodeError } from './errors.ts'
import {
  type DecodeEvent,
  type KnownEvent,
  type LogEvent,
  newestEvent,
  otherEvent,
  readKnownEvent,
  readLog,
  readLogLength,
} from './registryLog.ts'

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
export interface Live {
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

/**
 * The feeds at another state root, or why they cannot be carried there: the root contradicts what is known of the chain, or
 * has so many new events that reading everything again is quicker.
 */
export type Advanced = Live | Contradiction | 'too far'

/** What a root has instead of something that is known to be on the chain. */
export interface Contradiction {
  /** Names it in errors: `FeedRegistry.__events[3]`. */
  readonly what: string
  /** The same as long as every read gives the same. */
  readonly found: string
}

export interface LiveSource {
  feedRegistry: RegistryContract
  attestationRegistry: RegistryContract
  /** Maximum number of reads in flight. */
  concurrency: number
}

/** A node may invent any number of feeds to exhaust memory. */
const MAX_FEEDS = 100_000

/** Following more new events than this could outlast a read's deadline. */
const MAX_NEW_EVENTS = 1_000

const UNKNOWN: Entry = { feed: null, value: null, reading: null, fault: null }

/** Reads every feed at a state root: three calls, and three more for each feed. */
export async function loadLive(source: LiveSource, reader: RootReader, chain: object): Promise<Live> {
  const [found, lengths] = await Promise.all([readIds(source, reader, 0), readLengths(source, reader)])
  const ids = found.length === 0 && lengths.feed ? await readHiddenIds(source, reader) : found
  const entries = await readEntries(source, reader, new Map(ids.map((id) => [id, UNKNOWN])))
  return createLive(reader, entries, {
    chain,
    stateUrefs: await readStateUrefs(source, reader),
    lengths,
    lastEvent: newestEvent(lengths, null, { registered: null, attested: null }),
    changes: null,
  })
}

/** Returns the registries' URefs if they are not those read before: a restarted development chain may have others. */
async function otherRegistries(source: LiveSource, live: Live, reader: RootReader): Promise<string | null> {
  const found = await readStateUrefs(source, reader)
  return found === live.stateUrefs ? null : found
}

async function readStateUrefs(source: LiveSource, { stateRootHash }: RootReader): Promise<string> {
  const contracts = [source.feedRegistry.at(stateRootHash), source.attestationRegistry.at(stateRootHash)]
  return (await Promise.all(contracts)).map(({ stateUref }) => stateUref).join()
}

/**
 * Returns the feeds at another state root: reads both log lengths, the newest known event again, the new events, and then
 * only what these leave open. Reads a registry without a log anew.
 *
 * @throws {LaggingNodeError} when a log is shorter than before.
 */
export async function advanceLive(source: LiveSource, live: Live, reader: RootReader): Promise<Advanced> {
  const urefs = await otherRegistries(source, live, reader)
  if (urefs !== null) return { what: 'the state URefs of the registries', found: urefs }
  const [lengths, found] = await Promise.all([
    readLengths(source, reader),
    readKnownEvent(source, live.lastEvent, reader),
  ])
  const other = otherEvent(live, lengths, found)
  if (other !== null && found !== null)
    return { what: `${found.registry}.__events[${found.index}]`, found: other }
  assertGrown(live.lengths, lengths)
  if (isTooFar(live, lengths)) return 'too far'
  const { feedRegistry, attestationRegistry, concurrency } = source
  const readNew = <T>(registry: RegistryContract, decode: DecodeEvent<T>, log: keyof LogLengths) =>
    readNewEvents(reader, registry, decode, { from: live.lengths[log], to: lengths[log], concurrency })
  const [registered, attested] = await Promise.all([
    readNew(feedRegistry, decodeFeedRegistered, 'feed'),
    readNew(attestationRegistry, decodeRevenueAttested, 'attestation'),
  ])
  for (const { fault } of [...(registered ?? []), ...(attested ?? [])]) if (fault !== null) throw fault
  const { chain, stateUrefs } = live
  const lastEvent = newestEvent(lengths, found, { registered, attested })
  const events = { registered: namedEvents(registered), attested: namedEvents(attested) }
  const changes = events.registered && events.attested && events.registered.length + events.attested.length
  if (changes === 0) return { ...live, ...position(reader), lengths, lastEvent, changes }
  const entries = await applyEvents(source, live, reader, events)
  return createLive(reader, entries, { chain, stateUrefs, lengths, lastEvent, changes })
}

/** Whether reading every feed anew, three calls each, is cheaper than the new events, one call each. */
function isTooFar({ lengths: before, entries }: Live, lengths: LogLengths): boolean {
  const newIn = (log: keyof LogLengths): number => (lengths[log] ?? 0) - (before[log] ?? 0)
  const limit = Math.min(MAX_NEW_EVENTS, Math.max(100, 3 * entries.size))
  return newIn('feed') + newIn('attestation') > limit
}

/** Reads the new events of a log; null if there is no log. */
async function readNewEvents<T>(
  reader: RootReader,
  registry: RegistryContract,
  decode: DecodeEvent<T>,
  { from, to, concurrency }: { from: number | null; to: number | null; concurrency: number },
): Promise<LogEvent<T>[] | null> {
  return from === null || to === null ? null : readLog(reader, registry, { from, to, concurrency }, decode)
}

/** Returns the decoded events, without other kinds. */
const namedEvents = <T>(events: readonly LogEvent<T>[] | null): T[] | null =>
  events?.map(({ event }) => event).filter((event) => event !== null) ?? null

interface NewEvents {
  /** Null if there is no log. */
  registered: { feedId: string }[] | null
  /** Null if there is no log. */
  attested: { feedId: string; value: AttestedValue }[] | null
}

/** Returns the entries after the events, and reads what these leave open. */
async function applyEvents(
  source: LiveSource,
  live: Live,
  reader: RootReader,
  { registered, attested }: NewEvents,
): Promise<Map<string, Entry>> {
  const entries = new Map(live.entries)
  const named = registered
    ? registered.map(({ feedId }) => feedId)
    : [...live.entries.keys(), ...(await readIds(source, reader, live.entries.size))]
  for (const id of named) entries.set(id, { ...(entries.get(id) ?? UNKNOWN), feed: null })
  const isWhole = (id: string): boolean => live.entries.get(id)?.fault === null
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
export function openFeeds({ entries }: Live): string[] {
  const isOpen = ([id, { value, fault }]: [string, Entry]): boolean =>
    !isReadableId(id) || value === null || fault !== null
  return [...entries].filter(isOpen).map(([id]) => id)
}

/** Reads some incomplete feeds again, at the same root. Returns the same object if nothing new is found. */
export async function completeLive(
  source: LiveSource,
  live: Live,
  reader: RootReader,
  ids: readonly string[],
): Promise<Live> {
  const named = await readUnreadIds(source, reader, ids)
  const asked = ids.map((id) => named.get(id) ?? id).filter(isReadableId)
  const read = await readEntries(
    source,
    reader,
    new Map(asked.map((id) => [id, live.entries.get(id) ?? UNKNOWN])),
  )
  const found = new Map([...read].filter(([, { reading }]) => reading !== null))
  if (found.size + named.size === 0) return live
  const entries = [...live.entries].map(([placeholder, entry]): [string, Entry] => {
    const id = named.get(placeholder) ?? placeholder
    return [id, found.get(id) ?? entry]
  })
  return createLive(reader, new Map(entries), { ...live, changes: 0 })
}

/** Reads the ids behind placeholders again; leaves out those that still cannot be read. */
async function readUnreadIds(
  source: LiveSource,
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

function createLive(
  reader: RootReader,
  entries: ReadonlyMap<string, Entry>,
  known: Pick<Live, 'chain' | 'stateUrefs' | 'lengths' | 'lastEvent' | 'changes'>,
): Live {
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

/** @throws {LaggingNodeError} when a log is shorter than before. */
export function assertGrown(seen: LogLengths, lengths: LogLengths): void {
  assertLogGrown('FeedRegistry', seen.feed, lengths.feed)
  assertLogGrown('AttestationRegistry', seen.attestation, lengths.attestation)
}

function assertLogGrown(registry: RegistryName, seen: number | null, length: number | null): void {
  if (seen !== null && length !== null && length < seen) throw new LaggingNodeError(registry, length, seen)
}

/** Reads how many events each registry has emitted. */
export async function readLengths(source: LiveSource, reader: RootReader): Promise<LogLengths> {
  const [feed, attestation] = await Promise.all([
    readLogLength(reader, source.feedRegistry),
    readLogLength(reader, source.attestationRegistry),
  ])
  return { feed, attestation }
}

/** Reads the ids from index `from` on; ids are only ever appended. */
async function readIds(source: LiveSource, reader: RootReader, from: number): Promise<string[]> {
  return readIdsTo(source, reader, { from, to: await readFeedCount(source, reader) })
}

/** Reads the ids where a node reports no count of them, although their events are logged. */
async function readHiddenIds(source: LiveSource, reader: RootReader): Promise<string[]> {
  const count = await reader.readKnownField(source.feedRegistry, feedRegistryField.count)
  return readIdsTo(source, reader, { from: 0, to: assertCountable(count) })
}

function readIdsTo(
  source: LiveSource,
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
export async function readFeedCount({ feedRegistry }: LiveSource, reader: RootReader): Promise<number> {
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

async function readId(source: LiveSource, reader: RootReader, index: number): Promise<string> {
  return reader.readKnownField(source.feedRegistry, feedRegistryField.id(index))
}

async function readFeed(source: LiveSource, reader: RootReader, id: string): Promise<Feed> {
  return reader.readKnownField(source.feedRegistry, feedRegistryField.feed(id))
}

async function readValue(source: LiveSource, reader: RootReader, id: string): Promise<AttestedValue | null> {
  const latest = await reader.readField(source.attestationRegistry, attestationRegistryField.latest(id))
  if (latest === null) return null
  const { period, amount, source_hash, timestamp } = latest
  return { period, amount, source_hash, timestamp }
}

/** Replaces each entry with what `read` returns; one that does not decode gets a `fault`. */
async function replaceEach(
  { concurrency }: LiveSource,
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
  source: LiveSource,
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
  source: LiveSource,
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
  source: LiveSource,
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
