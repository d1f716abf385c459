import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { signTransaction } from '../../casper/transaction/signTransaction.ts'
import type { NewAttestation } from '../attestArguments.ts'
import { createAttestCall } from './attestCall.ts'
import { checkChain, feedIdsOf } from './checkChain.ts'
import type { DroppedAttestation, Kept } from './dropSuperseded.ts'
import type { Outgoing } from './inFlight.ts'
import { type OutboxContext, tell } from './outboxContext.ts'
import { createPendingTransaction, type PendingTransaction, pendingFeedIds } from './pendingTransaction.ts'
import { removePending, writePending } from './pendingTransactions.ts'
import { type ReadBack, readBack } from './readBack.ts'
import { reservePayment } from './reservePayment.ts'
import { forgetPending, settlePending } from './settlePending.ts'

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

/** Checks, signs, writes down, sends, follows and reads back one transaction. */
export async function attestOnce(
  context: OutboxContext,
  attestations: readonly NewAttestation[],
): Promise<ConfirmedTransaction> {
  const outgoing = context.inFlight.begin(feedIdsOf(attestations))
  try {
    const { kept, dropped } = await check(context, outgoing, attestations)
    const pending = await sign(context, kept)
    await writeDown(context, outgoing, pending)
    const { executed, error } = await settlePending(context, outgoing, pending, false)
    if (executed !== null) return await confirm(context, outgoing, { pending, executed, kept, dropped })
    await forgetPending(context, outgoing, pending)
    throw error
  } finally {
    context.inFlight.release(outgoing)
  }
}

/** Everything that would make the transaction fail, and lose its payment; the chain comes last. */
async function check(
  context: OutboxContext,
  outgoing: Outgoing,
  attestations: readonly NewAttestation[],
): Promise<Kept> {
  const { paymentMotes } = createAttestCall(attestations, context)
  await reservePayment(context, outgoing, paymentMotes)
  const checked = await checkChain(context.client, context.signer.accountHash, attestations)
  await tell(context, { step: 'checked', feedIds: outgoing.feedIds, dropped: checked.dropped })
  return checked
}

async function sign(context: OutboxContext, kept: readonly NewAttestation[]): Promise<PendingTransaction> {
  const { signal, signer, chainName, attestationRegistryPackageHash, now = Date.now } = context
  const { entryPoint, args, paymentMotes } = createAttestCall(kept, context)
  signal?.throwIfAborted()
  const signed = await signTransaction(signer, {
    chainName,
    target: { packageHash: attestationRegistryPackageHash, entryPoint },
    args,
    paymentMotes,
    timestamp: now(),
  })
  const pending = createPendingTransaction(signed, { ...context, paymentMotes, attestations: kept })
  await tell(context, { step: 'signed', transactionHash: signed.hash, feedIds: pendingFeedIds(pending) })
  return pending
}

/** Before the first byte goes out. From here on the transaction is pending, whatever happens to this process. */
async function writeDown(
  context: OutboxContext,
  outgoing: Outgoing,
  pending: PendingTransaction,
): Promise<void> {
  const { stateDir, signal } = context
  const { transaction_hash: transactionHash } = pending
  signal?.throwIfAborted()
  outgoing.pending = pending
  try {
    await writePending(stateDir, pending)
  } catch (error) {
    // It may be there all the same, and the next run would send it: only once it is not, this never happened.
    await removePending(stateDir, transactionHash).then(() => {
      outgoing.pending = null
    }, ignore)
    throw error
  }
  await tell(context, { step: 'written', transactionHash, feedIds: pendingFeedIds(pending) })
}

const ignore = (): void => {}

interface Executed extends Kept {
  readonly pending: PendingTransaction
  readonly executed: ExecutedTransaction
}

async function confirm(
  context: OutboxContext,
  outgoing: Outgoing,
  { pending, executed, kept, dropped }: Executed,
): Promise<ConfirmedTransaction> {
  const { transactionHash, blockHash, blockHeight, consumedMotes, chargedMotes } = executed
  const feedIds = pendingFeedIds(pending)
  const read = await readBack(kept, blockHash, context)
  await tell(context, { step: 'read_back', transactionHash, feedIds, ...read })
  await forgetPending(context, outgoing, pending)
  const cost = { consumedMotes, chargedMotes }
  return { transactionHash, blockHash, blockHeight, ...cost, feedIds, readBack: read.readBack, dropped }
}
