import type { Rpc } from '../../casper/rpc/rpc.ts'
import { assertMaySign, getBalance } from '../../casper/transaction/account.ts'
import type { TransactionTerms } from '../../casper/transaction/createTransaction.ts'
import {
  assertExecuted,
  createDurableSender,
  type DurableSender,
  isSettled,
  type SendRequest,
  type SendStep,
} from '../../casper/transaction/durableSender.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { BalanceError } from '../../casper/transaction/inFlight.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { RegistryContract } from '../../registry/registryContract.ts'
import { type BatchOptions, createAttestCall } from '../plan/attestCall.ts'
import type { SourcedAttestation } from '../plan/decide.ts'
import type { Archive } from './archive.ts'
import {
  type Basis,
  type CheckedView,
  checkChain,
  type DroppedAttestation,
  feedIdsOf,
  NothingToAttestError,
} from './checkChain.ts'
import { type FeedLocks, FeedPendingError } from './feedLocks.ts'
import { type SettledTransaction, settledTransaction } from './outboxStep.ts'
import {
  type AttestPurpose,
  createApprovalStore,
  createAttestationStore,
  createAttestPurpose,
  type Destination,
  type PendingAttestations,
  pendingFeedIds,
} from './pendingAttestations.ts'
import { recordBlock, reportSendStep, reportStep, type StepReports } from './reportSteps.ts'

/** Maximum number of transactions in flight. It is high, so that a slow transaction does not delay other feeds. */
const MAX_IN_FLIGHT = 64

export interface OutboxOptions
  extends BatchOptions,
    Partial<TransactionTerms>,
    StepReports,
    Omit<FollowOptions, 'onEvent'> {
  chainName: string
  /** The AttestationRegistry. */
  registry: RegistryContract
  /** Reads the chain and the registries to send to, at the newest block. */
  openView: () => Promise<CheckedView>
  signer: Signer
  /** `AGENT_STATE_DIR` */
  stateDir: string
  /** The locks of this process, in the same folder. */
  locks: FeedLocks
  /** Stores the rows behind the source hashes. @default not stored */
  archive?: Archive | null
}

/** The outcome of attestations. */
export interface Attested {
  /** The transaction; null if nothing was sent. */
  readonly executed: ExecutedTransaction | null
  /** Attestations that were not sent, because the chain already had the value or a newer one. */
  readonly dropped: readonly DroppedAttestation[]
}

/** Attests each value exactly once, even if nodes fail or this process is killed. */
export interface Outbox extends BatchOptions {
  /**
   * Settles the pending transactions of earlier runs and calls: sends the same bytes again until they are executed or
   * expired. Skips transactions that another process is following. Returns one result for each transaction.
   *
   * @throws {PendingFileError} before anything is sent.
   * @throws {TransactionUnresolvedError} or the reason of an abort, if one stays pending; the others are settled.
   */
  resume(): Promise<readonly SettledTransaction[]>
  /**
   * Attests 1 to 5 values in one transaction and waits until it is executed. Up to {@link MAX_IN_FLIGHT} calls run at
   * once; further calls wait. With a basis, all values must be of one feed. Nothing is sent if the feed's newest value on
   * chain differs from the basis.
   *
   * @throws before anything is sent: an `ArgumentError`, `PaymentError`, `NoLaneError`, `BalanceError`,
   * `NotClaimantError`, `LaggingValueError`, `ChainMovedError`, `FeedPendingError`, `FeedBackfillingError` or
   * `PendingFileError`; later, the errors of `sendTransaction`.
   */
  attest(attestations: readonly SourcedAttestation[], basis?: Basis | null): Promise<Attested>
  /** Lists all unsettled transactions, including those of other processes. Throws as {@link Outbox.resume} does. */
  listPending(): Promise<readonly PendingAttestations[]>
  /** Returns the feed's pending transaction, as of the last `listPending` and this process's steps since then. */
  pendingOf(feedId: string): PendingAttestations | null
  /** Asserts that no transaction of a feed is pending in any process. @throws {FeedPendingError | FeedBackfillingError} */
  assertFree(feedId: string): void
}

/** The state of an {@link Outbox}. */
interface State {
  readonly options: OutboxOptions
  pendingByFeed: Map<string, PendingAttestations>
}

