import { assertOptions, lazy, type OptionNames } from '@wattfeed/base'
import {
  type BackOff,
  createAgreeingRpc,
  createGlobalState,
  createRpc,
  type GlobalState,
  getStateRootHash,
  type NewestBlock,
  type Node,
  type Rpc,
  readNewestBlock,
  readProtocolVersion,
} from '@wattfeed/casper'
import type { RegistryName } from '../registry/layout.ts'
import { createRegistryContract, type RegistryContract } from '../registry/registryContract.ts'
import { createAbsences } from './absences.ts'
import { assertFeedId, assertReadOptions, readOptionNames } from './argument.ts'
import type { AttestingTransaction } from './attestingTransaction.ts'
import type { ChainSource, RootSource } from './chainSource.ts'
import { assertOptionNames, type ClientOptions, parseClientOptions } from './clientOptions.ts'
import { type ClientStatus, createClientStatus } from './clientStatus.ts'
import { createFeeds, type Feeds } from './feeds/feeds.ts'
import { createHead, type Head } from './head.ts'
import type { FeedAbsenceOptions, FeedProofOptions, KnownOfFeed } from './proof/create/createFeedProof.ts'
import type { FeedAbsence, FeedProof, FeedsProof, HistoryProof } from './proof/feedProof.ts'
import type { ReadOptions, Reads } from './reads.ts'
import { createCheckedReads, type Snapshot } from './snapshot.ts'
import type { VerifiedChain, VerifiedChainOptions } from './verifiedChain.ts'

/** Reads wattfeed's registries. Each read uses the newest state root; use a {@link Snapshot} for reads that must agree. */
export interface Client extends Reads {
  /**
   * Reads the newest state root and returns reads that are pinned to it. Callers that wait at the same time share the
   * call.
   *
   * @example
   * ```ts
   * const at = await client.snapshot()
   * console.log(at.stateRootHash, await at.listReadings())
   * ```
   *
   * @throws {@link WattfeedError} when no node returns a state root before the deadline.
   * @rpc chain_get_state_root_hash, query_global_state
   */
  snapshot(options?: ReadOptions): Promise<Snapshot>

  /**
   * Runs several reads on one snapshot, within one deadline.
   *
   * @example
   * ```ts
   * const id = 'EIA.PET.PRICE.WTI.DAILY'
   * const [value, count] = await client.withSnapshot((at) => Promise.all([at.getValue(id), at.getValueCount(id)]))
   * ```
   *
   * @param read - receives the snapshot
   * @returns The result of `read`.
   * @throws {@link DeadlineError} when the reads do not finish within `deadlineMs`.
   * @throws Whatever `read` throws.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  withSnapshot<T>(read: (at: Snapshot) => T | Promise<T>, options?: ReadOptions): Promise<T>

  /**
   * Returns the newest block and the number of feeds that the client knows, without calling a node.
   *
   * @example
   * ```ts
   * const { block } = client.status()
   * if (block && Date.now() - block.timestamp > 60_000) console.warn('no new block for a minute')
   * ```
   */
  status(): ClientStatus

  /**
   * Returns a proof of a feed's reading, which anyone can check offline with {@link verifyFeedProof}. It holds the node's
   * own JSON. It is verified at every `verify` level.
   *
   * Makes nine calls, and one more for each era since `from`. With `attester`, it makes two more.
   *
   * @example
   * ```ts
   * const proof = await client.getFeedProof('EIA.PET.PRICE.WTI.DAILY', { from: trustedBlockHash })
   * ```
   *
   * @returns Null if the id is not registered, or the feed has no such value.
   * @throws {@link InvalidArgumentError} when `from` is not the hash of a switch block of the last 1,000 eras, or `index`
   * is not an index.
   * @throws {@link VerificationError} when no node proves its head from `from`.
   * @throws {@link ProofBusyError} when another proof's switch blocks are still being fetched.
   * @throws {@link UnsupportedAccountError} with `attester`, when the chain stores the account as an addressable entity.
   * @rpc chain_get_block, query_global_state, state_get_dictionary_item
   */
  getFeedProof(feedId: string, options?: FeedProofOptions): Promise<FeedProof | null>

