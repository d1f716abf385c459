import { createRpc, type Rpc } from '../casper/rpc.ts'
import type { RegistryName } from '../registry/layout.ts'
import { assertBlockHash, assertFeedId } from './argument.ts'
import { createBelievedChain, createLazyVerifiedChain, type ProvingChain } from './chainSource.ts'
import { type ClientOptions, parseClientOptions } from './clientOptions.ts'
import { withDeadline } from './deadline.ts'
import type { FeedProof } from './feedProof/feedProof.ts'
import { guardReads } from './guardedReads.ts'
import { createHead } from './head.ts'
import type { Reads } from './reads.ts'
import { createRegistry, type Registry } from './registry.ts'
import type { Snapshot } from './snapshot.ts'

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
  const parsed = parseClientOptions(options)
  const { chainName, concurrency, deadlineMs, maxStalenessMs, observe, verification, packageHashes } = parsed
  const rpc = createRpc({
    urls: parsed.rpcUrls,
    chainName,
    fetch: parsed.fetch,
    timeoutMs: parsed.timeoutMs,
    deadlineMs,
    concurrency,
    maxBodyBytes: MAX_BODY_BYTES,
    now: Date.now,
    onCall: (event) => observe.rpcCall?.(event),
    onRejected: (event) => observe.rejected?.(event),
  })
  const proving = createLazyVerifiedChain({
    rpc,
    chainName,
    ...verification,
    ...packageHashes,
    onCheckpointError: (error) => observe.checkpointFailed?.(error),
    now: Date.now,
  })
  const chain = verification.verify === 'off' ? createBelievedChain(rpc) : proving
  const registryOf = (name: RegistryName, packageHash: string): Registry =>
    createRegistry(chain.rpc, name, packageHash, Date.now, chain.lookUpAt)
  const newest = createHead({
    ...chain,
    feedRegistry: registryOf('FeedRegistry', packageHashes.feedRegistryPackageHash),
    attestationRegistry: registryOf('AttestationRegistry', packageHashes.attestationRegistryPackageHash),
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
