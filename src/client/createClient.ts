import type { CheckpointStore } from '../casper/lightClient/checkpoint.ts'
import type { Fetch } from '../casper/postJson.ts'
import { createRpc, type Rpc, type RpcCallEvent, type RpcRejection } from '../casper/rpc.ts'
import type { RegistryName } from '../registry/layout.ts'
import {
  assertBlockHash,
  assertCount,
  assertDuration,
  assertFeedId,
  assertVerify,
  InvalidArgumentError,
  parsePackageHash,
  parseRpcUrl,
} from './argument.ts'
import { createBelievedChain, createLazyVerifiedChain, type ProvingChain } from './chainSource.ts'
import { withDeadline } from './deadline.ts'
import type { FeedProof } from './feedProof/feedProof.ts'
import { guardReads } from './guardedReads.ts'
import { createHead } from './head.ts'
import { casperTest } from './networks.ts'
import type { Reads } from './reads.ts'
import { createRegistry, type Registry } from './registry.ts'
import type { Snapshot } from './snapshot.ts'
import type { VerifyLevel } from './verification.ts'

/** What is known of every feed moved to a new state root. */
export interface AdvanceEvent {
  stateRootHash: string
  /** How many events that change a feed were new; null where everything was read anew. */
  changes: number | null
  /** Registered feeds. */
  feeds: number
}

/**
 * What a client reads and how; every option has a default.
 *
 * @example
 * ```ts
 * const client = createClient({ rpcUrls: ['http://127.0.0.1:11101/rpc'], chainName: 'casper-devnet' })
 * ```
 */
export interface ClientOptions {
  /**
   * JSON-RPC URLs of one node or several. A call goes to the node that answered last, and on to the next where
   * that fails.
   * @default the public test network's
   */
  rpcUrls?: readonly string[]
  /**
   * The chain's name. A node that names another one is not believed.
   * @default 'casper-test'
   */
  chainName?: string
  /**
   * 64 hex digits, with or without `hash-`.
   * @default the public test network's
   */
  feedRegistryPackageHash?: string
  /**
   * 64 hex digits, with or without `hash-`.
   * @default the public test network's
   */
  attestationRegistryPackageHash?: string
  /**
   * The longest that one attempt to call a node may take, in milliseconds.
   * @default 4000
   */
  timeoutMs?: number
  /**
   * The longest that one read may take with all its attempts, in milliseconds.
   * @default 10000
   */
  deadlineMs?: number
  /**
   * How many calls may be under way at once.
   * @default 128
   */
  concurrency?: number
  /**
   * How old a state root may be for a read to use it without asking for a newer one, in milliseconds.
   * @default 0
   */
  maxStalenessMs?: number
  /**
   * How much of what nodes say is checked. `full` needs {@link ClientOptions.trustedBlockHash}.
   * @default 'off'
   */
  verify?: VerifyLevel
  /**
   * The block hash that everything is proven from, for `verify: 'full'`: 64 hex digits of a switch block, the last
   * block of an era. Take it from a source that you trust.
   */
  trustedBlockHash?: string
  /**
   * A verified head that is older is refused, in milliseconds: a node may hide new blocks.
   * @default 300000
   */
  maxHeadAgeMs?: number
  /** Keeps how far the way from the trusted block was verified, so that the next start goes on from there. */
  checkpoint?: CheckpointStore
  /**
   * How to make HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: Fetch
  /** Told what happens, for metrics and logs. Must not throw. */
  observe?: {
    rpcCall?: (event: RpcCallEvent) => void
    /** A node's answer was not believed. */
    rejected?: (event: RpcRejection) => void
    advance?: (event: AdvanceEvent) => void
  }
}

/** Reads wattfeed's registries, each read at the newest state root. */
export interface Client extends Reads {
  /**
   * Asks for a state root (shared with every caller that waits) and pins all further reads to it, over
   * `chain_get_state_root_hash`.
   *
   * @example
   * ```ts
   * const at = await client.snapshot()
   * console.log(at.stateRootHash, await at.listReadings())
   * ```
   */
  snapshot(): Promise<Snapshot>

  /**
   * Runs some reads on one snapshot, all of them together within one deadline.
   *
   * @example
   * ```ts
   * const [value, count] = await client.withSnapshot((at) => Promise.all([at.getValue(id), at.getValueCount(id)]))
   * ```
   */
  withSnapshot<T>(read: (at: Snapshot) => Promise<T>): Promise<T>

  /**
   * Everything that someone else needs to check a feed's reading without asking anyone, at every `verify` level, in
   * the node's own JSON; null where the feed is not registered or has no value. `verifyFeedProof` checks it.
   *
   * `from` is the hash of a switch block that they trust, of the last 1,000 eras; without it the proof holds only the
   * last switch block. Throws an `InvalidArgumentError` where `from` is no such hash.
   *
   * Over `chain_get_block`, `query_global_state` and `state_get_dictionary_item`: eight calls, and one for each era.
   *
   * @example
   * ```ts
   * const proof = await client.getFeedProof('EIA.PET.PRICE.WTI.DAILY', { from: trustedBlockHash })
   * ```
   */
  getFeedProof(feedId: string, options?: { from?: string | null }): Promise<FeedProof | null>
}

