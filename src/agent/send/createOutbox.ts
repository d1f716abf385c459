import { pickOptions } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import type { SqliteStore } from '@wattfeed/casper/sqlite'
import {
  assertExecuted,
  assertMaySign,
  BalanceError,
  createDurableSender,
  type DurableSender,
  type DurableSenderOptions,
  defaultTerms,
  type ExecutedTransaction,
  getBalance,
  isSettled,
  type Pending,
  type SendRequest,
  type SendStep,
  type Signer,
  senderOptionNames,
} from '@wattfeed/casper/transaction'
import type { RegistryContract } from 'wattfeed/internal'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { eventOf, type Report, type SettledTransaction, settledTransaction } from '../events.ts'
import { type BatchOptions, createAttestCall } from '../plan/attestCall.ts'
import type { SourcedAttestation } from '../plan/decide.ts'
import type { Plan } from '../plan/plan.ts'
import { endExpiredApprovals, hasApproved } from '../state/approvals.ts'
import { createAttestPurpose } from '../state/attestPurpose.ts'
import { assertStateIsOld } from '../state/newState.ts'
import type { AgentState } from '../state/openState.ts'
import type { Archive } from './archive.ts'
import {
  type Basis,
  type CheckedView,
  checkChain,
  type DroppedAttestation,
  feedIdsOf,
  type Kept,
  NothingToAttestError,
} from './checkChain.ts'

/** Maximum number of transactions in flight. It is high, so that a slow transaction does not delay other feeds. */
const MAX_IN_FLIGHT = 64

export interface OutboxOptions {
  rpc: Rpc
  /** Called with each step of a transaction, before the next one. */
  report: Report
  chainName: string
  registry: RegistryContract
  /** Whether `registry` has `attest_many`. */
  offersMany: boolean
  /** `PAYMENT_MOTES`; null if it is not set. */
  paymentMotes: bigint | null
  /** Package hash of the FeedRegistry, 64 hex digits. */
  feedRegistry: string
  /** Reads the chain and the registries to send to, at the newest block. */
  openView: () => Promise<CheckedView>
  signer: Signer
  state: AgentState
  store: SqliteStore
  /** Whether the chain has just been created, so that nothing can have been sent from a lost state. @default false */
  isFreshChain?: boolean
  /** Stores the rows behind the source hashes. @default not stored */
  archive?: Archive | null
  /** How long after its timestamp a transaction can still be executed, in milliseconds. @default 300_000 */
  transactionTtlMs?: number
  /** Maximum gas price at which a transaction may be executed. @default 1 */
  gasPriceTolerance?: number
  /** How long to wait between two polls of a transaction, in milliseconds. @default 4_000 */
  pollMs?: number
  /** Waits for a time, or until the signal aborts. @default a timer */
  wait?: (durationMs: number, signal: AbortSignal) => Promise<void>
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Abort it to stop following transactions, which stay on disk. */
  signal?: AbortSignal | undefined
}

/** The outcome of one call's values. */
export interface Attested {
  /** The transaction; null if nothing was sent. */
  readonly executed: ExecutedTransaction | null
  /** Attestations that were not sent, because the chain already had the value or a newer one. */
  readonly dropped: readonly DroppedAttestation[]
  /** Names of the committee's members that have signed, as far as this one knows. @default none */
  readonly signers?: readonly string[]
  /** What was attested, if it may not be what was planned: the root of a dataset after another request to EIA. @default the plan's */
  readonly about?: Plan['about']
}

/**
 * Attests each value exactly once, even if nodes fail or this process is killed: alone ({@link createOutbox}), or together with
 * a committee. That of a dry run only checks.
 */
export interface Outbox extends BatchOptions {
  /**
   * Whether a committee attests. It settles each feed on its own, and the first transaction of a plan in each cycle.
   * @default false
   */
  readonly isTogether?: boolean
  /**
   * Settles the pending transactions of earlier runs and calls: sends the same bytes again until they are executed or
   * expired. Skips transactions that another process is following. Returns one result for each transaction.
   *
   * @throws {StateFileError} before anything is sent.
   * @throws {TransactionUnresolvedError} or the reason of an abort, if one stays pending; the others are settled.
   */
  resume(): Promise<readonly SettledTransaction[]>
  /**
   * Attests 1 to 5 values in one transaction and waits until it is executed. Up to {@link MAX_IN_FLIGHT} calls run at
   * once; further calls wait. With a basis, all values must be of one feed. Nothing is sent if the feed's newest value on
   * chain differs from the basis.
   *
   * @throws before anything is sent: an `ArgumentError`, `PaymentError`, `NoLaneError`, `BalanceError`,
   * `NewStateError`, `NotClaimantError`, `LaggingValueError`, `ChainMovedError`, `FeedPendingError`, `FeedBackfillingError` or
   * `StateFileError`; later, the errors of `sendTransaction`.
   */
  attest(attestations: readonly SourcedAttestation[], basis?: Basis | null): Promise<Attested>
  /** Lists all unsettled transactions, including those of other processes. @throws {StateFileError} */
  listPending(): readonly Pending[]
  /**
   * Asserts that the feed can be attested, and no transaction of it is pending in any process.
   *
   * @throws {FeedPendingError | FeedBackfillingError}
   */
  assertFree(feed: FeedConfig): void
}