  /**
   * Returns a proof that a feed is not registered, or has no value, which anyone can check offline with
   * {@link verifyFeedProof}. It is verified at every `verify` level.
   *
   * The evidence is a Merkle proof that is already at hand, or the elements of the state's trie, from a node that allows
   * `state_get_trie`. Otherwise it is all ids of the FeedRegistry, which every node serves.
   *
   * @example
   * ```ts
   * const absence = await client.getFeedAbsence('NO.SUCH.FEED', { from: trustedBlockHash })
   * ```
   *
   * @returns Null if there is no evidence.
   * @throws The errors of {@link Client.getFeedProof}.
   * @rpc chain_get_block, query_global_state, state_get_dictionary_item, state_get_trie
   */
  getFeedAbsence(feedId: string, options?: FeedAbsenceOptions): Promise<FeedAbsence | null>

  /**
   * Returns a proof of the ids of all feeds, which anyone can check offline with {@link verifyFeedProof}. It shows that the
   * list is complete as of one final block. It is verified at every `verify` level.
   *
   * Makes a call for each feed, at most 1,000, four more, and one for each era since `from`.
   *
   * @example
   * ```ts
   * const proof = await client.getFeedsProof({ from: trustedBlockHash })
   * console.log(proof.feed_count, proof.feed_ids)
   * ```
   *
   * @throws {@link InvalidArgumentError} when there are more than 1,000 feeds, or `from` is invalid.
   * @throws The other errors of {@link Client.getFeedProof}.
   * @rpc chain_get_block, query_global_state, state_get_dictionary_item
   */
  getFeedsProof(options?: FeedAbsenceOptions): Promise<FeedsProof>

  /**
   * Returns a proof of all values of a feed, which anyone can check offline with {@link verifyFeedProof}. It shows that the
   * history is complete as of one final block. It is verified at every `verify` level.
   *
   * Makes a call for each value, at most 1,000, four more, and one for each era since `from`.
   *
   * @example
   * ```ts
   * const proof = await client.getHistoryProof('EIA.PET.PRICE.WTI.DAILY', { from: trustedBlockHash })
   * console.log(proof?.count, proof?.values)
   * ```
   *
   * @returns Null if the id is not registered, or the feed has no value.
   * @throws {@link InvalidArgumentError} when there are more than 1,000 values, or `from` is invalid.
   * @throws The other errors of {@link Client.getFeedProof}.
   * @rpc chain_get_block, query_global_state, state_get_dictionary_item
   */
  getHistoryProof(feedId: string, options?: FeedAbsenceOptions): Promise<HistoryProof | null>

  /**
   * Returns the transaction that attested a value, with the keys that signed it. Finds the block by the time of the value, in at
   * most 40 calls, and reads the transactions of the block. Reads the account of the attester as of that block, so that each
   * key has its weight.
   *
   * @example
   * ```ts
   * const found = await client.getTransaction('EIA.PET.PRICE.WTI.DAILY', 0)
   * console.log(found?.transactionHash, found?.signers.length)
   * ```
   *
   * @param index - place in the feed's history, from 0 (oldest)
   * @returns Null past the end, or if the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate, or `index` is not an index.
   * @throws {@link TransactionNotFoundError} when a contract attested the value, or no block has its time.
   * @rpc state_get_dictionary_item, chain_get_block, info_get_transaction, query_global_state
   */
  getTransaction(feedId: string, index: number, options?: ReadOptions): Promise<AttestingTransaction | null>
}

/**
 * Creates a client that reads the registries directly from Casper nodes, by default on the public test network.
 *
 * Every read first requests the newest state root, so an answer is never older than its call. Reads that wait at the same
 * time share that request. Use {@link Client.snapshot} for reads that must agree with each other.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 *
 * const client = createClient()
 * const reading = await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * if (reading) console.log(reading.value, reading.unit, reading.period)
 * ```
 *
 * @throws {@link InvalidArgumentError} when an option is invalid; `argument` names it.
 */
export function createClient(options: ClientOptions = {}): Client {
  assertOptionNames(options)
  return connect(options).client
}

