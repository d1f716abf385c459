import { createCursor, DecodeError } from '@wattfeed/base'
import { decodeField, itemKey, type OdraContract, odraContract } from '@wattfeed/casper'
import { clValueBytes, decodeContract, isEntityReference, type StoredValueJson } from '@wattfeed/casper/types'
import { type Attestation, type Feed, UnsupportedAccountError } from 'wattfeed'
import {
  attestationRegistryField,
  contractKeyOf,
  dictionaryKeyOf,
  type FieldRequest,
  feedRegistryField,
  formatLengths,
  type RegistryName,
} from 'wattfeed/internal'
import type { ItemRequest, ReadItems } from './provenItems.ts'

export interface ProvenFeed extends Feed {
  readonly feed_id: string
  readonly values: readonly Attestation[]
}

/** The complete content of both registries at one state root. */
export interface ProvenDataSet {
  readonly feeds: readonly ProvenFeed[]
  readonly values: number
  /** Number of events; null if the registry has no log. */
  readonly events: Readonly<Record<RegistryName, number | null>>
}

export interface DataSetRead {
  items: ReadItems
  /** Package hashes: 64 hex digits. */
  packages: Readonly<Record<RegistryName, string>>
  /** Runs one step, which proves a part of the data set. */
  step<T>(name: string, work: () => Promise<T>, detail: (value: T) => string): Promise<T>
  /** Called for each value and event with the number of those read, and of all. */
  onRead(done: number, total: number): void
}

/** Number of values whose elements make about 12 MB of garbage. */
const COLLECT_EVERY = 1_250

/**
 * Reads both registries completely, in a fixed order: the contracts, the lengths of the logs, all ids, the metadata of all
 * feeds, the number of values of each. Then every value, and every event.
 *
 * @throws {UnsupportedAccountError} when the chain stores a registry as an addressable entity.
 */
export async function readDataSet(read: DataSetRead): Promise<ProvenDataSet> {
  const { items, step } = read
  const feeds = await openRegistry('FeedRegistry', read)
  const values = await openRegistry('AttestationRegistry', read)
  const events = {
    FeedRegistry: await readLength(feeds, read),
    AttestationRegistry: await readLength(values, read),
  }
  const listed = await readFeeds(feeds, read)
  const counts = await readCounts(values, listed, read)
  const total = counts.sum + (events.FeedRegistry ?? 0) + (events.AttestationRegistry ?? 0)
  let done = 0
  async function* counted<T>(requests: Iterable<ItemRequest<T>>): AsyncGenerator<T> {
    for await (const value of list(items, requests)) {
      read.onRead(++done, total)
      // Otherwise garbage takes several times the memory of the data.
      if (done % COLLECT_EVERY === 0) Bun.gc(true)
      yield value
    }
  }
  const proven = await step(
    'AttestationRegistry history',
    () => Array.fromAsync(counted(valuesOf(values, listed, counts))),
    () => `all ${counts.sum} values`,
  )
  for (const registry of [feeds, values])
    await step(
      `${registry.name} __events`,
      async () => {
        for await (const _ of counted(registry.events(events[registry.name] ?? 0)));
      },
      () => (events[registry.name] === null ? 'no log' : `all ${events[registry.name]} events`),
    )
  await readEmptyFeeds(values, listed, counts, read)
  let next = 0
  const withValues = listed.map((feed, index) => {
    const from = next
    next += counts.byFeed[index] ?? 0
    return { ...feed, values: proven.slice(from, next) }
  })
  return { feeds: withValues, values: counts.sum, events }
}

/** A registry's contract, as the file proves it. */
interface OpenRegistry {
  name: RegistryName
  log: OdraContract['events']
  item<T>(field: FieldRequest<T>): ItemRequest<T>
  /** Returns the first events of its log. */
  events(count: number): Iterable<ItemRequest<unknown>>
}

async function openRegistry(
  name: RegistryName,
  { items, packages, step }: DataSetRead,
): Promise<OpenRegistry> {
  const query = <T>(link: string, key: string, decode: (stored: StoredValueJson) => T): Promise<T> =>
    step(
      `${name} ${link}`,
      () => listOne(items, { what: `${name} ${link}`, key, decode }),
      () => key,
    )
  const stored = await query('package', `hash-${packages[name]}`, (json) => json)
  const key = await step(
    `${name} version`,
    async () => {
      if (isEntityReference(stored)) throw new UnsupportedAccountError(`hash-${packages[name]}`)
      return contractKeyOf(name, stored)
    },
    String,
  )
  const { stateUref, events: log } = await query('contract', key, (json) =>
    odraContract(name, decodeContract(json)),
  )
  const dictionaryItem = (seedUref: string, item: string) => ({
    key: dictionaryKeyOf(seedUref, item),
    item: { seedUref, itemKey: item },
  })
  return {
    name,
    log,
    item({ field, key, what: fieldName, read }) {
      const what = `${name} ${fieldName}`
      const decode = (stored: StoredValueJson) => decodeField(clValueBytes(stored, what), what, read)
      return { what, ...dictionaryItem(stateUref, itemKey(field, key)), decode }
    },
    *events(count) {
      for (let index = 0; log !== null && index < count; index++) {
        const what = `${name} __events[${index}]`
        yield {
          what,
          ...dictionaryItem(log.seedUref, String(index)),
          decode: (stored) => clValueBytes(stored, what),
        }
      }
    },
  }
}

