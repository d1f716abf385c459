import {
  createDurableSender,
  isSettled,
  type SendRequest,
  type SendStep,
  type SendTerms,
  type Settlement,
} from '../../casper/transaction/durableSender.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import { clockWords } from '../../casper/transaction/nodeClock.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { Client } from '../../client/createClient.ts'
import type { Registry } from '../../client/registry.ts'
import type { Log } from '../../runtime/log.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import type { SourcedAttestation } from '../decide.ts'
import type { Archive } from './archive.ts'
import { type BatchOptions, createAttestCall } from './attestCall.ts'
import { type Basis, checkChain, type DroppedAttestation, feedIdsOf } from './checkChain.ts'
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
  attestationsOf,
  createAttestationStore,
  createAttestPurpose,
  type PendingAttestations,
  pendingFeedIds,
} from './pendingAttestations.ts'
import { type ReadBack, readBack } from './readBack.ts'
import type { SentLog } from './sentLog.ts'

/** The most transactions in flight at once: many, as one that waits for its end must not keep other feeds waiting. */
const MAX_IN_FLIGHT = 64

export interface OutboxOptions extends BatchOptions, SendTerms, Omit<FollowOptions, 'onEvent'> {
  chainName: string
  /** The AttestationRegistry. */
  registry: Registry
  /** Reads the same chain and registries, always at a fresh state root (`maxStalenessMs` 0, the default). */
  client: Client
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
  /** Called with the values that transactions, also resumed ones, have put on chain, and awaited. Must not throw. */
  onValues?: (values: readonly ReadBack[]) => unknown
}

/** A transaction that was executed and succeeded. */
export interface ConfirmedTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  /** 64 hex digits. */
  readonly blockHash: string
  readonly blockHeight: number
  /** The gas it used. */
  readonly consumedMotes: bigint
  /** What it cost the account. */
  readonly chargedMotes: bigint
  /** The feeds it attested to. */
  readonly feedIds: readonly string[]
  /** Their newest values as of its block, in that order; null if no node showed them in time. */
  readonly readBack: readonly ReadBack[] | null
  /** What was not sent, because the chain already held it or a newer value. */
  readonly dropped: readonly DroppedAttestation[]
}

/** Attests values, each exactly once, whatever happens to the nodes and to this process. */
export interface Outbox {
  /**
   * Settles what an earlier run or call left pending: the same bytes are sent again until they are executed or expired.
   * What another process is following is left to it. Returns one result each.
   *
   * @throws {PendingFileError} before anything is sent.
   * @throws {ForeignPendingError} before anything is sent.
   * @throws {TransactionUnresolvedError} or the reason of an abort, if one stays pending; the others are settled.
   */
  resume(): Promise<readonly SettledTransaction[]>
  /**
   * Attests 1 to 5 values in one transaction and waits until it is executed. Up to {@link MAX_IN_FLIGHT} calls run at
   * once, further ones wait. With a basis all are of one feed, and none is sent if the chain holds another newest value.
   *
   * @throws before anything is sent: an `ArgumentError`, `PaymentError`, `NoLaneError`, `BalanceError`,
   * `NotClaimantError`, `NothingToAttestError`, `ChainMovedError`, `FeedPendingError`, `FeedBackfillingError` or
   * `PendingFileError`; later, what `sendTransaction` throws.
   */
  attest(attestations: readonly SourcedAttestation[], basis?: Basis | null): Promise<ConfirmedTransaction>
  /** Lists everything that is not settled, also of other processes. Throws as {@link Outbox.resume} does. */
  listPending(): Promise<readonly PendingAttestations[]>
  /** Asserts that no other process attests to a feed. @throws {FeedPendingError | FeedBackfillingError} */
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
 * const { transactionHash, chargedMotes } = await outbox.attest([{ feed_id, period, amount, source_hash, source }])
 * ```
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { chainName, registry, stateDir, locks, client, signer, log, observe, onValues } = options
  const destination = { chainName, attestationRegistryPackageHash: registry.packageHash }
  const store = createAttestationStore(stateDir, destination)
  const sender = createDurableSender<AttestPurpose>({
    ...options,
    store,
    concurrency: MAX_IN_FLIGHT,
    exclusive: {
      keysOf: pendingFeedIds,
      taken: (feedId, pending) =>
        new FeedPendingError(
          feedId,
          { transactionHash: pending?.transaction_hash ?? null, waitsUntil: pending?.expires_at ?? null },
          (options.now ?? Date.now)(),
        ),
      lock: locks.hold,
    },
    onStep: reportSendStep,
  })

  async function report(step: OutboxStep): Promise<void> {
    if (log !== undefined) logStep(log, step)
    await observe?.(step)
  }

  async function reportSendStep(sendStep: SendStep<AttestPurpose>): Promise<void> {
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
    const { kept, dropped } = await checkChain(client, signer.accountHash, attestations, basis)
    await report({ step: 'checked', feedIds: feedIdsOf(attestations), dropped })
    await options.archive?.append(kept)
    const { entryPoint, ...call } = createAttestCall(kept, options)
    const target = { packageHash: registry.packageHash, entryPoint }
    return { request: { ...call, target, purpose: createAttestPurpose(destination, kept) }, dropped }
  }

  /** Throws unless the transaction is settled; returns the error of one that did not succeed. */
  async function confirm(
    settlement: Settlement,
    pending: PendingAttestations,
  ): Promise<Omit<ConfirmedTransaction, 'dropped'> | { error: Error }> {
    if (!isSettled(settlement)) throw settlement.error
    if (settlement.outcome !== 'executed') return settlement
    const { transactionHash, blockHash, blockHeight, consumedMotes, chargedMotes } = settlement.executed
    const read = await readBack(attestationsOf(pending), blockHash, options)
    await report({ step: 'read_back', ...namesOf(pending), ...read })
    await onValues?.(read.readBack ?? [])
    const cost = { consumedMotes, chargedMotes }
    const feedIds = pendingFeedIds(pending)
    return { transactionHash, blockHash, blockHeight, ...cost, feedIds, readBack: read.readBack }
  }

  /** Reads values back only if `onValues` wants them. */
  async function recordResumed(
    settlement: Settlement,
    pending: PendingAttestations,
  ): Promise<SettledTransaction> {
    if (!isSettled(settlement)) throw settlement.error
    if (settlement.outcome === 'executed' && onValues !== undefined) {
      const read = await readBack(attestationsOf(pending), settlement.executed.blockHash, options)
      await onValues(read.readBack ?? [])
    }
    return settledTransaction(pending, settlement)
  }

  return {
    resume: () => sender.resume(recordResumed),
    listPending: sender.listPending,
    assertFree: locks.assertFree,
    async attest(attestations, basis = null) {
      let dropped: readonly DroppedAttestation[] = []
      const confirmed = await sender.send({
        keys: feedIdsOf(attestations),
        async prepare(reserve) {
          const prepared = await prepare(attestations, basis, reserve)
          dropped = prepared.dropped
          return prepared.request
        },
        recordOutcome: confirm,
      })
      if ('error' in confirmed) throw confirmed.error
      return { ...confirmed, dropped }
    },
  }
}
