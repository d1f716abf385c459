import { describe, expect, test } from 'bun:test'
import { InvalidArgumentError } from '@wattfeed/base'
import { casperTest, createClient, type Snapshot, verifyFeedProof } from 'wattfeed'
import { createHistory } from 'wattfeed/history'
import { watch, watchServer } from 'wattfeed/live'
import { readProvenance, recheckFeed } from 'wattfeed/provenance'
import { getSeries, httpFiles, openDatasetTable } from 'wattfeed/series'
import { createReads, type SnapshotSource } from '../src/client/snapshot.ts'
import { emptyFeed } from '../src/registry/feed.ts'

const ID = 'EIA.PET.PRICE.WTI.DAILY'
/** What a caller in JavaScript may write. */
const misspelt = { signals: new AbortController().signal } as object

const never = (): never => {
  throw new TypeError('something was requested')
}

const client = createClient({ fetch: never })

/** The arguments before the options of each method of a client; null for one that takes no options. */
const argumentsBefore: Record<keyof typeof client, readonly unknown[] | null> = {
  getValue: [ID],
  getFeed: [ID],
  getReading: [ID],
  feedCount: [],
  feedIdAt: [0],
  listFeedIds: [],
  listReadings: [],
  getValueAt: [ID, 0],
  getValueCount: [ID],
  getValueHistory: [ID],
  totalAttestations: [],
  getFirstPartyAttester: [],
  getAttester: [ID],
  getClaimant: [ID],
  getLogLengths: [],
  snapshot: [],
  withSnapshot: [never],
  status: null,
  getFeedProof: [ID],
  getFeedAbsence: [ID],
  getFeedsProof: [],
  getHistoryProof: [ID],
  getTransaction: [ID, 0],
}

/** A feed's history at a snapshot without values. */
async function openHistory() {
  const at = { getValueCount: async () => 0, getReading: async () => null, getFeed: async () => emptyFeed }
  return createHistory({ snapshot: never }).open(at as object as Snapshot, ID)
}

const dataset = { route: 'coal/mine-production', frequency: 'annual' }

const noFiles = { read: async () => null }

const series = { route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', facets: {} }
const trust = { ...casperTest, trustedBlockHash: '00'.repeat(32) }

const others: Record<string, () => unknown> = {
  createHistory: () => createHistory(client, misspelt),
  'History.page': () => createHistory(client).page(ID, {}, misspelt),
  'History.items': () => createHistory(client).items(ID, {}, misspelt)[Symbol.asyncIterator]().next(),
  'History.open': () => createHistory(client).open({} as Snapshot, ID, misspelt),
  'FeedHistory.page': async () => (await openHistory())?.page({}, misspelt),
  'FeedHistory.readTo': async () => (await openHistory())?.readTo(0, misspelt),
  watch: () => watch(client, misspelt).next(),
  watchServer: () => watchServer('http://server.test', misspelt),
  readProvenance: () => readProvenance(client, ID, null, misspelt),
  recheckFeed: () => recheckFeed(client, ID, { apiKey: 'key', ...misspelt }),
  getSeries: () => getSeries(client, series, { files: 'http://files.test', ...misspelt }),
  openDatasetTable: () => openDatasetTable(client, dataset, { files: noFiles, ...misspelt }),
  httpFiles: () => httpFiles('http://files.test', misspelt),
}

const nested: Record<string, readonly [string, () => unknown]> = {
  'the query of FeedHistory.page': ['query.signals', async () => (await openHistory())?.page(misspelt)],
  'the query of History.items': [
    'query.signals',
    () => createHistory(client).items(ID, misspelt)[Symbol.asyncIterator]().next(),
  ],
  'the query of History.page': ['query.signals', () => createHistory(client).page(ID, misspelt)],
  'observe of watchServer': [
    'observe.signals',
    () => watchServer('http://server.test', { observe: misspelt }),
  ],
  'the request of getSeries': [
    'series.signals',
    () => getSeries(client, { ...series, ...misspelt }, { files: 'http://files.test' }),
  ],
  'the dataset of openDatasetTable': [
    'dataset.signals',
    () => openDatasetTable(client, { ...dataset, ...misspelt }, { files: noFiles }),
  ],
  'the trust of verifyFeedProof': ['trust.signals', () => verifyFeedProof({}, { ...trust, ...misspelt })],
}

/** Returns what a call throws, or rejects with. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    return error
  }
}

const argumentOf = (error: unknown): unknown =>
  error instanceof InvalidArgumentError ? error.argument : error

describe('an option that does not exist', () => {
  test('default: the methods of a client are these', () => {
    expect(Object.keys(client).sort()).toEqual(Object.keys(argumentsBefore).sort())
  })

  test.each(Object.entries(argumentsBefore))('error: Client.%s names it', async (name, before) => {
    if (before === null) return
    const method = Reflect.get(client, name)
    expect(argumentOf(await failureOf(() => method(...before, misspelt)))).toBe('signals')
  })

  test('error: reads of a snapshot name it', async () => {
    const reads = createReads({ feeds: {}, absences: null } as SnapshotSource)
    for (const [name, method] of Object.entries(reads)) {
      const before = Reflect.get(argumentsBefore, name)
      expect([name, argumentOf(await failureOf(() => method(...before, misspelt)))]).toEqual([
        name,
        'signals',
      ])
    }
  })

  test.each(Object.entries(others))('error: %s names it', async (_, call) => {
    expect(argumentOf(await failureOf(call))).toBe('signals')
  })

  test.each(Object.entries(nested))('error: %s names it', async (_, [argument, call]) => {
    expect(argumentOf(await failureOf(call))).toBe(argument)
  })

  test('error: a position in a list is no options object', async () => {
    const [failure] = await Promise.allSettled(
      [ID].map(client.getReading as (id: string) => Promise<unknown>),
    )
    expect(failure).toMatchObject({ reason: { message: 'options must be of type object' } })
  })

  test('behavior: a network may be spread into the trust of a proof', async () => {
    expect(await failureOf(() => verifyFeedProof({}, trust))).toMatchObject({ code: 'decode' })
  })

  test('error: recheckFeed without a key names it before it reads the chain', async () => {
    const asked = {} as Parameters<typeof recheckFeed>[2]
    expect(argumentOf(await failureOf(() => recheckFeed(client, ID, asked)))).toBe('apiKey')
  })
})