/**
 * Creates an outbox. It stores each signed transaction before it sends it. Other processes may use the same state: each claims
 * its feeds from the check of the chain until the transaction is settled.
 *
 * Aborting the signal ends every call with the signal's reason. Nothing more is signed, and pending transactions stay on
 * disk until the next run's {@link Outbox.resume}.
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { store } = options
  const sending = {
    ...options,
    concurrency: MAX_IN_FLIGHT,
    onStep: (step: SendStep) => options.report(eventOf(step)),
  }
  const sender = createDurableSender(pickOptions<DurableSenderOptions>(sending, senderOptionNames))
  return {
    offersMany: options.offersMany,
    paymentMotes: options.paymentMotes,
    async resume() {
      const deliveries = await sender.resume()
      return deliveries.map(({ settlement, pending }) => {
        if (!isSettled(settlement)) throw settlement.error
        return settledTransaction(pending, settlement)
      })
    },
    listPending: store.list,
    assertFree: ({ feed_id }) => store.assertFree(feed_id),
    attest: (attestations, basis = null) => attest(options, sender, attestations, basis),
  }
}

async function attest(
  options: OutboxOptions,
  sender: DurableSender,
  attestations: readonly SourcedAttestation[],
  basis: Basis | null,
): Promise<Attested> {
  let dropped: readonly DroppedAttestation[] = []
  const keys = feedIdsOf(attestations)
  try {
    await endApprovals(options, keys)
    const { settlement } = await sender.send({
      keys,
      reserveMotes: createAttestCall(attestations, options).paymentMotes,
      async prepare() {
        const checked = await check(options, attestations, basis)
        dropped = checked.dropped
        return requestOf(options, checked.kept)
      },
    })
    return { executed: assertExecuted(settlement), dropped }
  } catch (error) {
    if (!(error instanceof NothingToAttestError)) throw error
    return { executed: null, dropped: error.dropped }
  }
}

/**
 * Checks the chain for everything that would make the transaction fail and lose its payment, and archives the sources of what
 * is left to send.
 */
async function check(
  options: OutboxOptions,
  attestations: readonly SourcedAttestation[],
  basis: Basis | null,
): Promise<Kept> {
  const { openView, signer, archive, feedRegistry, state, now = Date.now } = options
  const view = await openView()
  const feedIds = feedIdsOf(attestations)
  const { transactionTtlMs: lifetimeMs } = { ...defaultTerms, ...options }
  if (options.isFreshChain !== true)
    assertStateIsOld(state, { feedIds, feedRegistry, blockTime: view.block.time, now: now(), lifetimeMs })
  const checked = await checkChain(view, signer.accountHash, attestations, basis)
  await options.report({ event: 'step', step: { step: 'checked', feedIds, dropped: checked.dropped } })
  await archive?.append(checked.kept)
  return checked
}

function requestOf(options: OutboxOptions, attestations: readonly SourcedAttestation[]): SendRequest {
  const { entryPoint, ...call } = createAttestCall(attestations, options)
  const target = { packageHash: options.registry.packageHash, entryPoint }
  return { ...call, target, purpose: createAttestPurpose(attestations) }
}

/** Ends the approvals that this key has given as a member of a committee, and that expired while no member was running. */
async function endApprovals({ state, openView }: OutboxOptions, feedIds: readonly string[]): Promise<void> {
  if (hasApproved(state, feedIds)) endExpiredApprovals(state, feedIds, (await openView()).block)
}

/** Creates an outbox that sends nothing, and checks arguments, gas and balance. */
export function createDryRun({
  rpc,
  signer,
  signsAlone,
  ...batch
}: BatchOptions & {
  rpc: Rpc
  signer: Signer | null
  /** Whether the key must reach the account's threshold. */
  signsAlone: boolean
}): Outbox {
  return {
    ...batch,
    resume: async () => [],
    listPending: () => [],
    assertFree: () => {},
    async attest(attestations) {
      const { paymentMotes } = createAttestCall(attestations, batch)
      if (signer !== null && signsAlone) await assertMaySign(rpc, signer)
      if (signer !== null) await assertCanPay(rpc, signer, paymentMotes)
      return { executed: null, dropped: [] }
    },
  }
}

async function assertCanPay(rpc: Rpc, signer: Signer, neededMotes: bigint): Promise<void> {
  const balanceMotes = await getBalance(rpc, signer.initiator)
  if (balanceMotes === null || balanceMotes < neededMotes)
    throw new BalanceError({ accountHash: signer.accountHash, balanceMotes, neededMotes, reservedMotes: 0n })
}
