import {
  createDurableSender,
  isSettled,
  type SendRequest,
  type SendStep,
  type Settlement,
} from '../../casper/transaction/durableSender.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { Client } from '../../client/createClient.ts'
import type { Registry } from '../../client/registry.ts'
import { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import type { Log } from '../../runtime/log.ts'
import { type BatchOptions, createAttestCall } from './attestCall.ts'
import { checkChain, type DroppedAttestation, feedIdsOf } from './checkChain.ts'
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

/** A feed whose earlier transaction is not settled: another one could attest the same twice. Nothing was sent. */
export class FeedPendingError extends WattfeedError {
  static override readonly name = 'FeedPendingError'
  readonly code = 'feed_pending'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** 64 hex digits, or null where the transaction is not signed yet. */
    readonly transactionHash: string | null,
  ) {
    super(
      `${feedId} has an attestation on its way${transactionHash === null ? '' : ` in transaction ${transactionHash}`}; wait until that is settled`,
    )
  }
}

/** The most transactions that are on their way at once. */
const MAX_IN_FLIGHT = 8

/** What an outbox works with. */
export interface OutboxOptions extends BatchOptions, Omit<FollowOptions, 'onEvent'> {
  chainName: string
  /** The AttestationRegistry. */
  registry: Registry
  /** Reads the same chain and registries, always at a fresh state root (`maxStalenessMs` 0, the default). */
  client: Client
  signer: Signer
  /** `AGENT_STATE_DIR`, of which this process holds the lock. */
  stateDir: string
  log?: Log
  /** Told of every step, and waited for. Must not throw. */
  observe?: (step: OutboxStep) => unknown
  /** Told of the values that transactions have put on chain, of resumed ones too. */
  onValues?: (values: readonly ReadBack[]) => void
}

/** A transaction that was executed and succeeded. */
export interface ConfirmedTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  /** 64 hex digits. */
  readonly blockHash: string
  readonly blockHeight: number
  /** The gas that it used. */
  readonly consumedMotes: bigint
  /** What it cost the account. */
  readonly chargedMotes: bigint
  /** The feeds that it attested to. */
  readonly feedIds: readonly string[]
  /** Their newest values as of its block, in that order; null where no node showed them in time. */
  readonly readBack: readonly ReadBack[] | null
  /** What was not sent, because the chain held it, or a newer value, already. */
  readonly dropped: readonly DroppedAttestation[]
}

/** Attests values, each exactly once, whatever happens to the nodes and to this process. */
export interface Outbox {
  /**
   * Settles what an earlier run, or an earlier call, left pending: the same bytes go out again until they are
   * executed or have expired. One result for each; none where nothing is pending.
   *
   * Throws a `PendingFileError` or a `ForeignPendingError` before anything is sent. Throws a
   * `TransactionUnresolvedError`, or the reason of an abort, where one stays pending; the others are settled.
   */
  resume(): Promise<readonly SettledTransaction[]>
  /**
   * Attests 1 to 5 values in one transaction and waits until it is executed. Up to {@link MAX_IN_FLIGHT} calls work
   * at once, further ones wait.
   *
   * Throws an `ArgumentError`, `PaymentError`, `NoLaneError`, `BalanceError`, `NotClaimantError`,
   * `NothingToAttestError`, `FeedPendingError` or `PendingFileError` before anything is sent, and what
   * `sendTransaction` throws after that.
   */
  attest(attestations: readonly NewAttestation[]): Promise<ConfirmedTransaction>
  /** Everything that is pending on disk. Throws as {@link Outbox.resume} does. */
  listPending(): Promise<readonly PendingAttestations[]>
}