/** A client, and the pool of nodes that it shares with a program that also sends transactions. */
export interface Connection {
  client: Client
  /** Its answers are not verified, at any `verify` level. */
  rpc: Rpc
  /** Returns the last state root, and the node that served it; null before the first. */
  lastRoot: Head['root']
}

/**
 * Creates a client like {@link createClient}, and returns its RPC client, too. Only this project's programs and tests give the
 * second argument.
 */
export function connect(
  options: ClientOptions,
  {
    backOff,
    rootsOf,
  }: {
    /** Pauses before a failed read is retried. @default 20 ms, doubling up to 400 */
    backOff?: BackOff
    /** Creates the source of state roots that are not verified. @default `chain_get_state_root_hash` */
    rootsOf?: (rpc: Rpc) => RootSource
  } = {},
): Connection {
  const parsed = parseClientOptions(options)
  const { chainName, concurrency, maxStalenessMs, observe, verification, packageHashes } = parsed
  const now = () => performance.now()
  const wallClock = Date.now
  const { rpc, blocks, versions } = connectNodes(parsed, backOff, now)
  const proving = createLazyVerifiedChain({
    rpc,
    chainName,
    // A longer timeout for a call also applies to verifying a head.
    maxCheckMs: Math.max(4_000, parsed.timeoutMs),
    ...verification,
    ...packageHashes,
    onCheckpointError: (error) => observe.checkpointFailed?.(error),
    absences: createAbsences(verification.requireAbsenceProof, observe.absence),
    now: wallClock,
    monotonic: now,
  })
  const chain = verification.verify === 'off' ? createUnverifiedChain(rpc, rootsOf?.(rpc)) : proving
  const { state, absences, getRoot } = chain
  const registryOf = (name: RegistryName, packageHash: string): RegistryContract =>
    createRegistryContract(state, name, packageHash, now, chain.lookUpAt)
  const { feedRegistryPackageHash, attestationRegistryPackageHash: packageHash } = packageHashes
  const source = {
    rpc,
    state,
    feedRegistry: registryOf('FeedRegistry', feedRegistryPackageHash),
    attestationRegistry: registryOf('AttestationRegistry', packageHash),
    concurrency,
    now,
    wallClock,
  }
  const feeds = createFeeds({
    ...source,
    onAdvance({ stateRootHash, changes, entries, undecodable }) {
      observe.advance?.({ stateRootHash, changes, feeds: entries.size, undecodable })
    },
  })
  const head = createHead({ ...source, getRoot, absences, feeds })
  const { refresh, status } = createClientStatus({
    rpc,
    blocks,
    versions,
    observe,
    head,
    feeds,
    absences,
    now,
    wallClock,
    ...verification,
  })
  /** Returns a snapshot of the newest root, or of a recent one. */
  async function find(): Promise<Snapshot> {
    const known = head.newest()
    if (known !== null && known.ageMs() < maxStalenessMs) return known
    const newest = await head.read()
    refresh()
    return newest
  }
  return {
    client: createClientOf({ rpc, state, packageHash, find, feeds, proving, status }),
    rpc,
    lastRoot: head.root,
  }
}

/** Creates the pool of nodes, and maps of the newest block and the protocol version that each node reported. */
function connectNodes(
  {
    rpcUrls: urls,
    observe,
    maxStalenessMs,
    verification,
    packageHashes,
    ...options
  }: ReturnType<typeof parseClientOptions>,
  backOff: BackOff | undefined,
  now: () => number,
) {
  const blocks = new Map<Node, NewestBlock>()
  const versions = new Map<Node, string | null>()
  const rpc = createRpc({
    ...options,
    urls,
    backOff,
    now,
    onCall: (event) => observe.rpcCall?.(event),
    onRejected: (event) => observe.rejected?.(event),
    onStatus(status, node) {
      const block = readNewestBlock(status)
      if (block) blocks.set(node, block)
      versions.set(node, readProtocolVersion(status))
    },
  })
  return { rpc, blocks, versions }
}

const absenceOptionNames: OptionNames<FeedAbsenceOptions> = { ...readOptionNames, from: 1 }

const proofOptionNames: OptionNames<FeedProofOptions> = { ...absenceOptionNames, index: 1, attester: 1 }

