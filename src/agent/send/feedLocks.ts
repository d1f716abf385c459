import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { WattfeedError } from '../../errors.ts'
import { acquireLock, formatHolder, LockedError, type LockHolder } from '../../runtime/lockFile.ts'

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
    super(
      holder === null
        ? `${feedId} has an attestation in flight${transactionHash === null ? '' : ` in transaction ${transactionHash}`}; wait until that is settled${expiryWords(waitsUntil, now)}`
        : `${feedId} is being attested by ${formatHolder(holder)}; wait until that is done`,
    )
    this.transactionHash = transactionHash
    this.waitsUntil = waitsUntil
    this.holder = holder
  }
}

type PendingFacts = Pick<FeedPendingError, 'transactionHash' | 'waitsUntil' | 'holder'>

/** Returns when a transaction expires or expired, as the end of a sentence. */
export function expiryWords(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return ''
  const time = new Date(expiresAt).toISOString()
  return expiresAt > now
    ? `, at the latest when it expires, at ${time}`
    : `; it expired at ${time}, and no node has confirmed yet that it was not executed: check the nodes in CASPER_RPC_URL`
}

/** A backfill attests the feed's past, and no other process attests to it until the backfill ends. Nothing was sent. */
export class FeedBackfillingError extends WattfeedError {
  static override readonly name = 'FeedBackfillingError'
  readonly code = 'backfilling'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    readonly holder: LockHolder,
  ) {
    super(
      `${feedId} is being backfilled by ${formatHolder(holder)}; the agent skips it until then and resumes by itself`,
    )
  }
}

/** Locks of feeds among the processes that share a state folder. */
export interface FeedLocks {
  /**
   * Locks a feed against other processes until disposed. The same process may hold it several times.
   *
   * @throws {FeedPendingError | FeedBackfillingError} if another process holds it.
   * @throws {UnlockableError} if the state folder is read-only.
   */
  hold(feedId: string): Disposable
  /** Asserts that no other process holds a feed. Throws as {@link FeedLocks.hold} does. */
  assertFree(feedId: string): void
}

/** The purpose of a process, stored in the lock's text. */
export type AttestingPurpose = 'agent' | 'attest' | 'backfill'

/**
 * Creates the locks of one process. They are files in the state folder. The kernel frees them however the process ends.
 *
 * @example
 * ```ts
 * const locks = createFeedLocks(stateDir, 'backfill')
 * using _ = locks.hold(feedId)
 * const outbox = createOutbox({ …, stateDir, locks })
 * ```
 */
export function createFeedLocks(stateDir: string, purpose: AttestingPurpose): FeedLocks {
  const held = new Map<string, { lock: Disposable; count: number }>()
  // An id may be longer than a file name and contain any character.
  const pathOf = (feedId: string): string =>
    join(stateDir, 'locks', new Bun.CryptoHasher('sha256').update(feedId).digest('hex'))

  function acquire(feedId: string): Disposable {
    try {
      return acquireLock(pathOf(feedId), purpose)
    } catch (error) {
      throw error instanceof LockedError ? heldElsewhere(feedId, error) : error
    }
  }

  function hold(feedId: string): Disposable {
    const entry = held.get(feedId) ?? { lock: acquire(feedId), count: 0 }
    entry.count += 1
    held.set(feedId, entry)
    const resources = new DisposableStack()
    resources.defer(() => {
      entry.count -= 1
      if (entry.count > 0) return
      held.delete(feedId)
      entry.lock[Symbol.dispose]()
    })
    return resources
  }

  return {
    hold,
    assertFree(feedId) {
      // Without a file, no process holds the lock. That is the usual case, and avoids locking.
      if (existsSync(pathOf(feedId))) hold(feedId)[Symbol.dispose]()
    },
  }
}

function heldElsewhere(feedId: string, { holder: id, host, purpose }: LockedError): WattfeedError {
  const holder = { id, host, purpose }
  return purpose === 'backfill'
    ? new FeedBackfillingError(feedId, holder)
    : new FeedPendingError(feedId, { holder })
}