/**
 * Creates an outbox. What it signs is written to `stateDir` before it is sent, so only one process may work with a
 * state directory at a time: hold its lock as long as the outbox lives.
 *
 * An abort of the signal ends every call with the signal's reason: nothing more is signed, and what is pending stays
 * on disk for the next run's {@link Outbox.resume}.
 *
 * @example
 * ```ts
 * using _ = acquireLock(join(stateDir, 'lock'))
 * const outbox = createOutbox({ rpc, client, signer, chainName, registry, stateDir, offersMany: true, paymentMotes: null })
 * await outbox.resume()
 * const { transactionHash, chargedMotes } = await outbox.attest([{ feedId, period, amount, sourceHash }])
 * ```
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { chainName, registry, stateDir, client, signer, log, observe, onValues } = options
  const destination = { chainName, attestationRegistryPackageHash: registry.packageHash }
  const store = createAttestationStore(stateDir, destination)
  const sender = createDurableSender<AttestPurpose>({
    ...options,
    store,
    concurrency: MAX_IN_FLIGHT,
    exclusive: {
      keysOf: pendingFeedIds,
      taken: (feedId, transactionHash) => new FeedPendingError(feedId, transactionHash),
    },
    onStep: tellSendStep,
  })

  async function tell(step: OutboxStep): Promise<void> {
    if (log !== undefined) logStep(log, step)
    await observe?.(step)
  }

  async function tellSendStep(told: SendStep<AttestPurpose>): Promise<void> {
    const step = outboxStepOf(told)
    if (step !== null) await tell(step)
    if (told.step === 'not_removed')
      log?.warn(
        { transaction_hash: told.pending.transaction_hash, error: told.error.message },
        'a settled file stays',
      )
  }

  /** Everything that would make the transaction fail, and lose its payment; the chain comes last. */
  async function prepare(
    attestations: readonly NewAttestation[],
    reserve: (paymentMotes: bigint) => Promise<void>,
  ): Promise<{ request: SendRequest<AttestPurpose>; dropped: readonly DroppedAttestation[] }> {
    await reserve(createAttestCall(attestations, options).paymentMotes)
    const { kept, dropped } = await checkChain(client, signer.accountHash, attestations)
    await tell({ step: 'checked', feedIds: feedIdsOf(attestations), dropped })
    const { entryPoint, ...call } = createAttestCall(kept, options)
    const target = { packageHash: registry.packageHash, entryPoint }
    return { request: { ...call, target, purpose: createAttestPurpose(destination, kept) }, dropped }
  }

  /** Throws unless the transaction may be forgotten, and the error of one that came to nothing. */
  async function confirm(
    settlement: Settlement,
    pending: PendingAttestations,
  ): Promise<Omit<ConfirmedTransaction, 'dropped'> | { error: Error }> {
    if (!isSettled(settlement)) throw settlement.error
    if (settlement.outcome !== 'executed') return settlement
    const { transactionHash, blockHash, blockHeight, consumedMotes, chargedMotes } = settlement.executed
    const read = await readBack(attestationsOf(pending), blockHash, options)
    await tell({ step: 'read_back', ...namesOf(pending), ...read })
    onValues?.(read.readBack ?? [])
    const cost = { consumedMotes, chargedMotes }
    const feedIds = pendingFeedIds(pending)
    return { transactionHash, blockHash, blockHeight, ...cost, feedIds, readBack: read.readBack }
  }

  /** Values of the run before are read back only for who wants to know them. */
  async function noteResumed(
    settlement: Settlement,
    pending: PendingAttestations,
  ): Promise<SettledTransaction> {
    if (!isSettled(settlement)) throw settlement.error
    if (settlement.outcome === 'executed' && onValues !== undefined) {
      const read = await readBack(attestationsOf(pending), settlement.executed.blockHash, options)
      onValues(read.readBack ?? [])
    }
    return settledTransaction(pending, settlement)
  }

  return {
    resume: () => sender.resume(noteResumed),
    listPending: store.list,
    async attest(attestations) {
      let dropped: readonly DroppedAttestation[] = []
      const confirmed = await sender.send({
        keys: feedIdsOf(attestations),
        async prepare(reserve) {
          const prepared = await prepare(attestations, reserve)
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
