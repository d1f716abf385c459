import type { Fetch } from '../casper/postJson.ts'
import { createRpc, type Rpc, type RpcCallEvent } from '../casper/rpc.ts'
import {
  assertCount,
  assertDuration,
  InvalidArgumentError,
  parsePackageHash,
  parseRpcUrl,
} from './argument.ts'
import { withDeadline } from './deadline.ts'
import { guardReads } from './guardedReads.ts'
import { createHead } from './head.ts'
import { casperTest } from './networks.ts'
import type { Reads } from './reads.ts'
import { createRegistry } from './registry.ts'
import type { Snapshot } from './snapshot.ts'

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
   * How to make HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: Fetch
  /** Told what happens, for metrics and logs. Must not throw. */
  observe?: {
    rpcCall?: (event: RpcCallEvent) => void
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
  })
  const { feedRegistryPackageHash = casperTest.feedRegistryPackageHash } = options
  const { attestationRegistryPackageHash = casperTest.attestationRegistryPackageHash } = options
  const feedRegistryHash = parsePackageHash('feedRegistryPackageHash', feedRegistryPackageHash)
  const attestationRegistryHash = parsePackageHash(
    'attestationRegistryPackageHash',
    attestationRegistryPackageHash,
  )
  const newest = createHead({
    rpc,
    feedRegistry: createRegistry(rpc, 'FeedRegistry', feedRegistryHash, Date.now),
    attestationRegistry: createRegistry(rpc, 'AttestationRegistry', attestationRegistryHash, Date.now),
    concurrency,
    deadlineMs,
    now: Date.now,
    onAdvance: ({ stateRootHash, changes, entries }) =>
      observe.advance?.({ stateRootHash, changes, feeds: entries.size }),
  })
  return createClientOf({ rpc, newest, deadlineMs, maxStalenessMs })
}

interface ClientParts {
  rpc: Rpc
  newest: () => Promise<Snapshot>
  deadlineMs: number
  maxStalenessMs: number
}

function createClientOf({ rpc, newest, deadlineMs, maxStalenessMs }: ClientParts): Client {
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
    async snapshot() {
      const at = await within(find())
      return { ...at, ...guardReads((read) => within(read(at))) }
    },
  }
}
