import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import type { Feed } from '../../src/registry/feed.ts'
import { createSyntheticAnswers } from './syntheticAnswers.ts'
import type { StoredValue } from './syntheticContract.ts'
import { createSyntheticRegistries, type SyntheticAttestation } from './syntheticRegistries.ts'
import { createVersionedStore } from './versionedStore.ts'

export interface SyntheticChainOptions {
  /** Number of feeds, with one value each, at the first state root. @default 0 */
  feeds?: number
  /** @default 'synthetic' */
  chainName?: string
  /** Length of the placeholder for Merkle proofs (about 7000 on a real chain). @default 0 */
  proofBytes?: number
}

const START_MS = 1_700_000_000_000
const BLOCK_MS = 8_000

/**
 * Both registries on a made-up chain in memory, for tests with thousands of feeds, for which an embedded chain is too slow.
 */
export interface SyntheticChain {
  chainName: string
  /** With `hash-`. */
  feedRegistryPackageHash: string
  /** With `hash-`. */
  attestationRegistryPackageHash: string
  /** Registers a feed, or changes its metadata. */
  register(feedId: string, metadata?: Partial<Feed>): void
  /** Stores a value as the feed's newest. */
  attest(feedId: string, value: Partial<SyntheticAttestation>): void
  /** Makes a block of all pending changes and returns the new state root hash. */
  advance(): string
  stateRootHash(): string
  /** An up-to-date node. */
  answer: AnswerRpc
}

/**
 * Creates a chain whose changes take effect with `advance()`. Every state root stays readable.
 *
 * @example
 * ```ts
 * const chain = createSyntheticChain({ feeds: 3 })
 * chain.attest(syntheticFeedId(2), { amount: 5n })
 * chain.advance()
 * ```
 */
export function createSyntheticChain(options: SyntheticChainOptions = {}): SyntheticChain {
  const { feeds = 0, chainName = 'synthetic', proofBytes = 0 } = options
  const roots: string[] = []
  const unpublished = (): number => roots.length + 1
  const state = createVersionedStore<StoredValue>(unpublished)
  const metadata = new Map<string, Feed>()
  const registries = createSyntheticRegistries(chainName, state)
  const blockTime = (version: number): number => START_MS + version * BLOCK_MS
  const shared = { chainName, state, roots, proof: '00'.repeat(proofBytes), blockTime }

  const chain: SyntheticChain = {
    chainName,
    ...registries.packageHashes,
    register(feedId, changes = {}) {
      const feed = { ...(metadata.get(feedId) ?? inventedFeed(feedId)), ...changes }
      metadata.set(feedId, feed)
      registries.register(feedId, feed)
    },
    attest(feedId, changes) {
      const attestation = {
        ...inventedAttestation(feedId, unpublished()),
        timestamp: blockTime(unpublished()),
        ...changes,
      }
      registries.attest(feedId, attestation)
    },
    advance() {
      roots.push(hashOf(`${chainName}/state root ${unpublished()}`))
      return chain.stateRootHash()
    },
    stateRootHash: () => roots.at(-1) ?? '',
    answer: createSyntheticAnswers({ ...shared, tip: () => roots.length }),
  }
  for (let index = 0; index < feeds; index++) {
    chain.register(syntheticFeedId(index))
    chain.attest(syntheticFeedId(index), { amount: BigInt(index) * 1_000_003n })
  }
  chain.advance()
  return chain
}

/** Returns the id of feed number `index` of `createSyntheticChain({ feeds })`. */
export const syntheticFeedId = (index: number): string => `SYNTHETIC.${index}`

const inventedFeed = (feedId: string): Feed => ({
  decimals: 6,
  unit: '$/unit',
  title: `Synthetic feed ${feedId}`,
  source: 'invented',
  route: 'synthetic/feed',
  frequency: 'daily',
  description: 'An invented feed that no agency publishes',
})

const inventedAttestation = (feedId: string, height: number): Omit<SyntheticAttestation, 'timestamp'> => ({
  period: 20261120,
  amount: 1_000_000n,
  source_hash: hashOf(`${feedId} ${height}`).slice(0, 32),
})
