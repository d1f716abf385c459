import { createCursor, DecodeError } from '../../bytes/cursor.ts'
import type { StoredValueJson } from '../../casper/types/storedValue.ts'
import { clValueBytes, decodeContract } from '../../casper/types/storedValueJson.ts'
import { contractKeyOf, dictionaryKeyOf } from '../../client/feedProof/registryItems.ts'
import { type OdraContract, odraContract } from '../../odra/contract.ts'
import { decodeField } from '../../odra/field.ts'
import { itemKey } from '../../odra/itemKey.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { Feed } from '../../registry/feed.ts'
import { attestationRegistryField, feedRegistryField } from '../../registry/fields.ts'
import type { RegistryName } from '../../registry/layout.ts'
import type { FieldRequest } from '../../registry/rootReader.ts'
import type { ItemRequest, ProvenItems } from './provenItems.ts'

export interface ProvenFeed extends Feed {
  readonly feed_id: string
  readonly count: number
}

/** The complete content of both registries at one state root. The values are not in memory. */
export interface ProvenDataSet {
  readonly feeds: readonly ProvenFeed[]
  readonly values: number
  /** Number of events; null if the registry has no log. */
  readonly events: Readonly<Record<RegistryName, number | null>>
  valueAt(feedId: string, index: number): ItemRequest<Attestation>
}

export interface DataSetRead {
  items: ProvenItems
  /** Package hashes: 64 hex digits. */
  packages: Readonly<Record<RegistryName, string>>
  /** Runs one step, which proves a part of the data set. */
  step<T>(name: string, work: () => Promise<T>, detail: (value: T) => string): Promise<T>
  /** Called for each value and event with the number of those read, and of all. */
  onRead(done: number, total: number): void
}

/**
 * Reads both registries completely, in a fixed order: the contracts, the lengths of the logs, all ids, the metadata of all
 * feeds, the number of values of each. Then every value, and every event.
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
  const counted = listed.map((feed, index) => ({ ...feed, count: counts.byFeed[index] ?? 0 }))
  const total = counts.sum + (events.FeedRegistry ?? 0) + (events.AttestationRegistry ?? 0)
  let done = 0
  const readEach = async (each: Iterable<ItemRequest<unknown>>): Promise<void> => {
    for await (const _ of items.list(each)) read.onRead(++done, total)
  }
  const valueAt = (feedId: string, index: number) =>
    values.item(attestationRegistryField.history(feedId, index))
  await step(
    'AttestationRegistry history',
    () => readEach(valuesOf(counted, valueAt)),
    () => `all ${counts.sum} values`,
  )
  for (const registry of [feeds, values])
    await step(
      `${registry.name} __events`,
      () => readEach(registry.events(events[registry.name] ?? 0)),
      () => (events[registry.name] === null ? 'no log' : `all ${events[registry.name]} events`),
    )
  await readEmptyFeeds(values, counted, counts, read)
  return { feeds: counted, values: counts.sum, events, valueAt }
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
  const key = await step(`${name} version`, async () => contractKeyOf(name, stored), String)
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
    () => readIds(items.list(idsOf(registry, number))),
    () => `all ${number} ids`,
  )
  return step(
    'FeedRegistry feeds',
    async () => {
      const requests = [...ids].map((id) => registry.item(feedRegistryField.feed(id)))
      const feeds = await Array.fromAsync(items.list(requests))
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
      const byFeed = await Array.fromAsync(items.find(requests, 'optional'))
      return { byFeed, sum: byFeed.reduce<number>((sum, count) => sum + (count ?? 0), 0), total }
    },
    ({ sum }) => `${sum} values of ${feeds.length} feeds`,
  )
}

function* valuesOf(
  feeds: readonly ProvenFeed[],
  valueAt: ProvenDataSet['valueAt'],
): Generator<ItemRequest<Attestation>> {
  for (const { feed_id, count } of feeds)
    for (let index = 0; index < count; index++) yield valueAt(feed_id, index)
}

/**
 * Shows that feeds without a stored count have no value. The registry stores the number of all values. If the other counts
 * add up to it, nothing is left. Otherwise each absence needs its own evidence.
 */
async function readEmptyFeeds(
  registry: OpenRegistry,
  feeds: readonly ProvenFeed[],
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
      for await (const count of items.find(requests, 'decided')) {
        const { feed_id = '' } = empty[index++] ?? {}
        if (count !== null)
          throw new DecodeError('data set proof', `${feed_id} has ${count} values, but none is here`)
      }
    },
    () =>
      `${empty.length} feeds${sum === total ? `, because the counts of the others add up to ${total}` : ''}`,
  )
}

async function listOne<T>(items: ProvenItems, request: ItemRequest<T>): Promise<T> {
  for await (const value of items.list([request])) return value
  throw new DecodeError(request.what, 'the value is missing')
}

async function findOne<T>(items: ProvenItems, request: ItemRequest<T>): Promise<T | null> {
  for await (const value of items.find([request], 'decided')) return value
  return null
}
