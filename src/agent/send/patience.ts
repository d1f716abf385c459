import { WattfeedError } from '@wattfeed/base'
import type { Pending } from '@wattfeed/casper/transaction'
import { expiryWords } from '../state/feedPending.ts'

interface Patience {
  /** In milliseconds; null waits without a limit. */
  readonly patienceMs: number | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The result if the work is not done in time. */
export const LATE: unique symbol = Symbol('late')

/** Waits for work up to a time limit; the work itself continues. */
export async function withPatience<T>(
  work: Promise<T>,
  { patienceMs, wait }: Patience,
): Promise<T | typeof LATE> {
  if (patienceMs === null) return work
  const controller = new AbortController()
  const late = wait(patienceMs, controller.signal).then((): typeof LATE => LATE)
  // It rejects if the work is done first.
  late.catch(() => {})
  try {
    return await Promise.race<T | typeof LATE>([work, late])
  } finally {
    controller.abort()
  }
}

/** A transaction takes longer than its feeds wait. It is still followed. */
export class TransactionSlowError extends WattfeedError {
  static override readonly name = 'TransactionSlowError'
  readonly code = 'transaction_slow'
  readonly retryable = true
  /** 64 hex digits; null if it is not signed yet. */
  readonly transactionHash: string | null
  /** When it expires, in epoch milliseconds; null if it is not signed yet. */
  readonly waitsUntil: number | null

  constructor(
    pending: Pick<Pending, 'transaction_hash' | 'expires_at'> | null,
    readonly patienceMs: number,
    /** Epoch milliseconds. */
    now: number,
  ) {
    const { transaction_hash = null, expires_at = null } = pending ?? {}
    super(
      `transaction ${transaction_hash ?? '(not signed yet)'} is not executed after ${patienceMs} ms; the agent still follows it and skips its feeds until it is settled${expiryWords(expires_at, now)}`,
    )
    this.transactionHash = transaction_hash
    this.waitsUntil = expires_at
  }
}
