import { getStateRootHash } from '../../../src/casper/state/globalState.ts'
import type { Signer } from '../../../src/casper/transaction/signer.ts'
import { signTransaction } from '../../../src/casper/transaction/signTransaction.ts'
import { member } from '../../../src/demo/recordedNode.ts'
import { createDevnet, type Devnet } from '../../../src/devnet/createDevnet.ts'
import type { RpcAnswer } from '../../../src/devnet/rpcAnswer.ts'
import { findContractKey, readOdraContract } from '../../../src/odra/contract.ts'
import { type EventLog, readEventLogLength, readEvents } from '../../../src/odra/eventLog.ts'
import { registerPaymentMotes } from '../../../src/operator/feeds/planRegistration.ts'
import { attestArguments, type NewAttestation, registerArguments } from '../../../src/registry/calls.ts'
import { decodeRevenueAttested } from '../../../src/registry/events.ts'
import type { Feed } from '../../../src/registry/feed.ts'
import { wiringArguments } from '../../../src/registry/installation.ts'
import { installContract, sendOrThrow } from '../../devnet/registries/installContract.ts'
import { builtContract, installRegistries, type Packages } from '../../devnet/registries/installRegistries.ts'
import { type Call, createSender, type Sender, signersOf } from '../../devnet/registries/sender.ts'
import { createBootOnce } from '../../support/bootOnce.ts'
import { type NodeScript, type ScriptedDevnet, scriptDevnet } from '../../support/scriptedDevnet.ts'
import { testSigner } from './keys.ts'
import { rpcOf } from './rpc.ts'

export interface AttestChainOptions extends Omit<NodeScript, 'beforeBlock' | 'pinned'> {
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
  /** `account-hash-…` of who registers {@link AttestChainOptions.foreign}. */
  stranger: string
  /** Reads everything that was ever attested, oldest first. */
  attested(): Promise<NewAttestation[]>
  /** What another agent with the same key attests, in a block of its own. */
  attestAsAnother(attestation: NewAttestation): Promise<void>
  /** What another agent attests in the next transaction's block, after it. */
  overwriteInBlock(attestation: NewAttestation): Promise<void>
  /** Replaces the FeedRegistry by an empty one, which the AttestationRegistry asks from then on who may attest. */
  loseFeeds(): Promise<void>
  /**
   * For so many questions after transactions the node is where it was at first: it knows no block since then, and
   * none of the transactions.
   */
  fallBehind(questions: number): void
  /** The node does not have the last block for so many questions after its state root. */
  lag(questions: number): void
}

const CHAIN_NAME = 'casper-net-1'
const CALL_MOTES = 5_000_000_000n
/** Longer than any test: only the script makes blocks. */
const NEVER_MS = 2 ** 31 - 1
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
  const { signer, stranger, packages, log } = booted
  const devnet = booted.devnet.fork({ now: time })
  const sender = senderOn(devnet)
  const beforeBlock = losesFeeds ? loseFeeds : async () => {}
  const node = scriptDevnet(devnet, { ...script, beforeBlock, pinned: booted.pinned })
  let behind = 0
  let lagging = 0

  const attestCall = (attestation: NewAttestation): Call => ({
    signer,
    target: { packageHash: packages.AttestationRegistry, entryPoint: 'attest' },
    args: attestArguments(attestation),
    paymentMotes: CALL_MOTES,
  })

  async function loseFeeds(): Promise<void> {
    const { accountHash } = stranger
    const installable = await builtContract('FeedRegistry', accountHash)
    const other = await installContract(sender, { signer: stranger, account: accountHash }, installable)
    await sendOrThrow(sender, {
      signer,
      target: { packageHash: packages.AttestationRegistry, entryPoint: 'set_feed_registry' },
      args: wiringArguments('AttestationRegistry', other),
      paymentMotes: CALL_MOTES,
    })
  }

  async function answer(method: string, params: unknown): Promise<RpcAnswer> {
    if (behind > 0 && method !== 'account_put_transaction') {
      if (method === 'info_get_transaction') behind -= 1
      return booted.devnet.call(method, params)
    }
    const ofBlock = member(member(params, 'block_identifier'), 'Hash')
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
    stranger: stranger.accountHash,
    attested: () => readAttested(devnet, log),
    attestAsAnother: (attestation) => sendOrThrow(sender, attestCall(attestation)),
    async overwriteInBlock(attestation) {
      const request = { ...attestCall(attestation), chainName: CHAIN_NAME, timestamp: time() - 1 }
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
  log: EventLog
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
    blockTimeMs: NEVER_MS,
  })
  const packages = await installRegistries(senderOn(devnet), { signer, account: signer.accountHash })
  const [stranger] = await signersOf(devnet.accounts)
  if (stranger === undefined) throw new Error('the chain has no account')
  return { devnet, signer, stranger, packages, log: await findLog(devnet, packages) }
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

async function findLog({ call }: Devnet, { AttestationRegistry }: Packages): Promise<EventLog> {
  const rpc = rpcOf(call)
  const { hash } = await getStateRootHash(rpc)
  const key = await findContractKey(rpc, 'AttestationRegistry', AttestationRegistry, hash)
  const log = (await readOdraContract(rpc, 'AttestationRegistry', key, hash))?.events
  if (!log) throw new Error('the AttestationRegistry has no event log')
  return log
}

async function readAttested({ call }: Devnet, log: EventLog): Promise<NewAttestation[]> {
  const rpc = rpcOf(call)
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const to = await readEventLogLength(rpc, log, stateRootHash)
  const range = { from: 0, to, concurrency: 8, stateRootHash }
  const events = await readEvents(rpc, log, { ...range, decode: decodeRevenueAttested })
  return events.flatMap((event) => {
    if (event === null) return []
    const { period, amount, source_hash } = event.value
    return [{ feedId: event.feedId, period, amount, sourceHash: source_hash }]
  })
}

/** The AttestationRegistry as it was before it had `attest_many`. */
function withoutMany(answered: RpcAnswer): RpcAnswer {
  const contract = member(member(member(answered, 'result'), 'stored_value'), 'Contract')
  const entryPoints = member(contract, 'entry_points')
  if (!Array.isArray(entryPoints)) return answered
  const old = entryPoints.filter(({ name }) => name !== 'attest_many')
  return { result: { stored_value: { Contract: { ...Object(contract), entry_points: old } } } }
}