/** Reads the number of events. Null if the contract has no log. */
function readLength({ name, log }: OpenRegistry, { items, step }: DataSetRead): Promise<number | null> {
  const what = `${name} __events_length`
  const decode = (stored: StoredValueJson): number => {
    const cursor = createCursor(clValueBytes(stored, what), what)
    const length = cursor.u32()
    cursor.end()
    return length
  }
  return step(
    what,
    async () => (log === null ? null : listOne(items, { what, key: log.lengthUref, decode })),
    (length) => (length === null ? 'no log' : `${length} events`),
  )
}

/** Reads all ids and the metadata of each feed. */
async function readFeeds(
  registry: OpenRegistry,
  { items, step }: DataSetRead,
): Promise<readonly (Feed & { feed_id: string })[]> {
  const number = await step(
    'FeedRegistry count',
    async () => (await findOne(items, registry.item(feedRegistryField.count))) ?? 0,
    (count) => `${count} feeds`,
  )
  const ids = await step(
    'FeedRegistry ids',
    () => readIds(list(items, idsOf(registry, number))),
    () => `all ${number} ids`,
  )
  return step(
    'FeedRegistry feeds',
    async () => {
      const requests = [...ids].map((id) => registry.item(feedRegistryField.feed(id)))
      const feeds = await Array.fromAsync(list(items, requests))
      return [...ids].flatMap((feed_id, index) => {
        const feed = feeds[index]
        return feed === undefined ? [] : [{ feed_id, ...feed }]
      })
    },
    (feeds) => `the metadata of ${feeds.length} feeds`,
  )
}

function* idsOf(registry: OpenRegistry, count: number): Generator<ItemRequest<string>> {
  for (let index = 0; index < count; index++) yield registry.item(feedRegistryField.id(index))
}

async function readIds(values: AsyncIterable<string>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for await (const id of values) {
    if (ids.has(id)) throw new DecodeError('data set proof', `ids has ${id} twice`)
    ids.add(id)
  }
  return ids
}

interface Counts {
  /** In the order of the feeds. Null if the registry stores none, which is not shown yet. */
  byFeed: readonly (number | null)[]
  sum: number
  /** The registry's own number of values, also of feeds that are not registered. */
  total: number
}

function readCounts(
  registry: OpenRegistry,
  feeds: readonly { feed_id: string }[],
  { items, step }: DataSetRead,
): Promise<Counts> {
  return step(
    'AttestationRegistry count',
    async () => {
      const total = (await findOne(items, registry.item(attestationRegistryField.total))) ?? 0
      const requests = feeds.map(({ feed_id }) => registry.item(attestationRegistryField.count(feed_id)))
      const byFeed = await Array.fromAsync(items(requests, 'optional'))
      return { byFeed, sum: byFeed.reduce<number>((sum, count) => sum + (count ?? 0), 0), total }
    },
    ({ sum }) => `${sum} values of ${feeds.length} feeds`,
  )
}

function* valuesOf(
  registry: OpenRegistry,
  feeds: readonly { feed_id: string }[],
  { byFeed }: Counts,
): Generator<ItemRequest<Attestation>> {
  for (const [place, { feed_id }] of feeds.entries())
    for (let index = 0; index < (byFeed[place] ?? 0); index++)
      yield registry.item(attestationRegistryField.history(feed_id, index))
}

/**
 * Shows that feeds without a stored count have no value. The registry stores the number of all values. If the other counts
 * add up to it, nothing is left. Otherwise each absence needs its own evidence.
 */
async function readEmptyFeeds(
  registry: OpenRegistry,
  feeds: readonly { feed_id: string }[],
  { byFeed, sum, total }: Counts,
  { items, step }: DataSetRead,
): Promise<void> {
  const empty = feeds.filter((_, index) => byFeed[index] === null)
  if (empty.length === 0) return
  await step(
    'feeds without a value',
    async () => {
      if (sum === total) return
      const requests = empty.map(({ feed_id }) => registry.item(attestationRegistryField.count(feed_id)))
      let index = 0
      for await (const count of items(requests, 'decided')) {
        const { feed_id = '' } = empty[index++] ?? {}
        if (count !== null)
          throw new DecodeError('data set proof', `${feed_id} has ${count} values, but none is here`)
      }
    },
    () =>
      `${empty.length} feeds${sum === total ? `, because the counts of the others add up to ${total}` : ''}`,
  )
}

async function* list<T>(items: ReadItems, requests: Iterable<ItemRequest<T>>): AsyncGenerator<T> {
  for await (const value of items(requests, 'listed')) if (value !== null) yield value
}

async function listOne<T>(items: ReadItems, request: ItemRequest<T>): Promise<T> {
  for await (const value of list(items, [request])) return value
  throw new DecodeError(request.what, 'the value is missing')
}

async function findOne<T>(items: ReadItems, request: ItemRequest<T>): Promise<T | null> {
  for await (const value of items([request], 'decided')) return value
  return null
}

/** Returns the length of both logs as text. */
export const versionOf = ({ events }: Pick<ProvenDataSet, 'events'>): string | null =>
  formatLengths({ feed: events.FeedRegistry, attestation: events.AttestationRegistry })