interface ClientParts {
  rpc: Rpc
  state: GlobalState
  /** Package hash of the AttestationRegistry. */
  packageHash: string
  /** Returns a snapshot of the newest root, or of a recent one. */
  find: () => Promise<Snapshot>
  feeds: Pick<Feeds, 'newest'>
  proving: Pick<LazyVerifiedChain, 'load'>
  status: () => ClientStatus
}

function createClientOf({ rpc, state, packageHash, find, feeds, proving, status }: ClientParts): Client {
  const { within } = rpc
  const knownOf = (feedId: string): KnownOfFeed => {
    const entry = feeds.newest()?.entries.get(feedId)
    return { isListed: entry !== undefined, hasValue: (entry?.value ?? null) !== null }
  }
  const prove = async <Options extends FeedAbsenceOptions, T>(
    names: OptionNames<Options>,
    read: (chain: VerifiedChain, options: Options) => Promise<T>,
    options: Options,
  ) => {
    assertOptions(options, names)
    return within(async ({ signal }) => read(await proving.load(), { ...options, signal }), options.signal)
  }
  /** Each read finds its snapshot and runs within one deadline. */
  const readsOf = (findSnapshot: () => Snapshot | Promise<Snapshot>): Reads =>
    createCheckedReads((read, options) =>
      within(async (time) => read(await findSnapshot(), time), options?.signal),
    )
  return {
    ...readsOf(find),
    async withSnapshot(read, options) {
      assertReadOptions(options)
      return within(async () => read(await find()), options?.signal)
    },
    async snapshot(options) {
      assertReadOptions(options)
      const at = await within(find, options?.signal)
      return { ...at, ...readsOf(() => at) }
    },
    status,
    async getFeedProof(feedId, options = {}) {
      assertFeedId(feedId)
      const read = (chain: VerifiedChain, asked: FeedProofOptions) =>
        chain.getFeedProof(feedId, asked, knownOf(feedId))
      return prove(proofOptionNames, read, options)
    },
    async getTransaction(feedId, index, options) {
      assertReadOptions(options)
      // Loaded on demand, because most programs do not need it.
      const { getAttestingTransaction } = await import('./attestingTransaction.ts')
      return within(
        ({ signal }) => getAttestingTransaction(rpc, find, { state, feedId, index, packageHash, signal }),
        options?.signal,
      )
    },
    async getFeedAbsence(feedId, options = {}) {
      assertFeedId(feedId)
      const read = (chain: VerifiedChain, asked: FeedAbsenceOptions) =>
        chain.getFeedAbsence(feedId, asked, knownOf(feedId))
      return prove(absenceOptionNames, read, options)
    },
    async getHistoryProof(feedId, options = {}) {
      assertFeedId(feedId)
      const read = (chain: VerifiedChain, asked: FeedAbsenceOptions) =>
        chain.getHistoryProof(feedId, asked, knownOf(feedId))
      return prove(absenceOptionNames, read, options)
    },
    getFeedsProof: (options = {}) =>
      prove(absenceOptionNames, (chain, asked) => chain.getFeedsProof(asked), options),
  }
}

/** Creates a source that trusts the answering node. Only absence needs a second node, if one answers within a second. */
function createUnverifiedChain(
  rpc: Rpc,
  getRoot: RootSource = async (signal) => ({ ...(await getStateRootHash(rpc, signal)), verification: null }),
): ChainSource {
  return {
    state: createGlobalState(createAgreeingRpc(rpc, { isTrusting: true })),
    absences: null,
    lookUpAt: 'newest',
    getRoot,
  }
}

/** A {@link VerifiedChain} that loads the verifying code with the first read. */
interface LazyVerifiedChain extends ChainSource {
  load(): Promise<VerifiedChain>
}

function createLazyVerifiedChain(options: VerifiedChainOptions): LazyVerifiedChain {
  const load = lazy(async () => (await import('./verifiedChain.ts')).createVerifiedChain(options))
  const state: GlobalState = {
    isProven: true,
    query: async (request) => (await load()).state.query(request),
    item: async (request) => (await load()).state.item(request),
  }
  return {
    state,
    absences: options.absences,
    lookUpAt: 'root',
    getRoot: async (signal) => (await load()).getRoot(signal),
    load,
  }
}
