import type { Rpc } from '../../casper/rpc/rpc.ts'
import { assertMaySign, getBalance } from '../../casper/transaction/account.ts'
import type { TransactionTerms } from '../../casper/transaction/createTransaction.ts'
import {
  assertExecuted,
  createDurableSender,
  isSettled,
  type SendRequest,
  type SendStep,
  type Settled,
} from '../../casper/transaction/durableSender.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { BalanceError } from '../../casper/transaction/inFlight.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { clockWords } from '../../casper/transaction/timestamp.ts'
import type { RegistryContract } from '../../registry/registryContract.ts'
import type { Log } from '../../runtime/log.ts'
import { systemReason } from '../../runtime/systemReason.ts'
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
import {
  logStep,
  namesOf,
  type OutboxStep,
  outboxStepOf,
  type SettledTransaction,
  settledTransaction,
} from './outboxStep.ts'
import {
  type AttestPurpose,
  createAttestationStore,
  createAttestPurpose,
  type PendingAttestations,
  pendingFeedIds,
} from './pendingAttestations.ts'
import type { SentLog } from './sentLog.ts'
import type { SettledBlocks } from './settledBlocks.ts'

/** The most transactions in flight at once: many, as one that waits for its end must not keep other feeds waiting. */
const MAX_IN_FLIGHT = 64

export interface OutboxOptions
  extends BatchOptions,
    Partial<TransactionTerms>,
    Omit<FollowOptions, 'onEvent'> {
  chainName: string
  /** The AttestationRegistry. */
  registry: RegistryContract
  /** Reads the chain and the registries that it sends to, at the newest block. */
  openView: () => Promise<CheckedView>
  signer: Signer
  /** `AGENT_STATE_DIR` */
  stateDir: string
  /** Of this process, in the same folder. */
  locks: FeedLocks
  /** Where to keep what the hashes were made from. @default nowhere */
  archive?: Archive | null
  /** Where to keep what was sent, for the agent to tell it from what others send. @default nowhere */
  sentLog?: SentLog | null
  log?: Log
  /** Called with every step, and awaited. Must not throw. */
  observe?: (step: OutboxStep) => unknown
  /** Where to keep the blocks of executed transactions. */
  settledBlocks: SettledBlocks
}

/** What became of attestations. */
export interface Attested {
  /** The transaction; null if nothing was sent. */
  readonly executed: ExecutedTransaction | null
  /** What was not sent, because the chain already held it or a newer value. */
  readonly dropped: readonly DroppedAttestation[]
}

/** Attests values, each exactly once, whatever happens to the nodes and to this process. */
export interface Outbox extends BatchOptions {
  /**
   * Settles what an earlier run or call left pending: the same bytes are sent again until they are executed or expired.
   * What another process is following is left to it. Returns one result each.
   *
   * @throws {PendingFileError} before anything is sent.
   * @throws {TransactionUnresolvedError} or the reason of an abort, if one stays pending; the others are settled.
   */
  resume(): Promise<readonly SettledTransaction[]>
  /**
   * Attests 1 to 5 values in one transaction and waits until it is executed. Up to {@link MAX_IN_FLIGHT} calls run at
   * once, further ones wait. With a basis all are of one feed, and none is sent if the chain holds another newest value.
   *
   * @throws before anything is sent: an `ArgumentError`, `PaymentError`, `NoLaneError`, `BalanceError`,
   * `NotClaimantError`, `LaggingValueError`, `ChainMovedError`, `FeedPendingError`, `FeedBackfillingError` or
   * `PendingFileError`; later, what `sendTransaction` throws.
   */
  attest(attestations: readonly SourcedAttestation[], basis?: Basis | null): Promise<Attested>
  /** Lists everything that is not settled, also of other processes. Throws as {@link Outbox.resume} does. */
  listPending(): Promise<readonly PendingAttestations[]>
  /** Returns the transaction that a feed waits for, as of the last `listPending` and of what this process did since. */
  pendingOf(feedId: string): PendingAttestations | null
  /** Asserts that a feed waits for no transaction, here or of another process. @throws {FeedPendingError | FeedBackfillingError} */
  assertFree(feedId: string): void
}

