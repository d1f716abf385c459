import { createCursor, type Fetch, memberAt } from '@wattfeed/base'
import { itemKey } from '@wattfeed/casper'
import { clValueBytes, decodeContract, newestContractKey } from '@wattfeed/casper/types'
import type { RpcAnswer } from '@wattfeed/casper-devnet'
import { canonicalCall, type Exchange } from '@wattfeed/casper-devnet/testing/exchange'
import { Command } from 'commander'
import pLimit from 'p-limit'
import { createClient, type Snapshot } from 'wattfeed'
import { decodeRevenueAttested, feedRegistryFields } from 'wattfeed/internal'

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

/** Calls the node and records the answer. */
type Ask = (method: string, params: unknown) => Promise<unknown>

// Ids that are never registered, so that a replay knows the answer for an absent item.
const absentIds = ['ABSENT.FEED.DAILY', 'ABSENT.FEED.MONTHLY']
const concurrency = 16

/**
 * Records both registries completely at the newest state root: every field and both event logs.
 *
 * @example
 * ```ts
 * const exchanges = await recordChain({ rpcUrl, feedRegistryPackageHash, attestationRegistryPackageHash })
 * await using node = await startRecordedNode(exchanges)
 * ```
 */
export async function recordChain(options: RecordChainOptions): Promise<Exchange[]> {
  const { rpcUrl, feedRegistryPackageHash, attestationRegistryPackageHash } = options
  const recorder = createRecorder(options.fetch ?? ((url, init) => fetch(url, init)), noteFor(options))
  const ask = createAsk(recorder, rpcUrl)
  const chainName = String(memberAt(await ask('info_get_status', null), 'chainspec_name'))
  const client = createClient({
    rpcUrls: [rpcUrl],
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
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
  await Promise.all([snapshot.totalAttestations(), snapshot.getFirstPartyAttester()])
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

/** Records a contract, its event log and the log's schema; returns the seed URef of its fields, and the events. */
async function recordContract(
  ask: Ask,
  packageHash: string,
  root: string,
): Promise<{ stateUref: string; events: Uint8Array[] }> {
  const query = async (key: string): Promise<unknown> =>
    memberAt(
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

/** Records every event, and the absence of the next. */
async function recordEvents(ask: Ask, seedUref: string, length: number, root: string): Promise<Uint8Array[]> {
  const limit = pLimit(concurrency)
  const indices = Array.from({ length: length + 1 }, (_, index) => index)
  const read = (index: number) => askItem(ask, seedUref, String(index), root)
  const items = await Promise.all(indices.map((index) => limit(() => read(index))))
  return items.slice(0, length).map((item) => clValueBytes(memberAt(item, 'stored_value'), '__events'))
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
    return memberAt(reply, 'result')
  }
}

/** Returns the notes by which a replay finds the two packages. */
function noteFor(options: RecordChainOptions): (method: string, params: unknown) => string | undefined {
  const notes = new Map([
    [options.feedRegistryPackageHash.replace(/^hash-/, ''), 'FeedRegistry package'],
    [options.attestationRegistryPackageHash.replace(/^hash-/, ''), 'AttestationRegistry package'],
  ])
  return (_, params) => notes.get(String(memberAt(params, 'key')).replace(/^hash-/, ''))
}

/** A `fetch` that records every exchange. */
export interface Recorder {
  fetch: Fetch
  /** In the order of their first calls; a repeated call has its last answer. */
  exchanges(): Exchange[]
}

/**
 * @param noteOf describes what a call reads, if known
 *
 * @example
 * ```ts
 * const recorder = createRecorder(fetch, () => undefined)
 * const client = createClient({ fetch: recorder.fetch })
 * await client.listReadings()
 * recorder.exchanges()
 * ```
 */
export function createRecorder(
  fetch: Fetch,
  noteOf: (method: string, params: unknown) => string | undefined,
): Recorder {
  const exchanges = new Map<string, Exchange>()
  return {
    async fetch(url, init) {
      const response = await fetch(url, init)
      const exchange = readExchange(init.body, response.status, await response.clone().text())
      if (exchange === null) return response
      const note = noteOf(exchange.method, exchange.params)
      const call = canonicalCall(exchange.method, exchange.params, '')
      exchanges.set(call, note === undefined ? exchange : { ...exchange, note })
      return response
    },
    exchanges: () => [...exchanges.values()],
  }
}

/** Returns null if the reply is not JSON-RPC. */
function readExchange(request: unknown, status: number, reply: string): Exchange | null {
  const [call, answered] = [parse(request), parse(reply)]
  const method = memberAt(call, 'method')
  const answer = answerIn(answered)
  if (typeof method !== 'string' || answer === null) return null
  return { method, params: memberAt(call, 'params'), status, ...answer }
}

function answerIn(reply: unknown): RpcAnswer | null {
  const error = memberAt(reply, 'error')
  const [code, message] = [memberAt(error, 'code'), memberAt(error, 'message')]
  if (typeof code === 'number' && typeof message === 'string')
    return { error: { code, message, data: memberAt(error, 'data') } }
  return memberAt(reply, 'result') === undefined ? null : { result: memberAt(reply, 'result') }
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return null
  }
}

if (import.meta.main) await record()

async function record(): Promise<void> {
  const { rpc, feedRegistry, attestationRegistry, out } = new Command('record')
    .description('Records what a node answers about the two registries, for startRecordedNode to replay.')
    .requiredOption('--rpc <url>', 'JSON-RPC URL of the node')
    .requiredOption('--feed-registry <hash>', 'package hash of the FeedRegistry')
    .requiredOption('--attestation-registry <hash>', 'package hash of the AttestationRegistry')
    .requiredOption('--out <file>', 'where to write, one exchange a line')
    .parse()
    .opts<{ rpc: string; feedRegistry: string; attestationRegistry: string; out: string }>()
  try {
    const exchanges = await recordChain({
      rpcUrl: rpc,
      feedRegistryPackageHash: feedRegistry,
      attestationRegistryPackageHash: attestationRegistry,
    })
    await Bun.write(out, exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join(''))
    process.stdout.write(`${exchanges.length} exchanges recorded in ${out}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
