import type { CheckpointStore } from '../casper/lightClient/createValidators.ts'
import type { RpcCallEvent } from '../casper/rpc/observed.ts'
import type { Fetch } from '../casper/rpc/postJson.ts'
import type { RpcRejection } from '../casper/rpc/rpc.ts'
import {
  assertCount,
  assertDuration,
  assertType,
  assertVerify,
  InvalidArgumentError,
  parsePackageHash,
  parseRpcUrl,
} from './argument.ts'
import { casperTest } from './networks.ts'
import type { VerifyLevel } from './verification.ts'

/** The known feeds moved to a new state root. */
export interface AdvanceEvent {
  stateRootHash: string
  /** How many new events changed a feed; null if everything was read anew. */
  changes: number | null
  /** Registered feeds. */
  feeds: number
  /** Feeds that the list leaves out because they do not decode. */
  undecodable: number
}

/**
 * Options of a client, all with defaults.
 *
 * @example
 * ```ts
 * const client = createClient({ rpcUrls: ['http://127.0.0.1:11101/rpc'], chainName: 'casper-devnet' })
 * ```
 */
export interface ClientOptions {
  /**
   * JSON-RPC URLs of one or more nodes. A call goes to the node that answered last, and to the next if that fails.
   * @default the public test network's
   */
  rpcUrls?: readonly string[]
  /**
   * The chain's name. Nodes of another chain are rejected.
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
   * Limit for one attempt to call a node, in milliseconds.
   * @default 4000
   */
  timeoutMs?: number
  /**
   * Limit for one read with all its attempts, in milliseconds.
   * @default 10000
   */
  deadlineMs?: number
  /**
   * Limit for a node's `Retry-After`, in milliseconds. If all nodes send one, each is still tried now and then.
   * @default 30000
   */
  retryAfterMaxMs?: number
  /**
   * Maximum number of calls in flight.
   * @default 128
   */
  concurrency?: number
  /**
   * Maximum age of a state root that a read may use without asking for a newer one, in milliseconds.
   * @default 0
   */
  maxStalenessMs?: number
  /**
   * How much of the nodes' answers is checked. `full` needs {@link ClientOptions.trustedBlockHash}.
   * @default 'off'
   */
  verify?: VerifyLevel
  /**
   * For `verify: 'full'`, the block hash that everything is proven from: 64 hex digits of a switch block, the last block
   * of an era. Take it from a source that you trust.
   */
  trustedBlockHash?: string
  /**
   * Maximum age of a verified head, in milliseconds: a node that serves an older one may hide new blocks.
   * @default 300000
   */
  maxHeadAgeMs?: number
  /** Stores how far the chain was verified from the trusted block, so that the next start continues from there. */
  checkpoint?: CheckpointStore
  /**
   * How to make HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: Fetch
  /** Callbacks for metrics and logs. They must not throw. */
  observe?: {
    rpcCall?: (event: RpcCallEvent) => void
    /** A node's answer was rejected. */
    rejected?: (event: RpcRejection) => void
    advance?: (event: AdvanceEvent) => void
    /** The checkpoint could not be saved: called once, until a save succeeds. */
    checkpointFailed?: (error: unknown) => void
  }
}

/** Checks options and adds the defaults. @throws {InvalidArgumentError} naming the first invalid one. */
export function parseClientOptions(options: ClientOptions) {
  assertType('options', options, 'object')
  const { timeoutMs = 4_000, deadlineMs = 10_000, concurrency = 128, maxStalenessMs = 0 } = options
  const { rpcUrls = casperTest.rpcUrls, chainName = casperTest.chainName, observe = {} } = options
  const { retryAfterMaxMs = 30_000, fetch = (url, init) => globalThis.fetch(url, init) } = options
  assertDuration('timeoutMs', timeoutMs)
  assertDuration('deadlineMs', deadlineMs)
  assertDuration('maxStalenessMs', maxStalenessMs, 0)
  assertCount('concurrency', concurrency)
  assertDuration('retryAfterMaxMs', retryAfterMaxMs, 0)
  if (!Array.isArray(rpcUrls) || rpcUrls.length === 0)
    throw new InvalidArgumentError('rpcUrls', 'a list of at least one URL')
  assertType('chainName', chainName, 'string')
  assertType('fetch', fetch, 'function')
  assertType('observe', observe, 'object')
  for (const [name, listener] of Object.entries(observe))
    if (listener !== undefined) assertType(`observe.${name}`, listener, 'function')
  return {
    rpcUrls: rpcUrls.map((url) => parseRpcUrl('rpcUrls', url)),
    chainName,
    timeoutMs,
    deadlineMs,
    concurrency,
    maxStalenessMs,
    retryAfterMaxMs,
    observe,
    fetch,
    verification: parseVerification(options),
    packageHashes: parsePackageHashes(options),
  }
}

function assertCheckpoint(checkpoint: CheckpointStore): void {
  assertType('checkpoint', checkpoint, 'object')
  assertType('checkpoint.load', checkpoint.load, 'function')
  assertType('checkpoint.save', checkpoint.save, 'function')
}

function parseVerification(options: ClientOptions) {
  const { verify = 'off', trustedBlockHash = null, maxHeadAgeMs = 300_000, checkpoint } = options
  assertDuration('maxHeadAgeMs', maxHeadAgeMs)
  if (checkpoint !== undefined) assertCheckpoint(checkpoint)
  assertVerify(verify, trustedBlockHash)
  return { verify, trustedBlockHash, maxHeadAgeMs, checkpoint }
}

function parsePackageHashes({
  feedRegistryPackageHash = casperTest.feedRegistryPackageHash,
  attestationRegistryPackageHash = casperTest.attestationRegistryPackageHash,
}: ClientOptions) {
  return {
    feedRegistryPackageHash: parsePackageHash('feedRegistryPackageHash', feedRegistryPackageHash),
    attestationRegistryPackageHash: parsePackageHash(
      'attestationRegistryPackageHash',
      attestationRegistryPackageHash,
    ),
  }
}