const MAX_BODY_BYTES = 10 * 1024 * 1024

/**
 * Creates a client that reads the registries straight from Casper nodes, by default on the public test network.
 *
 * Every read asks for the newest state root first, so no answer is older than its call. Calls that wait at the
 * same time share that request; use {@link Client.snapshot} for several reads that must agree with each other.
 *
 * Throws an `InvalidArgumentError` that names the option. Reads throw a `WattfeedError` where the chain cannot be
 * read within the deadline.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 *
 * const client = createClient()
 * const reading = await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * if (reading) console.log(reading.value, reading.unit, reading.period)
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const { timeoutMs = 4_000, deadlineMs = 10_000, concurrency = 128, maxStalenessMs = 0 } = options
  const { rpcUrls = casperTest.rpcUrls, chainName = casperTest.chainName, observe = {} } = options
  assertDuration('timeoutMs', timeoutMs)
  assertDuration('deadlineMs', deadlineMs)
  assertDuration('maxStalenessMs', maxStalenessMs, 0)
  assertCount('concurrency', concurrency)
  if (rpcUrls.length === 0) throw new InvalidArgumentError('rpcUrls', 'a list of at least one URL')
  const rpc = createRpc({
    urls: rpcUrls.map((url) => parseRpcUrl('rpcUrls', url)),
    chainName,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs,
    deadlineMs,
    concurrency,
    maxBodyBytes: MAX_BODY_BYTES,
    now: Date.now,
    onCall: (event) => observe.rpcCall?.(event),
    onRejected: (event) => observe.rejected?.(event),
  })
  const { verify = 'off', trustedBlockHash = null, maxHeadAgeMs = 300_000, checkpoint } = options
  assertDuration('maxHeadAgeMs', maxHeadAgeMs)
  assertVerify(verify, trustedBlockHash)
  const { feedRegistryPackageHash = casperTest.feedRegistryPackageHash } = options
  const { attestationRegistryPackageHash = casperTest.attestationRegistryPackageHash } = options
  const feedRegistryHash = parsePackageHash('feedRegistryPackageHash', feedRegistryPackageHash)
  const attestationRegistryHash = parsePackageHash(
    'attestationRegistryPackageHash',
    attestationRegistryPackageHash,
  )
  const proving = createLazyVerifiedChain({
    rpc,
    chainName,
    verify,
    trustedBlockHash,
    maxHeadAgeMs,
    checkpoint,
    feedRegistryPackageHash: feedRegistryHash,
    attestationRegistryPackageHash: attestationRegistryHash,
    now: Date.now,
  })
  const chain = verify === 'off' ? createBelievedChain(rpc) : proving
  const registryOf = (name: RegistryName, packageHash: string): Registry =>
    createRegistry(chain.rpc, name, packageHash, Date.now, chain.lookUpAt)
  const newest = createHead({
    ...chain,
    feedRegistry: registryOf('FeedRegistry', feedRegistryHash),
    attestationRegistry: registryOf('AttestationRegistry', attestationRegistryHash),
    concurrency,
    deadlineMs,
    now: Date.now,
    onAdvance: ({ stateRootHash, changes, entries }) =>
      observe.advance?.({ stateRootHash, changes, feeds: entries.size }),
  })
  return createClientOf({ rpc, newest, proving, deadlineMs, maxStalenessMs })
}

interface ClientParts {
  rpc: Rpc
  newest: () => Promise<Snapshot>
  proving: Pick<ProvingChain, 'getFeedProof'>
  deadlineMs: number
  maxStalenessMs: number
}

function createClientOf({ rpc, newest, proving, deadlineMs, maxStalenessMs }: ClientParts): Client {
  let last: Snapshot | null = null

  async function find(): Promise<Snapshot> {
    if (last && Date.now() - last.fetchedAt < maxStalenessMs) return last
    const found = await newest()
    if (last === null || last.fetchedAt < found.fetchedAt) last = found
    return found
  }

  const within = <T>(work: Promise<T>) => withDeadline(work, deadlineMs, rpc.trouble)
  const withSnapshot = <T>(read: (at: Snapshot) => Promise<T>) => within(find().then(read))
  return {
    ...guardReads(withSnapshot),
    withSnapshot,
    async getFeedProof(feedId, { from = null } = {}) {
      assertFeedId(feedId)
      if (from !== null) assertBlockHash('from', from)
      return within(proving.getFeedProof(feedId, from))
    },
    async snapshot() {
      const at = await within(find())
      return { ...at, ...guardReads((read) => within(read(at))) }
    },
  }
}
