import { assertOptions, assertType, type Fetch, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import type { RpcCallEvent, RpcRejection } from '@wattfeed/casper'
import type { CheckpointStore } from '@wattfeed/casper/light-client'
import type { AbsenceEvent } from './absences.ts'
import { assertCount, assertDuration, assertVerify, parseHttpUrl, parsePackageHash } from './argument.ts'
import { casperTest } from './networks.ts'
import type { VerifyLevel } from './verification.ts'

/** The cached feeds were updated to a new state root. */
export interface AdvanceEvent {
  /** 64 hex digits. */
  stateRootHash: string
  /** Number of new events that changed a feed; null if every feed was read again. */
  changes: number | null
  /** Number of registered feeds. */
  feeds: number
  /** Number of feeds that are left out because they do not decode. */
  undecodable: number
}

/**
 * Options of {@link createClient}. All are optional.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 *
 * const client = createClient({
 *   rpcUrls: ['http://127.0.0.1:11101/rpc'],
 *   chainName: 'casper-devnet',
 *   feedRegistryPackageHash: '11'.repeat(32),
 *   attestationRegistryPackageHash: '22'.repeat(32),
 * })
 * ```
 */
export interface ClientOptions {
  /**
   * JSON-RPC URLs of one or more nodes. A call goes to the node that answered last; if it fails, to the next one.
   * @default casperTest.rpcUrls
   */
  rpcUrls?: readonly string[]
  /**
   * The whole `Authorization` header for the nodes that need another one than user and password in their URL, such as a bare token.
   * By the host of their URL, with its port if it has one: `{ 'node.example.com': 'a1b2c3' }`. Nodes at other hosts do not get it.
   * @default none
   */
  rpcAuthorization?: Readonly<Record<string, string>>
  /**
   * Name of the chain. Nodes of another chain are rejected. A chain other than the default needs both package hashes.
   * @default 'casper-test'
   */
  chainName?: string
  /**
   * Package hash of the FeedRegistry: 64 hex digits, with or without `hash-`.
   * @default casperTest.feedRegistryPackageHash
   */
  feedRegistryPackageHash?: string
  /**
   * Package hash of the AttestationRegistry: 64 hex digits, with or without `hash-`.
   * @default casperTest.attestationRegistryPackageHash
   */
  attestationRegistryPackageHash?: string
  /**
   * Timeout of one attempt to call a node, in milliseconds.
   * @default 4000
   */
  timeoutMs?: number
  /**
   * Timeout of one read with all its attempts, in milliseconds.
   * @default 10000
   */
  deadlineMs?: number
  /**
   * Maximum `Retry-After` of a node, in milliseconds; longer ones are cut. If all nodes send one, they are still tried from
   * time to time.
   * @default 30000
   */
  retryAfterMaxMs?: number
  /**
   * Maximum number of calls in flight.
   * @default 128
   */
  concurrency?: number
  /**
   * Maximum age of a state root that a read may reuse, in milliseconds. With 0, every read requests the newest one.
   * @default 0
   */
  maxStalenessMs?: number
  /**
   * Verification level of the nodes' answers. `full` requires {@link ClientOptions.trustedBlockHash}.
   * @default 'off'
   */
  verify?: VerifyLevel
  /**
   * The block hash that `verify: 'full'` starts from: 64 hex digits of a switch block, which is the last block of an era.
   * Take it from a source that you trust.
   */
  trustedBlockHash?: string
  /**
   * Maximum age of the newest block, in milliseconds. A node that serves an older one is rejected, because it may hide
   * new blocks.
   * @default 300000
   */
  maxHeadAgeMs?: number
  /**
   * Whether an absent value is an error unless its absence is proven. By default, two nodes must agree on it if there is no
   * proof. Requires `verify: 'proofs'` or `'full'`.
   * @default false
   */
  requireAbsenceProof?: boolean
  /** Stores the progress of `verify: 'full'`, so that the next start resumes there. */
  checkpoint?: CheckpointStore
  /**
   * Function for HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: Fetch
  /** Callbacks for metrics and logs. They must not throw. */
  observe?: {
    /** Called after each attempt to call a node. */
    rpcCall?: (event: RpcCallEvent) => void
    /** Called when a node's answer is rejected. */
    rejected?: (event: RpcRejection) => void
    /** Called when the cached feeds are updated to a new state root. */
    advance?: (event: AdvanceEvent) => void
    /** Called when the absence of a value was shown, at `verify: 'proofs'` or `'full'`. */
    absence?: (event: AbsenceEvent) => void
    /** Called when the checkpoint cannot be saved; not again before a save succeeds. */
    checkpointFailed?: (error: unknown) => void
    /** Called with each protocol version of the network, such as `2.2.2`, when it is first read: at the start, and after an upgrade. */
    protocolVersion?: (version: string) => void
  }
}

const optionNames: OptionNames<ClientOptions> = {
  rpcUrls: 1,
  rpcAuthorization: 1,
  chainName: 1,
  feedRegistryPackageHash: 1,
  attestationRegistryPackageHash: 1,
  timeoutMs: 1,
  deadlineMs: 1,
  retryAfterMaxMs: 1,
  concurrency: 1,
  maxStalenessMs: 1,
  verify: 1,
  trustedBlockHash: 1,
  maxHeadAgeMs: 1,
  requireAbsenceProof: 1,
  checkpoint: 1,
  fetch: 1,
  observe: 1,
}

const listenerNames: OptionNames<NonNullable<ClientOptions['observe']>> = {
  rpcCall: 1,
  rejected: 1,
  advance: 1,
  absence: 1,
  checkpointFailed: 1,
  protocolVersion: 1,
}

/** @throws {@link InvalidArgumentError} for an option or a callback that does not exist. */
export function assertOptionNames(options: ClientOptions): void {
  assertOptions(options, optionNames)
  assertOptions(options.observe ?? {}, listenerNames, 'observe')
}

/**
 * Validates options and adds the defaults.
 *
 * @throws {@link InvalidArgumentError} for the first invalid option.
 */
export function parseClientOptions(options: ClientOptions) {
  assertType('options', options, 'object')
  const { timeoutMs = 4_000, deadlineMs = 10_000, concurrency = 128, maxStalenessMs = 0 } = options
  const { rpcUrls = casperTest.rpcUrls, chainName = casperTest.chainName, observe = {} } = options
  const {
    rpcAuthorization = {},
    retryAfterMaxMs = 30_000,
    fetch = (url, init) => globalThis.fetch(url, init),
  } = options
  assertDuration('timeoutMs', timeoutMs)
  assertDuration('deadlineMs', deadlineMs)
  assertDuration('maxStalenessMs', maxStalenessMs, 0)
  assertCount('concurrency', concurrency)
  assertDuration('retryAfterMaxMs', retryAfterMaxMs, 0)
  if (!Array.isArray(rpcUrls) || rpcUrls.length === 0)
    throw new InvalidArgumentError('rpcUrls', 'a list of at least one URL')
  const parsedUrls = rpcUrls.map((url) => parseHttpUrl('rpcUrls', url))
  assertType('rpcAuthorization', rpcAuthorization, 'object')
  for (const [host, value] of Object.entries(rpcAuthorization)) {
    assertType(`rpcAuthorization.${host}`, value, 'string')
    if (!parsedUrls.some((url) => new URL(url).host === host))
      throw new InvalidArgumentError(`rpcAuthorization.${host}`, 'for a host of rpcUrls')
  }
  assertType('chainName', chainName, 'string')
  assertType('fetch', fetch, 'function')
  assertType('observe', observe, 'object')
  for (const [name, listener] of Object.entries(observe))
    if (listener !== undefined) assertType(`observe.${name}`, listener, 'function')
  return {
    rpcUrls: parsedUrls,
    authorization: rpcAuthorization,
    chainName,
    timeoutMs,
    deadlineMs,
    concurrency,
    maxStalenessMs,
    retryAfterMaxMs,
    observe,
    fetch,
    verification: parseVerification(options),
    packageHashes: parsePackageHashes(options, chainName),
  }
}

function assertCheckpoint(checkpoint: CheckpointStore): void {
  assertType('checkpoint', checkpoint, 'object')
  assertType('checkpoint.load', checkpoint.load, 'function')
  assertType('checkpoint.save', checkpoint.save, 'function')
}

function parseVerification(options: ClientOptions) {
  const { verify = 'off', trustedBlockHash = null, maxHeadAgeMs = 300_000, checkpoint } = options
  const { requireAbsenceProof = false } = options
  assertDuration('maxHeadAgeMs', maxHeadAgeMs)
  if (checkpoint !== undefined) assertCheckpoint(checkpoint)
  assertVerify(verify, trustedBlockHash)
  assertType('requireAbsenceProof', requireAbsenceProof, 'boolean')
  if (requireAbsenceProof && verify === 'off')
    throw new InvalidArgumentError('requireAbsenceProof', "false, or `verify` 'proofs' or 'full'")
  return { verify, trustedBlockHash, maxHeadAgeMs, requireAbsenceProof, checkpoint }
}

function parsePackageHashes(options: ClientOptions, chainName: string) {
  const names = ['feedRegistryPackageHash', 'attestationRegistryPackageHash'] as const
  const missing = names.filter((name) => options[name] === undefined)
  if (missing.length > 0 && chainName !== casperTest.chainName)
    throw new InvalidArgumentError(
      missing.join(' and '),
      `given: the defaults are on ${casperTest.chainName}, not on ${chainName}`,
    )
  const parse = (name: (typeof names)[number]) => {
    const { [name]: hash = casperTest[name] } = options
    return parsePackageHash(name, hash)
  }
  return {
    feedRegistryPackageHash: parse('feedRegistryPackageHash'),
    attestationRegistryPackageHash: parse('attestationRegistryPackageHash'),
  }
}
