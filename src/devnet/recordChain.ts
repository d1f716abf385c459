import pLimit from 'p-limit'
import { createCursor } from '../bytes/cursor.ts'
import { clValueBytes, decodeContract, newestContractKey } from '../casper/types/storedValueJson.ts'
import { createClient } from '../client/createClient.ts'
import type { Snapshot } from '../client/snapshot.ts'
import { itemKey } from '../odra/itemKey.ts'
import { decodeRevenueAttested } from '../registry/events.ts'
import { feedRegistryFields } from '../registry/layout.ts'
import { member } from './canonicalCall.ts'
import type { Exchange } from './exchange.ts'
import { createRecorder, type Recorder } from './recorder.ts'

export interface RecordChainOptions {
  /** JSON-RPC URL of a node. */
  rpcUrl: string
  /** With or without `hash-`. */
  feedRegistryPackageHash: string
  /** With or without `hash-`. */
  attestationRegistryPackageHash: string
  /** @default globalThis.fetch */
  fetch?: Recorder['fetch']
}

/** Asks the node anything; every answer is recorded. */
type Ask = (method: string, params: unknown) => Promise<unknown>

// Two ids that nobody registers, so that a replay knows what absence looks like.
const absentIds = ['ABSENT.FEED.DAILY', 'ABSENT.FEED.MONTHLY']
const concurrency = 16

/**
 * Records all that the registries hold at the newest state root: every field and both event logs.
 *
 * @example
 * ```ts
 * const exchanges = await recordChain({ rpcUrl, feedRegistryPackageHash, attestationRegistryPackageHash })
 * await using node = startRecordedNode({ exchanges })
 * ```
 */
export async function recordChain(options: RecordChainOptions): Promise<Exchange[]> {
  const { rpcUrl, feedRegistryPackageHash, attestationRegistryPackageHash } = options
  const recorder = createRecorder(options.fetch ?? ((url, init) => fetch(url, init)), noteFor(options))
  const ask = createAsk(recorder, rpcUrl)
  const chainName = String(member(await ask('info_get_status', null), 'chainspec_name'))
  const client = createClient({
    ...options,
    rpcUrls: [rpcUrl],
    chainName,
    fetch: recorder.fetch,
    concurrency,
  })
  const snapshot = await client.snapshot()
  const listed = await snapshot.listFeedIds()
  const feedLog = await recordContract(ask, feedRegistryPackageHash, snapshot.stateRootHash)
  const attestationLog = await recordContract(ask, attestationRegistryPackageHash, snapshot.stateRootHash)
  await recordOwner(ask, feedLog.stateUref, snapshot.stateRootHash)
  await recordRegistries(snapshot, listed, [...attestedIds(attestationLog.events), ...absentIds])
  return recorder.exchanges()
}

async function recordRegistries(
  snapshot: Snapshot,
  registeredIds: readonly string[],
  otherIds: readonly string[],
): Promise<void> {
  await snapshot.listReadings()
  await Promise.all([snapshot.totalAttestations(), snapshot.getAttester()])
  await snapshot.feedIdAt(await snapshot.feedCount())
  const limit = pLimit(concurrency)
  await Promise.all(registeredIds.map((feedId) => limit(() => recordFeed(snapshot, feedId))))
  await Promise.all(otherIds.map((feedId) => limit(() => recordUnregistered(snapshot, feedId))))
}

async function recordFeed(snapshot: Snapshot, feedId: string): Promise<void> {
  await snapshot.getFeed(feedId)
  await snapshot.getValue(feedId)
  await snapshot.getClaimant(feedId)
  const history = await snapshot.getValueHistory(feedId)
  await snapshot.getValueAt(feedId, history.length)
}

async function recordUnregistered(snapshot: Snapshot, feedId: string): Promise<void> {
  await snapshot.getFeed(feedId)
  await snapshot.getValue(feedId)
}

/** Records a contract, its event log and the log's schema; returns where its fields are, and the events. */
async function recordContract(
  ask: Ask,
  packageHash: string,
  root: string,
): Promise<{ stateUref: string; events: Uint8Array[] }> {
  const query = async (key: string): Promise<unknown> =>
    member(
      await ask('query_global_state', { state_identifier: { StateRootHash: root }, key, path: [] }),
      'stored_value',
    )
  const contractKey = newestContractKey(await query(`hash-${packageHash.replace(/^hash-/, '')}`))
  const { namedKeys: names } = decodeContract(await query(String(contractKey)))
  const uref = (name: string): string => names.get(name) ?? ''
  if (!names.has('__events_length')) return { stateUref: uref('state'), events: [] }
  await query(uref('__events_schema'))
  const length = createCursor(
    clValueBytes(await query(uref('__events_length')), '__events_length'),
    '__events_length',
  ).u32()
  const events = await recordEvents(ask, uref('__events'), length, root)
  return { stateUref: uref('state'), events }
}

/** Records every event and the absence of one more. */
async function recordEvents(ask: Ask, seedUref: string, length: number, root: string): Promise<Uint8Array[]> {
  const limit = pLimit(concurrency)
  const indices = Array.from({ length: length + 1 }, (_, index) => index)
  const read = (index: number) => askItem(ask, seedUref, String(index), root)
  const items = await Promise.all(indices.map((index) => limit(() => read(index))))
  return items.slice(0, length).map((item) => clValueBytes(member(item, 'stored_value'), '__events'))
}

const recordOwner = (ask: Ask, stateUref: string, root: string): Promise<unknown> =>
  askItem(ask, stateUref, itemKey(feedRegistryFields.owner), root)

const askItem = (ask: Ask, seedUref: string, key: string, root: string): Promise<unknown> =>
  ask('state_get_dictionary_item', {
    state_root_hash: root,
    dictionary_identifier: { URef: { seed_uref: seedUref, dictionary_item_key: key } },
  })

const attestedIds = (events: readonly Uint8Array[]): string[] =>
  events.flatMap((bytes) => decodeRevenueAttested(bytes)?.feedId ?? [])

function createAsk(recorder: Recorder, url: string): Ask {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const reply: unknown = await (await recorder.fetch(url, { method: 'POST', headers, body })).json()
    return member(reply, 'result')
  }
}

/** A replay finds the two packages by these notes. */
function noteFor(options: RecordChainOptions): (method: string, params: unknown) => string | undefined {
  const notes = new Map([
    [options.feedRegistryPackageHash.replace(/^hash-/, ''), 'FeedRegistry package'],
    [options.attestationRegistryPackageHash.replace(/^hash-/, ''), 'AttestationRegistry package'],
  ])
  return (_, params) => notes.get(String(member(params, 'key')).replace(/^hash-/, ''))
}
