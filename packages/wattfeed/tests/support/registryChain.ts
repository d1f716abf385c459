import type { Signer } from '@wattfeed/casper/transaction'
import { clAddress } from '@wattfeed/casper/types'
import { type AnswerRpc, createDevnet, type Devnet } from '@wattfeed/casper-devnet'
import { nodeOf } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { type Call, createSender, type Sender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { attestArguments, registerArguments } from '../../src/registry/calls.ts'
import type { Feed } from '../../src/registry/feed.ts'
import type { Reading } from '../../src/registry/reading.ts'
import { installRegistries, type Packages } from './installRegistries.ts'
import { upgradeContract } from './upgradeContract.ts'

export interface RegistryChainOptions {
  /** Number of feeds, with one value each, at the first state root. @default 0 */
  feeds?: number
  /** @default 'test-net' */
  chainName?: string
  /**
   * Start time after installation, in epoch milliseconds. It does not affect packages and URefs, which are the same for all
   * chains of a name.
   * @default 1700000000000, in 2023
   */
  startMs?: number
  /** Number of newest state roots that stay readable. @default 256 */
  retainedRoots?: number
}

export interface TestValue {
  amount: bigint
  period: number
  source_hash: string
}

/** Both registries on an embedded chain that makes blocks only on `advance`. */
export interface RegistryChain {
  chainName: string
  /** Hash of the first block, which ends era 0. */
  genesisHash: string
  /** With `hash-`. */
  feedRegistryPackageHash: string
  /** With `hash-`. */
  attestationRegistryPackageHash: string
  /** Registers a feed, or changes its metadata, in the next block. */
  register(feedId: string, metadata?: Partial<Feed>): void
  /** Attests a value in the next block. */
  attest(feedId: string, value?: Partial<TestValue>): void
  /** Returns a copy of the chain, without the pending changes. */
  fork(): RegistryChain
  /** Upgrades both contracts immediately. */
  upgrade(): Promise<void>
  /** Makes a block of all pending changes and returns its state root hash, which is always new. */
  advance(): Promise<string>
  stateRootHash(): string
  /** The expected result of `listReadings` at the newest state root. */
  readings(): Reading[]
  /** An up-to-date node. */
  answer: AnswerRpc
  /** Returns a node that stays at one state root. */
  answerAsOf(stateRootHash: string): AnswerRpc
}

const START_MS = 1_700_000_000_000
const BLOCK_MS = 8_000
const CALL_MOTES = 2_500_000_000n
/** Enough for long texts. */
const REGISTER_MOTES = 5_000_000_000n

/**
 * Creates a chain whose changes take effect with `advance()`.
 *
 * @example
 * ```ts
 * const chain = await createRegistryChain({ feeds: 3 })
 * chain.attest(testFeedId(2), { amount: 5n })
 * await chain.advance()
 * ```
 */
export async function createRegistryChain(options: RegistryChainOptions = {}): Promise<RegistryChain> {
  const { feeds = 0, chainName = 'test-net', startMs = START_MS, retainedRoots = 256 } = options
  const booted = await bootOnce(`${feeds} ${chainName} ${startMs} ${retainedRoots}`, () =>
    boot({ feeds, chainName, startMs, retainedRoots }),
  )
  return registryChainOn(fork(booted))
}

const installOnce = createBootOnce<Booted>()
const bootOnce = createBootOnce<Booted>()

/** A chain with both registries, with the data to use them. */
interface Booted {
  devnet: Devnet
  sender: Sender
  signer: Signer
  packages: Packages
  clock: { nowMs: number }
  tip: Tip
  heights: Map<string, number>
  metadata: Map<string, Feed>
  shown: Map<string, Reading>
}

interface Tip {
  stateRootHash: string
  height: number
  timestampMs: number
}

async function install(chainName: string, retainedRoots: number): Promise<Booted> {
  const clock = { nowMs: START_MS - 100 * BLOCK_MS }
  const now = (): number => clock.nowMs
  const devnet = createDevnet({
    chainName,
    seed: 'registries',
    accounts: 1,
    now,
    blockTimeMs: 'manual',
    retainedRoots,
  })
  const [signer] = await signersOf(devnet.accounts)
  if (signer === undefined) throw new Error('the chain has no account')
  const start = { devnet, clock, tip: { stateRootHash: '', height: 0, timestampMs: 0 }, heights: new Map() }
  const sender = senderOf(start)
  const packages = await installRegistries(sender, { signer, account: signer.accountHash })
  return { ...start, sender, signer, packages, metadata: new Map(), shown: new Map() }
}

async function boot(options: Required<RegistryChainOptions>): Promise<Booted> {
  const { feeds, chainName, startMs, retainedRoots } = options
  const installed = await installOnce(`${chainName} ${retainedRoots}`, () =>
    install(chainName, retainedRoots),
  )
  const booted = fork(installed)
  booted.clock.nowMs = Math.max(booted.clock.nowMs, startMs)
  const chain = registryChainOn(booted)
  for (let index = 0; index < feeds; index++) {
    chain.register(testFeedId(index))
    chain.attest(testFeedId(index), { amount: BigInt(index) * 1_000_003n })
    // A block takes 40 calls.
    if (index % 20 === 19 && index < feeds - 1) await chain.advance()
  }
  await chain.advance()
  return booted
}

function fork(booted: Booted): Booted {
  const clock = { ...booted.clock }
  const forked = {
    ...booted,
    devnet: booted.devnet.fork({ now: () => clock.nowMs }),
    clock,
    tip: { ...booted.tip },
    heights: new Map(booted.heights),
    metadata: new Map(booted.metadata),
    shown: new Map(booted.shown),
  }
  return { ...forked, sender: senderOf(forked) }
}

/** Sends transactions to the chain. Each block advances its clock. */
function senderOf({
  devnet,
  clock,
  tip,
  heights,
}: Pick<Booted, 'devnet' | 'clock' | 'tip' | 'heights'>): Sender {
  let sent = 0
  return createSender({
    answer: devnet.call,
    chainName: devnet.chainName,
    now: () => clock.nowMs + (sent++ % BLOCK_MS),
    produceBlock() {
      clock.nowMs += BLOCK_MS
      const { stateRootHash, height, timestampMs } = devnet.produceBlock()
      Object.assign(tip, { stateRootHash, height, timestampMs })
      heights.set(stateRootHash, height)
    },
  })
}

function registryChainOn(booted: Booted): RegistryChain {
  const { devnet, sender, signer, packages, tip, heights, metadata, shown } = booted
  const { chainName } = devnet
  let calls: Call[] = []
  let effects: (() => void)[] = []

  const callTo = (name: 'FeedRegistry' | 'AttestationRegistry', entryPoint: string) => ({
    signer,
    target: { packageHash: packages[name], entryPoint },
  })

  return {
    chainName,
    genesisHash: devnet.genesisHash,
    feedRegistryPackageHash: `hash-${packages.FeedRegistry}`,
    attestationRegistryPackageHash: `hash-${packages.AttestationRegistry}`,
    register(feedId, changes = {}) {
      const feed = { ...(metadata.get(feedId) ?? inventedFeed(feedId)), ...changes }
      metadata.set(feedId, feed)
      const args = registerArguments(feedId, feed)
      calls.push({ ...callTo('FeedRegistry', 'register_feed'), args, paymentMotes: REGISTER_MOTES })
      effects.push(() => {
        const known = shown.get(feedId)
        if (known !== undefined) shown.set(feedId, readingOf(feedId, feed, known))
      })
    },
    attest(feedId, { amount = 1_000_000n, period = 20_261_120, source_hash = 'd40bab3b102d38fc' } = {}) {
      const feed = metadata.get(feedId)
      if (feed === undefined) throw new Error(`${feedId} is not registered`)
      const args = attestArguments({ feed_id: feedId, period, amount, source_hash })
      calls.push({ ...callTo('AttestationRegistry', 'attest'), args, paymentMotes: CALL_MOTES })
      effects.push(() => {
        const value = { amount, period, source_hash, updated_at: tip.timestampMs }
        shown.set(feedId, readingOf(feedId, metadata.get(feedId) ?? feed, value))
      })
    },
    fork: () => registryChainOn(fork(booted)),
    async upgrade() {
      const gate = { eligibility_gate: clAddress(`hash-${packages.Gate}`) }
      for (const [name, args] of [
        ['FeedRegistry', gate],
        ['AttestationRegistry', {}],
      ] as const) {
        const failed = await upgradeContract({ devnet, sender, tick: () => booted.clock.nowMs }, signer, {
          name,
          packageHash: packages[name],
          args,
        })
        if (failed !== null) throw new Error(failed)
      }
    },
    async advance() {
      // A call without changes still pays for gas, so there is a new state root.
      const idle = { ...callTo('FeedRegistry', 'feed_count'), args: {}, paymentMotes: CALL_MOTES }
      const executed = await sender.send(calls.length === 0 ? [idle] : calls)
      for (const { errorMessage } of executed) if (errorMessage !== null) throw new Error(errorMessage)
      for (const apply of effects) apply()
      calls = []
      effects = []
      return tip.stateRootHash
    },
    stateRootHash: () => tip.stateRootHash,
    readings: () => [...metadata.keys()].flatMap((feedId) => shown.get(feedId) ?? []),
    answer: devnet.call,
    answerAsOf(stateRootHash) {
      const node = nodeOf(devnet)
      const height = heights.get(stateRootHash) ?? 0
      return (method, params) => {
        node.faults.lag(tip.height - height)
        return node.call(method, params)
      }
    },
  }
}

/** Returns the id of feed number `index` of `createRegistryChain({ feeds })`. */
export const testFeedId = (index: number): string => `TEST.FEED.${index}`

const inventedFeed = (feedId: string): Feed => ({
  decimals: 6,
  unit: '$/unit',
  title: `Test feed ${feedId}`,
  source: 'invented',
  route: 'test/feed',
  frequency: 'daily',
  description: 'An invented feed that no agency publishes',
})

const readingOf = (
  feedId: string,
  feed: Feed,
  { amount, period, source_hash, updated_at }: Pick<Reading, keyof TestValue | 'updated_at'>,
): Reading => ({
  feed_id: feedId,
  ...feed,
  value: Number(`${amount}e-${feed.decimals}`),
  amount,
  period,
  source_hash,
  updated_at,
})
