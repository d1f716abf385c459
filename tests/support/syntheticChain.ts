import type { AnswerRpc } from '../../src/devnet/rpcAnswer.ts'
import type { Feed } from '../../src/registry/feed.ts'
import { hashOf } from './bytesrepr.ts'
import { createSyntheticAnswers } from './syntheticAnswers.ts'
import type { StoredValue } from './syntheticContract.ts'
import { createSyntheticRegistries, type SyntheticAttestation } from './syntheticRegistries.ts'
import { createVersionedStore } from './versionedStore.ts'

export interface SyntheticChainOptions {
  /** How many feeds with one value each the first state root holds. @default 0 */
  feeds?: number
  /** @default 'synthetic' */
  chainName?: string
  /** How many bytes stand in for the Merkle proof of every answer (about 7000 on a real chain). @default 0 */
  proofBytes?: number
}

const START_MS = 1_700_000_000_000
const BLOCK_MS = 8_000

/**
 * Two registries on a chain in memory, for what an embedded chain is too slow or too honest for: thousands of feeds, and
 * nodes that execute by a script. Everything on it is invented.
 */
export interface SyntheticChain {
  chainName: string
  /** With `hash-`. */
  feedRegistryPackageHash: string
  /** With `hash-`. */
  attestationRegistryPackageHash: string
  /** Registers a feed, or changes the metadata of one that is registered. */
  register(feedId: string, metadata?: Partial<Feed>): void
  /** Stores a value as the feed's newest. */
  attest(feedId: string, value: Partial<SyntheticAttestation>): void
  /** Makes a block of all that was done since the last one. Returns the new state root hash. */
  advance(): string
  stateRootHash(): string
  /** A node that is up to date. */
  answer: AnswerRpc
}

/**
 * Makes a chain of which every state root stays readable. Changes show after `advance()`.
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

/** Id of the feed that `createSyntheticChain({ feeds })` registers as number `index`. */
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
