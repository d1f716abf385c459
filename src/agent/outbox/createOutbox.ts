import pLimit from 'p-limit'
import { createRegistry } from '../../client/registry.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { attestOnce, type ConfirmedTransaction } from './attestOnce.ts'
import { createInFlight, type Outgoing } from './inFlight.ts'
import { type OutboxContext, type OutboxOptions, tell } from './outboxContext.ts'
import type { PendingTransaction } from './pendingTransaction.ts'
import { listPending, removeUnfinished } from './pendingTransactions.ts'
import type { SettledTransaction } from './settledTransaction.ts'
import { forgetPending, settlePending } from './settlePending.ts'

/** The most transactions that are on their way at once. */
const MAX_IN_FLIGHT = 8

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
 * const outbox = createOutbox({ rpc, client, signer, chainName, attestationRegistryPackageHash, stateDir,
 *   paymentMotes: null, offersMany: true })
 * await outbox.resume()
 * const { transactionHash, chargedMotes } = await outbox.attest([{ feedId, period, amount, sourceHash }])
 * ```
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { rpc, attestationRegistryPackageHash, stateDir, signal, now = Date.now } = options
  const registry = createRegistry(rpc, 'AttestationRegistry', attestationRegistryPackageHash, now)
  const inFlight = createInFlight()
  const context: OutboxContext = { ...options, registry, inFlight }
  const limit = pLimit(MAX_IN_FLIGHT)
  let loaded: Promise<void> | null = null

  async function load(): Promise<void> {
    await removeUnfinished(stateDir)
    for (const pending of await listPending(stateDir, options)) inFlight.add(pending)
  }

  /** Once: from then on all that is pending is this outbox's own. A fault is looked for again. */
  function knowPending(): Promise<void> {
    loaded ??= load().catch((error) => {
      loaded = null
      throw error
    })
    return loaded
  }

  return {
    async resume() {
      await knowPending()
      const results = await Promise.allSettled(
        inFlight.takeUp().map((left) => limit(() => resumeOne(context, left))),
      )
      return results.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
    },
    attest: (attestations) =>
      limit(async () => {
        signal?.throwIfAborted()
        await knowPending()
        return attestOnce(context, attestations)
      }),
  }
}

async function resumeOne(
  context: OutboxContext,
  { outgoing, pending }: { outgoing: Outgoing; pending: PendingTransaction },
): Promise<SettledTransaction> {
  const { feedIds } = outgoing
  try {
    context.signal?.throwIfAborted()
    await tell(context, { step: 'resumed', transactionHash: pending.transaction_hash, feedIds })
    const { settled } = await settlePending(context, outgoing, pending, true)
    await forgetPending(context, outgoing, pending)
    return settled
  } finally {
    context.inFlight.release(outgoing)
  }
}