/**
 * Creates an outbox. What it signs is written to `stateDir` before it is sent. Other processes may use the same state
 * directory: each locks the feeds that it attests to, from the check of the chain to the removal of the settled file.
 *
 * Aborting the signal ends every call with the signal's reason: nothing more is signed, and what is pending stays on
 * disk for the next run's {@link Outbox.resume}.
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
  const { chainName, registry, stateDir, locks, signer, log, observe, openView, settledBlocks } = options
  const { now = Date.now } = options
  const destination = { chainName, attestationRegistryPackageHash: registry.packageHash }
  const store = createAttestationStore(stateDir, destination)
  let pendingByFeed = new Map<string, PendingAttestations>()
  const sender = createDurableSender<AttestPurpose>({
    ...options,
    store,
    concurrency: MAX_IN_FLIGHT,
    exclusive: {
      keysOf: pendingFeedIds,
      taken: pendingError,
      lock: locks.hold,
    },
    onStep: reportSendStep,
    beforeRemove: record,
  })

  function pendingError(feedId: string, pending: PendingAttestations | null): FeedPendingError {
    const { transaction_hash = null, expires_at = null } = pending ?? {}
    return new FeedPendingError(feedId, { transactionHash: transaction_hash, waitsUntil: expires_at }, now())
  }

  async function report(step: OutboxStep): Promise<void> {
    if (log !== undefined) logStep(log, step)
    await observe?.(step)
  }

  function notePending({ step, pending }: SendStep<AttestPurpose>): void {
    for (const feedId of pendingFeedIds(pending))
      if (step === 'removed' || step === 'not_removed') pendingByFeed.delete(feedId)
      else pendingByFeed.set(feedId, pending)
  }

  async function reportSendStep(sendStep: SendStep<AttestPurpose>): Promise<void> {
    notePending(sendStep)
    await options.sentLog
      ?.note(sendStep)
      .catch((error) =>
        log?.warn(
          { reason: systemReason(error) },
          'cannot record what was sent: it may look like that of another program',
        ),
      )
    const step = outboxStepOf(sendStep)
    if (step !== null) await report(step)
    if (sendStep.step === 'not_removed')
      log?.warn(
        { transaction_hash: sendStep.pending.transaction_hash, error: sendStep.error.message },
        'a settled file stays',
      )
    if (sendStep.step === 'clock_off')
      log?.warn({ ahead_s: Math.round(sendStep.aheadMs / 1_000) }, `${clockWords(sendStep.aheadMs)}: set it`)
  }

  /** Checks everything that would make the transaction fail and lose its payment, the chain last. */
  async function prepare(
    attestations: readonly SourcedAttestation[],
    basis: Basis | null,
    reserve: (paymentMotes: bigint) => Promise<void>,
  ): Promise<{ request: SendRequest<AttestPurpose>; dropped: readonly DroppedAttestation[] }> {
    await reserve(createAttestCall(attestations, options).paymentMotes)
    const { kept, dropped } = await checkChain(await openView(), signer.accountHash, attestations, basis)
    await report({ step: 'checked', feedIds: feedIdsOf(attestations), dropped })
    await options.archive?.append(kept)
    const { entryPoint, ...call } = createAttestCall(kept, options)
    const target = { packageHash: registry.packageHash, entryPoint }
    return { request: { ...call, target, purpose: createAttestPurpose(kept) }, dropped }
  }

  /** Records the block of a transaction that was executed. */
  async function record(settlement: Settled, pending: PendingAttestations): Promise<void> {
    if (settlement.outcome !== 'executed') return
    const { blockHeight: height } = settlement.executed
    await settledBlocks.record(pendingFeedIds(pending), { height, before: pending.expires_at })
    await report({ step: 'recorded', ...namesOf(pending) })
  }

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
      pendingByFeed = new Map(pending.flatMap((each) => pendingFeedIds(each).map((feedId) => [feedId, each])))
      return pending
    },
    pendingOf: (feedId) => pendingByFeed.get(feedId) ?? null,
    assertFree(feedId) {
      // First the locks: what another process has pending is that of a backfill, maybe.
      locks.assertFree(feedId)
      const pending = pendingByFeed.get(feedId)
      if (pending !== undefined) throw pendingError(feedId, pending)
    },
    async attest(attestations, basis = null) {
      let dropped: readonly DroppedAttestation[] = []
      try {
        const { settlement } = await sender.send({
          keys: feedIdsOf(attestations),
          async prepare(reserve) {
            const prepared = await prepare(attestations, basis, reserve)
            dropped = prepared.dropped
            return prepared.request
          },
        })
        return { executed: assertExecuted(settlement), dropped }
      } catch (error) {
        if (!(error instanceof NothingToAttestError)) throw error
        return { executed: null, dropped: error.dropped }
      }
    },
  }
}

/** Creates an outbox that sends nothing, and checks arguments, gas and balance. */
export function createDryRun({
  rpc,
  signer,
  ...batch
}: BatchOptions & { rpc: Rpc; signer: Signer | null }): Outbox {
  return {
    ...batch,
    resume: async () => [],
    listPending: async () => [],
    pendingOf: () => null,
    assertFree: () => {},
    async attest(attestations) {
      const { paymentMotes } = createAttestCall(attestations, batch)
      if (signer !== null) await assertCanPay(rpc, signer, paymentMotes)
      return { executed: null, dropped: [] }
    },
  }
}

/** Without a key, no balance is checked. */
async function assertCanPay(rpc: Rpc, signer: Signer, neededMotes: bigint): Promise<void> {
  await assertMaySign(rpc, signer)
  const balanceMotes = await getBalance(rpc, signer.initiator)
  if (balanceMotes === null || balanceMotes < neededMotes)
    throw new BalanceError(signer.accountHash, balanceMotes, neededMotes)
}
