import { DecodeError } from '../bytes/cursor.ts'
import { readSequence, type Sequence } from '../casper/readSequence.ts'
import { WattfeedError } from '../errors.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../registry/events.ts'
import type { Feed } from '../registry/feed.ts'
import type { RegistryName } from '../registry/layout.ts'
import { type AttestedValue, createReading, type Reading } from '../registry/reading.ts'
import { attestationRegistryField, feedRegistryField } from './fields.ts'
import type { Registry } from './registry.ts'
import type { RootReader } from './rootReader.ts'

/** A node whose event log is shorter than what was seen: it lags behind, or serves another chain. */
export class LaggingNodeError extends WattfeedError {
  static override readonly name = 'LaggingNodeError'
  readonly code = 'lagging_node'
  readonly retryable = true

  constructor(
    readonly registry: RegistryName,
    /** Events that the node knows. */
    readonly length: number,
    /** Events that were seen before. */
    readonly seen: number,
  ) {
    super(`the node lags behind: the ${registry}'s event log has ${length} entries, ${seen} were seen before`)
  }
}

/** What is known of one registered feed. */
interface Entry {
  /** Null while it need not be known, because there is no value to show with it. */
  readonly feed: Feed | null
  readonly value: AttestedValue | null
  readonly reading: Reading | null
}

/** Every registered feed at one state root. Never changed: an advance makes a new one. */
export interface Live {
  readonly stateRootHash: string
  readonly sequence: number
  /** `state` URefs of both registries. */
  readonly stateUrefs: string
  /** How many events it includes; null where a registry keeps no log. */
  readonly lengths: { feed: number | null; attestation: number | null }
  /** By feed id, in registry order. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Feeds with a value, in registry order; the same array while nothing changed. */
  readonly readings: readonly Reading[]
  /** How many events that change a feed were new since the last one; null where everything was read. */
  readonly changes: number | null
}

export interface LiveSource {
  feedRegistry: Registry
  attestationRegistry: Registry
  /** How many reads may wait for a place at once. */
  concurrency: number
}

const UNKNOWN: Entry = { feed: null, value: null, reading: null }

/** Reads every feed at a state root: three calls, one more for each id, two more for each feed. */
export async function loadLive(source: LiveSource, reader: RootReader): Promise<Live> {
  const [ids, lengths] = await Promise.all([readIds(source, reader, 0), readLengths(source, reader)])
  const entries = await readEach(source, ids, async (id): Promise<[string, Entry]> => {
    const [feed, value] = await Promise.all([readFeed(source, reader, id), readValue(source, reader, id)])
    return [id, createEntry(id, feed, value)]
  })
  return createLive(reader, await readStateUrefs(source, reader), lengths, new Map(entries), null)
}

/** Whether the registries are those that were read before: a restarted development chain has others. */
export async function isSameRegistries(source: LiveSource, live: Live, reader: RootReader): Promise<boolean> {
  return live.stateUrefs === (await readStateUrefs(source, reader))
}

async function readStateUrefs(source: LiveSource, { stateRootHash }: RootReader): Promise<string> {
  const contracts = [source.feedRegistry.at(stateRootHash), source.attestationRegistry.at(stateRootHash)]
  return (await Promise.all(contracts)).map(({ stateUref }) => stateUref).join()
}

/**
 * Carries what is known to another state root: reads both log lengths, the new events, and then only what
 * these leave open. A registry without a log is read anew.
 *
 * Throws a {@link LaggingNodeError} where a log is shorter than before.
 */
export async function advanceLive(source: LiveSource, live: Live, reader: RootReader): Promise<Live> {
  const lengths = await readLengths(source, reader)
  assertGrown('FeedRegistry', live.lengths.feed, lengths.feed)
  assertGrown('AttestationRegistry', live.lengths.attestation, lengths.attestation)
  const [registered, attested] = await Promise.all([
    readNewEvents((range) => reader.readLog(source.feedRegistry, range, decodeFeedRegistered), {
      from: live.lengths.feed,
      to: lengths.feed,
      concurrency: source.concurrency,
    }),
    readNewEvents((range) => reader.readLog(source.attestationRegistry, range, decodeRevenueAttested), {
      from: live.lengths.attestation,
      to: lengths.attestation,
      concurrency: source.concurrency,
    }),
  ])
  const changes = registered && attested ? registered.length + attested.length : null
  if (changes === 0) return { ...live, ...position(reader), lengths, changes }
  const entries = new Map(live.entries)
  const named = registered
    ? registered.map(({ feedId }) => feedId)
    : [...live.entries.keys(), ...(await readIds(source, reader, live.entries.size))]
  for (const id of named) entries.set(id, { ...(entries.get(id) ?? UNKNOWN), feed: null })
  const unread = new Set(attested ? named.filter((id) => !live.entries.has(id)) : entries.keys())
  for (const { feedId, value } of attested ?? []) {
    const entry = entries.get(feedId)
    if (entry) entries.set(feedId, createEntry(feedId, entry.feed, value))
    unread.delete(feedId)
  }
  await readValues(source, reader, entries, unread)
  await readMissingFeeds(source, reader, entries)
  return createLive(reader, live.stateUrefs, lengths, entries, changes)
}

