import type { CheckpointStore } from '../casper/lightClient/createValidators.ts'
import type { Fetch } from '../casper/rpc/postJson.ts'
import type { RpcCallEvent, RpcRejection } from '../casper/rpc/rpc.ts'
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

/** What is known of every feed moved to a new state root. */
export interface AdvanceEvent {
  stateRootHash: string
  /** How many events that change a feed were new; null if everything was read anew. */
  changes: number | null
  /** Registered feeds. */
  feeds: number
  /** Feeds that the list leaves out, because what is stored of them does not decode. */
  undecodable: number
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
   * The chain's name. A node that names another one is rejected.
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
   * The most that a node which asks for it (`Retry-After`) is left alone for, in milliseconds. Where all nodes ask for
   * it, each is tried once in a while.
   * @default 30000
   */
  retryAfterMaxMs?: number
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
    /** A node's answer was rejected. */
    rejected?: (event: RpcRejection) => void
    advance?: (event: AdvanceEvent) => void
    /** The checkpoint could not be saved: told once, until it can be again. */
    checkpointFailed?: (error: unknown) => void
  }
}

/** Options with their defaults. @throws {InvalidArgumentError} that names the first that breaks a rule. */
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
  for (const [name, tell] of Object.entries(observe))
    if (tell !== undefined) assertType(`observe.${name}`, tell, 'function')
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