/**
 * Creates an outbox. It writes each signed transaction to `stateDir` before it sends it. Other processes may use the same
 * folder: each locks its feeds from the check of the chain until the settled transaction is removed.
 *
 * Aborting the signal ends every call with the signal's reason. Nothing more is signed, and pending transactions stay on
 * disk until the next run's {@link Outbox.resume}.
 *
 * @example
 * ```ts
 * const locks = createFeedLocks(stateDir, 'attest')
 * const outbox = createOutbox({ rpc, client, signer, chainName, registry, stateDir, locks, … })
 * await outbox.resume()
 * const { executed, dropped } = await outbox.attest([{ feed_id, period, amount, source_hash, source }])
 * ```
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { locks } = options
  const state: State = { options, pendingByFeed: new Map() }
  const sender = createSender(state)
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
    async listPending() {
      const pending = await sender.listPending()
      const entries = pending.flatMap((each) => pendingFeedIds(each).map((feedId) => [feedId, each] as const))
      state.pendingByFeed = new Map(entries)
      return pending
    },
    pendingOf: (feedId) => state.pendingByFeed.get(feedId) ?? null,
    assertFree(feedId) {
      // Check the locks first: a pending transaction of another process may belong to a backfill, which has its own error.
      locks.assertFree(feedId)
      const pending = state.pendingByFeed.get(feedId)
      if (pending !== undefined) throw pendingError(options, feedId, pending)
    },
    attest: (attestations, basis = null) => attest(state, sender, attestations, basis),
  }
}

function createSender(state: State): DurableSender<AttestPurpose> {
  const { options } = state
  const { stateDir, locks } = options
  return createDurableSender<AttestPurpose>({
    ...options,
    store: createAttestationStore(stateDir, destinationOf(options)),
    concurrency: MAX_IN_FLIGHT,
    exclusive: {
      keysOf: pendingFeedIds,
      taken: (feedId, pending) => pendingError(options, feedId, pending),
      lock: locks.hold,
    },
    onStep(step) {
      notePending(state, step)
      return reportSendStep(options, step)
    },
    beforeRemove: (settlement, pending) => recordBlock(options, settlement, pending),
  })
}

function pendingError(
  { now = Date.now }: OutboxOptions,
  feedId: string,
  pending: PendingAttestations | null,
): FeedPendingError {
  const { transaction_hash = null, expires_at = null } = pending ?? {}
  return new FeedPendingError(feedId, { transactionHash: transaction_hash, waitsUntil: expires_at }, now())
}

async function attest(
  { options }: State,
  sender: DurableSender<AttestPurpose>,
  attestations: readonly SourcedAttestation[],
  basis: Basis | null,
): Promise<Attested> {
  let dropped: readonly DroppedAttestation[] = []
  try {
    const { settlement } = await sender.send({
      keys: feedIdsOf(attestations),
      async prepare(reserve) {
        await reserve(createAttestCall(attestations, options).paymentMotes)
        const prepared = await prepare(options, attestations, basis)
        dropped = prepared.dropped
        return prepared.request
      },
    })
    return { executed: assertExecuted(settlement), dropped }
  } catch (error) {
    if (!(error instanceof NothingToAttestError)) throw error
    return { executed: null, dropped: error.dropped }
  }
}

/** Checks the chain for everything that would make the transaction fail and lose its payment, and creates the request. */
async function prepare(
  options: OutboxOptions,
  attestations: readonly SourcedAttestation[],
  basis: Basis | null,
): Promise<{ request: SendRequest<AttestPurpose>; dropped: readonly DroppedAttestation[] }> {
  const { openView, signer, archive, registry } = options
  const view = await openView()
  await assertNotApproved(options, view, attestations)
  const { kept, dropped } = await checkChain(view, signer.accountHash, attestations, basis)
  await reportStep(options, { step: 'checked', feedIds: feedIdsOf(attestations), dropped })
  await archive?.append(kept)
  const { entryPoint, ...call } = createAttestCall(kept, options)
  const target = { packageHash: registry.packageHash, entryPoint }
  return { request: { ...call, target, purpose: createAttestPurpose(kept) }, dropped }
}

/**
 * Asserts that this key has not approved a transaction of a committee that may still be executed. Once a block is later than
 * its expiry, the state at that block shows whether it was.
 *
 * @throws {FeedPendingError}
 */
async function assertNotApproved(
  options: OutboxOptions,
  { block }: CheckedView,
  attestations: readonly SourcedAttestation[],
): Promise<void> {
  const feedIds = feedIdsOf(attestations)
  for (const approved of await createApprovalStore(options.stateDir, destinationOf(options)).list()) {
    if (block.time > approved.expires_at) continue
    const feedId = pendingFeedIds(approved).find((each) => feedIds.includes(each))
    if (feedId !== undefined) throw pendingError(options, feedId, approved)
  }
}

const destinationOf = ({ chainName, registry }: OutboxOptions): Destination => ({
  chainName,
  attestationRegistryPackageHash: registry.packageHash,
})

function notePending({ pendingByFeed }: State, { step, pending }: SendStep<AttestPurpose>): void {
  for (const feedId of pendingFeedIds(pending))
    if (step === 'removed' || step === 'not_removed') pendingByFeed.delete(feedId)
    else pendingByFeed.set(feedId, pending)
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
    listPending: async () => [],
    pendingOf: () => null,
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
    throw new BalanceError(signer.accountHash, balanceMotes, neededMotes)
}