function createEntry(id: string, feed: Feed | null, value: AttestedValue | null): Entry {
  return { feed, value, reading: feed && value ? createReading(id, feed, value) : null }
}

function position({ stateRootHash, sequence }: RootReader) {
  return { stateRootHash, sequence }
}

function createLive(
  reader: RootReader,
  stateUrefs: string,
  lengths: Live['lengths'],
  entries: ReadonlyMap<string, Entry>,
  changes: number | null,
): Live {
  const readings = [...entries.values()].map(({ reading }) => reading).filter((reading) => reading !== null)
  return { ...position(reader), stateUrefs, lengths, entries, readings: Object.freeze(readings), changes }
}

function assertGrown(registry: RegistryName, seen: number | null, length: number | null): void {
  if (seen !== null && length !== null && length < seen) throw new LaggingNodeError(registry, length, seen)
}

async function readLengths(source: LiveSource, reader: RootReader): Promise<Live['lengths']> {
  const [feed, attestation] = await Promise.all([
    reader.readLogLength(source.feedRegistry),
    reader.readLogLength(source.attestationRegistry),
  ])
  return { feed, attestation }
}

/** The new events that have the wanted name, or null where there is no log to tell all that happened. */
async function readNewEvents<T>(
  read: (range: Sequence) => Promise<(T | null)[]>,
  { from, to, concurrency }: { from: number | null; to: number | null; concurrency: number },
): Promise<T[] | null> {
  if (from === null || to === null) return null
  const events = await read({ from, to, concurrency })
  return events.filter((event) => event !== null)
}

/** Ids from number `from` on; ids are only ever appended. */
async function readIds(source: LiveSource, reader: RootReader, from: number): Promise<string[]> {
  const { feedRegistry, concurrency } = source
  const to = (await reader.readField(feedRegistry, feedRegistryField.count)) ?? 0
  return readSequence({ from, to, concurrency }, (index) => readId(source, reader, index))
}

async function readId(source: LiveSource, reader: RootReader, index: number): Promise<string> {
  const id = await reader.readField(source.feedRegistry, feedRegistryField.id(index))
  if (id === null) throw new DecodeError(`FeedRegistry.ids[${index}]`, 'it is counted but not there')
  return id
}

async function readFeed(source: LiveSource, reader: RootReader, id: string): Promise<Feed> {
  const feed = await reader.readField(source.feedRegistry, feedRegistryField.feed(id))
  if (feed === null) throw new DecodeError(`FeedRegistry.feeds[${id}]`, 'it is listed but not there')
  return feed
}

async function readValue(source: LiveSource, reader: RootReader, id: string): Promise<AttestedValue | null> {
  const latest = await reader.readField(source.attestationRegistry, attestationRegistryField.latest(id))
  if (latest === null) return null
  const { period, amount, source_hash, timestamp } = latest
  return { period, amount, source_hash, timestamp }
}

/** Reads something for each of some ids. */
function readEach<T>(
  { concurrency }: LiveSource,
  ids: readonly string[],
  read: (id: string) => Promise<T>,
): Promise<T[]> {
  return readSequence({ from: 0, to: ids.length, concurrency }, (index) => read(ids[index] ?? ''))
}

async function readValues(
  source: LiveSource,
  reader: RootReader,
  entries: Map<string, Entry>,
  ids: Iterable<string>,
): Promise<void> {
  await readEach(source, [...ids], async (id) => {
    const value = await readValue(source, reader, id)
    entries.set(id, createEntry(id, entries.get(id)?.feed ?? null, value))
  })
}

/** A feed's metadata is only read once there is a value to show with it. */
async function readMissingFeeds(
  source: LiveSource,
  reader: RootReader,
  entries: Map<string, Entry>,
): Promise<void> {
  const missing = [...entries].filter(([, { feed, value }]) => value !== null && feed === null)
  await readEach(
    source,
    missing.map(([id]) => id),
    async (id) => {
      const feed = await readFeed(source, reader, id)
      entries.set(id, createEntry(id, feed, entries.get(id)?.value ?? null))
    },
  )
}
