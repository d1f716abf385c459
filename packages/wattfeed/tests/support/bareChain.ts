import { hashOf, string, u8, u64, u512 } from '@wattfeed/testing/bytesrepr'
import { createSyntheticAnswers } from 'wattfeed/testing/syntheticAnswers'
import {
  createSyntheticContract,
  type StoredValue,
  type SyntheticContract,
  syntheticAccount,
} from 'wattfeed/testing/syntheticContract'
import { createVersionedStore, type VersionedStore } from 'wattfeed/testing/versionedStore'
import type { ChainInProcess } from './localClient.ts'

/** Two contracts whose fields and events a test writes directly, including invalid ones. */
export interface BareChain extends ChainInProcess {
  feeds: SyntheticContract
  attestations: SyntheticContract
  advance(): string
}

export interface BareChainOptions {
  /** The contracts that have an event log. @default both */
  logs?: { feeds: boolean; attestations: boolean }
  /** Whether the contracts were initialized. @default true */
  init?: boolean
}

/** Creates such a chain with one state root. */
export function createBareChain(options: BareChainOptions = {}): BareChain {
  const { logs = { feeds: true, attestations: true }, init = true } = options
  const roots: string[] = []
  const state = createVersionedStore<StoredValue>(() => roots.length + 1)
  const feeds = createContract('FeedRegistry', state, logs.feeds, ['init', 'register_feed'])
  const attestations = createContract('AttestationRegistry', state, logs.attestations, ['init', 'attest'])
  if (init) for (const contract of [feeds, attestations]) contract.write(1, '', bareAccount)
  const advance = (): string => {
    const root = hashOf(`bare ${roots.length}`)
    roots.push(root)
    return root
  }
  advance()
  return {
    chainName: 'bare',
    feedRegistryPackageHash: feeds.packageHash,
    attestationRegistryPackageHash: attestations.packageHash,
    answer: createSyntheticAnswers({ chainName: 'bare', state, roots, tip: () => roots.length, proof: '' }),
    feeds,
    attestations,
    advance,
  }
}

function createContract(
  name: string,
  store: VersionedStore<StoredValue>,
  hasEventLog: boolean,
  entryPoints: string[],
) {
  return createSyntheticContract({ name: `bare/${name}`, store, hasEventLog, entryPoints })
}

export const bareAccount = syntheticAccount('bare')

/** `bytesrepr` of a feed whose texts are all the same. */
export const bareFeed = (text: string, decimals = 0): string => u8(decimals) + string(text).repeat(6)

/** The result of `readFeed` for it. */
export const readBareFeed = (text: string, decimals = 0) => ({
  decimals,
  unit: text,
  title: text,
  source: text,
  route: text,
  frequency: text,
  description: text,
})

/** Registers a feed as number `index`. */
export function registerBare(chain: BareChain, feedId: string, index: number): void {
  chain.feeds.write(3, u64(index), string(feedId))
  chain.feeds.write(4, '', u64(index + 1))
  chain.feeds.write(2, string(feedId), bareFeed(feedId))
  chain.feeds.emit('FeedRegistered', string(feedId) + u8(0) + string(feedId).repeat(2))
}

/** Stores a value and emits its event, whether or not the feed is registered. The total counts one. */
export function attestBare(chain: BareChain, feedId: string, amount: bigint): void {
  chain.attestations.write(5, '', u64(1))
  const fields = u64(1) + u512(amount) + string('hash')
  chain.attestations.write(2, string(feedId), fields + bareAccount + u64(7))
  chain.attestations.emit('RevenueAttested', string(feedId) + fields + u64(0) + u64(7))
}

/** A chain of these feeds, each with the value 1. */
export function createBareFeeds(ids: readonly string[]): BareChain {
  const chain = createBareChain()
  for (const [index, id] of ids.entries()) {
    registerBare(chain, id, index)
    attestBare(chain, id, 1n)
  }
  return chain
}

/** The expected result of `listReadings` for such a feed and value. */
export const bareReading = (feedId: string, amount: bigint) => ({
  feed_id: feedId,
  ...readBareFeed(feedId),
  value: Number(amount),
  amount,
  period: 1,
  source_hash: 'hash',
  updated_at: 7,
})
