import type { LimitedTime } from '../async/limitTime.ts'
import type { Node } from '../casper/rpc/node.ts'
import { type NewestBlock, readNewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { BackOff } from '../casper/rpc/retried.ts'
import { createRpc, type Rpc } from '../casper/rpc/rpc.ts'
import type { RegistryName } from '../registry/layout.ts'
import { createRegistryContract, type RegistryContract } from '../registry/registryContract.ts'
import { assertFeedId } from './argument.ts'
import { createUnverifiedChain, type RootSource } from './chainSource.ts'
import { type ClientOptions, parseClientOptions } from './clientOptions.ts'
import { type ClientStatus, createClientStatus } from './clientStatus.ts'
import type { FeedProofOptions, KnownOfFeed } from './feedProof/createFeedProof.ts'
import type { FeedProof } from './feedProof/feedProof.ts'
import { createHead } from './head.ts'
import { createLazyVerifiedChain } from './lazyVerifiedChain.ts'
import { guardReads, type ReadOptions, type Reads } from './reads.ts'
import type { Snapshot } from './snapshot.ts'
import type { VerifiedChain } from './verifiedChain.ts'

/** Reads wattfeed's registries, each read at the newest state root. */
export interface Client extends Reads {
  /**
   * Reads a state root by `chain_get_state_root_hash` (shared with all waiting callers) and pins further reads to it.
   *
   * @example
   * ```ts
   * const at = await client.snapshot()
   * console.log(at.stateRootHash, await at.listReadings())
   * ```
   */
  snapshot(options?: ReadOptions): Promise<Snapshot>

  /**
   * Runs several reads on one snapshot, within one deadline.
   *
   * @example
   * ```ts
   * const [value, count] = await client.withSnapshot((at) => Promise.all([at.getValue(id), at.getValueCount(id)]))
   * ```
   */
  withSnapshot<T>(read: (at: Snapshot) => T | Promise<T>, options?: ReadOptions): Promise<T>

  /**
   * Returns what is currently known, without calling a node.
   *
   * @example
   * ```ts
   * const { block } = client.status()
   * if (block && Date.now() - block.timestamp > 60_000) console.warn('the node stands still')
   * ```
   */
  status(): ClientStatus

  /**
   * Returns everything that others need to check a feed's reading offline with `verifyFeedProof`, in the node's own JSON
   * and at every `verify` level; null if the feed is not registered or has no such value.
   *
   * `from` is the hash of a switch block that they trust, of the last 1,000 eras; without it the proof holds only the
   * last switch block.
   *
   * Makes eight calls (`chain_get_block`, `query_global_state`, `state_get_dictionary_item`), and one for each era.
   *
   * @throws {InvalidArgumentError} when `from` is not such a hash, or `index` none.
   *
   * @example
   * ```ts
   * const proof = await client.getFeedProof('EIA.PET.PRICE.WTI.DAILY', { from: trustedBlockHash })
   * ```
   */
  getFeedProof(feedId: string, options?: FeedProofOptions): Promise<FeedProof | null>
}

/**
 * Creates a client that reads the registries straight from Casper nodes, by default on the public test network.
 *
 * Every read asks for the newest state root first, so no answer is older than its call. Calls that wait at the
 * same time share that request; use {@link Client.snapshot} for several reads that must agree with each other.
 *
 * Reads throw a `WattfeedError` if the chain cannot be read within the deadline.
 *
 * @throws {InvalidArgumentError} naming the option.
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
  return connect(options).client
}

/** What a program that also sends shares with its client: one pool of nodes. */
export interface Connection {
  client: Client
  /** Not proven at any level of verification. */
  rpc: Rpc
}

/** Options for this project's programs and tests only. */
export interface ConnectOptions {
  /** Pauses before a failed read is retried. @default 20 ms, doubling up to 400 */
  backOff?: BackOff
  /** Creates the source of state roots that are not verified. @default `chain_get_state_root_hash` */
  rootsOf?: (rpc: Rpc) => RootSource
}

/** Creates a client like {@link createClient}, and returns its RPC client, too. */
export function connect(options: ClientOptions, { backOff, rootsOf }: ConnectOptions = {}): Connection {
  const parsed = parseClientOptions(options)
  const { chainName, concurrency, deadlineMs, maxStalenessMs, observe, verification, packageHashes } = parsed
  const now = () => performance.now()
  const blocks = new Map<Node, NewestBlock>()
  const rpc = createRpc({
    urls: parsed.rpcUrls,
    chainName,
    fetch: parsed.fetch,
    timeoutMs: parsed.timeoutMs,
    deadlineMs,
    concurrency,
    retryAfterMaxMs: parsed.retryAfterMaxMs,
    backOff,
    now,
    onCall: (event) => observe.rpcCall?.(event),
    onRejected: (event) => observe.rejected?.(event),
    onStatus(status, node) {
      const block = readNewestBlock(status)
      if (block) blocks.set(node, block)
    },
  })
  const proving = createLazyVerifiedChain({
    rpc,
    chainName,
    // Users who allow a node's answer more time allow it for verifying its head, too.
    maxCheckMs: Math.max(4_000, parsed.timeoutMs),
    ...verification,
    ...packageHashes,
    onCheckpointError: (error) => observe.checkpointFailed?.(error),
    now: Date.now,
  })
  const chain = verification.verify === 'off' ? createUnverifiedChain(rpc, rootsOf?.(rpc)) : proving
  const registryOf = (name: RegistryName, packageHash: string): RegistryContract =>
    createRegistryContract(chain.state, name, packageHash, now, chain.lookUpAt)
  const { refresh, status } = createClientStatus({
    rpc,
    blocks,
    now,
    wallClock: Date.now,
    head: () => head,
    ...verification,
  })
  const head = createHead({
    ...chain,
    rpc,
    feedRegistry: registryOf('FeedRegistry', packageHashes.feedRegistryPackageHash),
    attestationRegistry: registryOf('AttestationRegistry', packageHashes.attestationRegistryPackageHash),
    concurrency,
    now,
    wallClock: Date.now,
    onRoot: refresh,
    onAdvance({ stateRootHash, changes, entries, undecodable }) {
      observe.advance?.({ stateRootHash, changes, feeds: entries.size, undecodable })
    },
  })
  const recent = (): Snapshot | null => {
    const newest = head.newest()
    return newest !== null && newest.ageMs() < maxStalenessMs ? newest : null
  }
  const knownOf = (feedId: string): KnownOfFeed => {
    const entry = head.feeds()?.entries.get(feedId)
    return { isListed: entry !== undefined, hasValue: (entry?.value ?? null) !== null }
  }
  return { client: createClientOf({ rpc, recent, newest: head.read, proving, knownOf, status }), rpc }
}

interface ClientParts {
  rpc: Rpc
  recent: () => Snapshot | null
  newest: () => Promise<Snapshot>
  proving: Pick<VerifiedChain, 'getFeedProof'>
  knownOf: (feedId: string) => KnownOfFeed
  status: () => ClientStatus
}

function createClientOf({ rpc, recent, newest, proving, knownOf, status }: ClientParts): Client {
  const { within } = rpc
  const find = (at = recent()): Promise<Snapshot> => (at === null ? newest() : Promise.resolve(at))
  const readWithin = <T>(read: (at: Snapshot, time: LimitedTime) => T | Promise<T>, options?: ReadOptions) =>
    within((time) => find().then((at) => read(at, time)), options?.signal)
  return {
    ...guardReads(readWithin),
    withSnapshot: (read, options) => readWithin(read, options),
    status,
    async getFeedProof(feedId, options = {}) {
      assertFeedId(feedId)
      return within(
        ({ signal }) => proving.getFeedProof(feedId, { ...options, signal }, knownOf(feedId)),
        options.signal,
      )
    },
    async snapshot(options) {
      const at = await within(() => find(), options?.signal)
      return {
        ...at,
        ...guardReads((read, options) => within((time) => read(at, time), options?.signal)),
      }
    },
  }
}
