import { defineError, WattfeedError } from '@wattfeed/base'
import { formatHolder, type LockHolder } from '@wattfeed/base/disk'

/** An attestation of the feed is in flight, and another one could attest the value twice. Nothing was sent. */
export class FeedPendingError extends WattfeedError {
  static override readonly name = 'FeedPendingError'
  readonly code = 'feed_pending'
  readonly retryable = true

  /** 64 hex digits, or null if the transaction is not signed yet or another process's. */
  readonly transactionHash: string | null
  /** When it expires, in epoch milliseconds; null if that is not known. */
  readonly waitsUntil: number | null
  /** The attesting process; null if it is this one, or has ended. */
  readonly holder: LockHolder | null

  constructor(
    readonly feedId: string,
    { transactionHash = null, waitsUntil = null, holder = null }: Partial<PendingFacts>,
    /** Epoch milliseconds. */
    now: number = Date.now(),
  ) {
    super(pendingMessage(feedId, { transactionHash, waitsUntil, holder }, now))
    this.transactionHash = transactionHash
    this.waitsUntil = waitsUntil
    this.holder = holder
  }
}

type PendingFacts = Pick<FeedPendingError, 'transactionHash' | 'waitsUntil' | 'holder'>

function pendingMessage(
  feedId: string,
  { transactionHash, waitsUntil, holder }: PendingFacts,
  now: number,
): string {
  if (holder !== null)
    return `${feedId} is being attested by ${formatHolder(holder)}; wait until that is done`
  const where = transactionHash === null ? '' : ` in transaction ${transactionHash}`
  return `${feedId} has an attestation in flight${where}; wait until that is settled${expiryWords(waitsUntil, now)}`
}

/** Returns when a transaction expires or expired, as the end of a sentence. */
export function expiryWords(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return ''
  const time = new Date(expiresAt).toISOString()
  return expiresAt > now
    ? `, at the latest when it expires, at ${time}`
    : `; it expired at ${time}, and no node has confirmed yet that it was not executed: check the nodes in CASPER_RPC_URL`
}

/** A backfill attests the feed's past, and no other process attests to it until the backfill ends. Nothing was sent. */
export const FeedBackfillingError = defineError(
  'FeedBackfillingError',
  'backfilling',
  (facts: { feedId: string; holder: LockHolder }) =>
    `${facts.feedId} is being backfilled by ${formatHolder(facts.holder)}; the agent skips it until then and resumes by itself`,
  { retryable: true },
)
export type FeedBackfillingError = InstanceType<typeof FeedBackfillingError>
