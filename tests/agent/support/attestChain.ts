import { memberAt } from '@wattfeed/base'
import {
  createGlobalState,
  type EventLog,
  findContractKey,
  getStateRootHash,
  readEventLogLength,
  readOdraContract,
} from '@wattfeed/casper'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { readEvents } from '@wattfeed/casper/testing/readEvents'
import { type Signer, signTransaction } from '@wattfeed/casper/transaction'
import { createDevnet, type Devnet, type RpcAnswer } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { type Call, createSender, type Sender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { installContract, sendOrThrow } from 'wattfeed/testing/installContract'
import { builtContract, installRegistries, type Packages } from 'wattfeed/testing/installRegistries'
import {
  attestArguments,
  type NewAttestation,
  registerArguments,
} from '../../../packages/wattfeed/src/registry/calls.ts'
import { decodeRevenueAttested } from '../../../packages/wattfeed/src/registry/events.ts'
import type { Feed } from '../../../packages/wattfeed/src/registry/feed.ts'
import { wiringArguments } from '../../../packages/wattfeed/src/registry/installation.ts'
import type { RegistryName } from '../../../packages/wattfeed/src/registry/layout.ts'
import { registerPaymentMotes } from '../../../src/operator/feeds/register/registerPayment.ts'
import { type NodeScript, type ScriptedDevnet, scriptDevnet } from '../../support/scriptedDevnet.ts'

export interface AttestChainOptions extends Omit<NodeScript, 'pinned'> {
  /** Registered by the test's key, without a value. */
  feeds: Readonly<Record<string, Feed>>
  /** Of {@link AttestChainOptions.feeds}, those that another account registers. */
  foreign?: readonly string[]
  /** The chain's clock, in epoch milliseconds. */
  time: () => number
  /** In motes: what nodes say that the test's account has. @default what it has */
  balance?: () => bigint
  /** Whether nodes show the AttestationRegistry's `attest_many`. @default true */
  offersMany?: boolean
  /** Whether {@link AttestChain.loseFeeds} comes before each transaction's block, after all checks. @default false */
  losesFeeds?: boolean
}

export interface AttestChain extends ScriptedDevnet {
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** 64 hex digits. */
  attestationRegistryPackageHash: string
  /** 64 hex digits. */
  gatePackageHash: string
  /** Who registers {@link AttestChainOptions.foreign}. */
  strangerSigner: Signer
  /** Its `account-hash-…`. */
  stranger: string
  /** Reads everything that was ever attested, oldest first. */
  attested(): Promise<NewAttestation[]>
  /** Reads a registry's event log, oldest first. */
  events<T extends object>(name: RegistryName, decode: (bytes: Uint8Array) => T | null): Promise<T[]>
  /** Calls a registry in a block of its own. @param from by default the test's key @throws {Error} where it fails */
  call(
    name: RegistryName,
    call: Omit<Call, 'signer' | 'target'> & { entryPoint: string },
    from?: Signer,
  ): Promise<void>
  /** Installs a FeedRegistry that has no gate, and returns its package hash, 64 hex digits. */
  installFeedRegistry(): Promise<string>
  /** What another agent with the same key attests, in a block of its own. */
  attestAsAnother(attestation: NewAttestation): Promise<void>
  /** What another agent attests in the next transaction's block, after it. */
  overwriteInBlock(attestation: NewAttestation): Promise<void>
  /** Replaces the FeedRegistry by an empty one, which the AttestationRegistry reads the claimants from from then on who may attest. */
  loseFeeds(): Promise<void>
  /**
   * For so many questions after transactions the node is where it was at first: it knows no block since then, and
   * none of the transactions.
   */
  fallBehind(questions: number): void
  /** The node does not have the last block for so many questions after its state root. */
  lag(questions: number): void
}

export const CHAIN_NAME = 'casper-net-1'
export const CALL_MOTES = 5_000_000_000n
const DAY_MS = 86_400_000
const INSTALLED_MS = Date.UTC(2026, 0, 1)
const MAX_PER_BLOCK = 10

const installOnce = createBootOnce<Installed>()
const bootOnce = createBootOnce<Booted>()

/**
 * Creates an embedded chain with both registries, on which the test's key has registered feeds.
 *
 * @example
 * ```ts
 * const chain = await createAttestChain({ feeds: { A: feed }, time: () => START })
 * const outbox = createOutbox({ rpc: rpcOf(chain.answer), … })
 * ```
 */
export async function createAttestChain(options: AttestChainOptions): Promise<AttestChain> {
  const { feeds, foreign = [], time, balance, offersMany = true, losesFeeds = false, ...script } = options
  // A chain of yesterday is as good as one of now.
  const key = JSON.stringify([feeds, foreign, Math.floor(time() / DAY_MS)])
  const booted = await bootOnce(key, () => boot(feeds, foreign, time()))
  const { signer, stranger, packages, logs } = booted
  const devnet = booted.devnet.fork({ now: time })
  const sender = senderOn(devnet)
  const before = losesFeeds ? { beforeBlock: loseFeeds } : {}
  const node = scriptDevnet(devnet, { ...script, ...before, pinned: booted.pinned })
  let behind = 0
  let lagging = 0

  const call: AttestChain['call'] = (name, { entryPoint, ...rest }, from = signer) =>
    sendOrThrow(sender, { ...rest, signer: from, target: { packageHash: packages[name], entryPoint } })

  const read = new Map<string, Promise<NewAttestation[]>>()

  const events: AttestChain['events'] = (name, decode) => readLog(devnet, logs[name], decode)

  async function readAttested(): Promise<NewAttestation[]> {
    const all = await events('AttestationRegistry', decodeRevenueAttested)
    return all.map(({ feedId, value: { period, amount, source_hash } }) => ({
      feed_id: feedId,
      period,
      amount,
      source_hash,
    }))
  }

  const attestCall = (attestation: NewAttestation) => ({
    entryPoint: 'attest',
    args: attestArguments(attestation),
    paymentMotes: CALL_MOTES,
  })

  async function installFeedRegistry(): Promise<string> {
    const { accountHash } = stranger
    const installable = await builtContract('FeedRegistry', accountHash)
    return installContract(sender, { signer: stranger, account: accountHash }, installable)
  }

  async function loseFeeds(): Promise<void> {
    const args = wiringArguments('AttestationRegistry', await installFeedRegistry())
    await call('AttestationRegistry', { entryPoint: 'set_feed_registry', args, paymentMotes: CALL_MOTES })
  }

  async function answer(method: string, params: unknown): Promise<RpcAnswer> {
    if (behind > 0 && method !== 'account_put_transaction') {
      if (method === 'info_get_transaction') behind -= 1
      return booted.devnet.call(method, params)
    }
    const ofBlock = memberAt(params, 'block_identifier', 'Hash')
    if (method === 'chain_get_state_root_hash' && ofBlock !== undefined && lagging-- > 0)
      return booted.devnet.call(method, params)
    const answered = await node.answer(method, params)
    if (method === 'query_balance' && balance) return { result: { balance: `${balance()}` } }
    return offersMany || method !== 'query_global_state' ? answered : withoutMany(answered)
  }

  return {
    ...node,
    answer,
    chainName: CHAIN_NAME,
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
    gatePackageHash: packages.Gate,
    strangerSigner: stranger,
    stranger: stranger.accountHash,
    events,
    call,
    installFeedRegistry,
    async attested() {
      const { hash } = await getStateRootHash(rpcOf(devnet.call))
      const attestations = read.get(hash) ?? readAttested()
      read.set(hash, attestations)
      return attestations
    },
    attestAsAnother: (attestation) => call('AttestationRegistry', attestCall(attestation)),
    async overwriteInBlock(attestation) {
      const { entryPoint, ...rest } = attestCall(attestation)
      const target = { packageHash: packages.AttestationRegistry, entryPoint }
      const request = { ...rest, target, chainName: CHAIN_NAME, timestamp: time() - 1 }
      node.follow([(await signTransaction(signer, request)).transaction])
    },
    loseFeeds,
    fallBehind(questions) {
      behind = questions
    },
    lag(questions) {
      lagging = questions
    },
  }
}

/** A chain without feeds. */
interface Installed {
  devnet: Devnet
  signer: Signer
  stranger: Signer
  packages: Packages
  logs: Record<RegistryName, EventLog>
}

/** A chain with registered feeds. */
interface Booted extends Installed {
  pinned: Map<string, RpcAnswer>
}

/** A chain with the registries, long before any test's time: forks of it register feeds. */
async function install(): Promise<Installed> {
  const signer = await testSigner()
  let nowMs = INSTALLED_MS
  const devnet = createDevnet({
    chainName: CHAIN_NAME,
    accounts: 1,
    fund: [signer.publicKey],
    now: () => nowMs++,
    blockTimeMs: 'manual',
  })
  const packages = await installRegistries(senderOn(devnet), { signer, account: signer.accountHash })
  const [stranger] = await signersOf(devnet.accounts)
  if (stranger === undefined) throw new Error('the chain has no account')
  const [feeds, attestations] = await Promise.all(
    (['FeedRegistry', 'AttestationRegistry'] as const).map((name) => findLog(devnet, name, packages[name])),
  )
  if (!feeds || !attestations) throw new Error('a registry has no event log')
  const logs = { FeedRegistry: feeds, AttestationRegistry: attestations }
  return { devnet, signer, stranger, packages, logs }
}

async function boot(
  feeds: AttestChainOptions['feeds'],
  foreign: readonly string[],
  startMs: number,
): Promise<Booted> {
  const installed = await installOnce('', install)
  const { signer, stranger, packages } = installed
  let nowMs = startMs - DAY_MS
  const devnet = installed.devnet.fork({ now: () => nowMs++ })
  const sender = senderOn(devnet)
  const calls = Object.entries(feeds).map(([feedId, feed]) => ({
    signer: foreign.includes(feedId) ? stranger : signer,
    target: { packageHash: packages.FeedRegistry, entryPoint: 'register_feed' },
    args: registerArguments(feedId, feed),
    paymentMotes: registerPaymentMotes(feedId, feed),
  }))
  for (let from = 0; from < calls.length; from += MAX_PER_BLOCK)
    for (const { errorMessage } of await sender.send(calls.slice(from, from + MAX_PER_BLOCK)))
      if (errorMessage !== null) throw new Error(errorMessage)
  nowMs = startMs
  devnet.produceBlock()
  return { ...installed, devnet, pinned: new Map() }
}

/** Sends transactions that no program under test has, in blocks of their own. */
function senderOn(devnet: Devnet): Sender {
  let sent = 0
  return createSender({
    answer: devnet.call,
    chainName: CHAIN_NAME,
    now: () => devnet.now() - 60_000 - sent++,
    produceBlock: devnet.produceBlock,
  })
}

async function findLog({ call }: Devnet, name: RegistryName, packageHash: string) {
  const rpc = rpcOf(call)
  const state = createGlobalState(rpc)
  const { hash } = await getStateRootHash(rpc)
  const key = await findContractKey(state, name, packageHash, hash)
  return (await readOdraContract(state, name, key, hash))?.events
}

async function readLog<T extends object>(
  { call }: Devnet,
  log: EventLog,
  decode: (bytes: Uint8Array) => T | null,
): Promise<T[]> {
  const rpc = rpcOf(call)
  const state = createGlobalState(rpc)
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const to = await readEventLogLength(state, log, stateRootHash)
  const events = await readEvents(state, log, { from: 0, to, concurrency: 8, stateRootHash, decode })
  return events.flatMap((event) => event ?? [])
}

/** The AttestationRegistry as it was before it had `attest_many`. */
const withoutMany = (answered: RpcAnswer): RpcAnswer =>
  changeEntryPoints(answered, (names) => names.filter((name) => name !== 'attest_many'))

/** Shows a contract, where the answer is one, with other entry points. */
export function changeEntryPoints(
  answered: RpcAnswer,
  change: (names: readonly string[]) => readonly string[],
): RpcAnswer {
  const contract = memberAt(answered, 'result', 'stored_value', 'Contract')
  const entryPoints = memberAt(contract, 'entry_points')
  if (!Array.isArray(entryPoints)) return answered
  const entry_points = change(entryPoints.map(({ name }) => String(name))).map((name) => ({ name }))
  return { result: { stored_value: { Contract: { ...Object(contract), entry_points } } } }
}
