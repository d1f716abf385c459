import { DecodeError } from '../../bytes/cursor.ts'
import { WattfeedError } from '../../errors.ts'
import { isTooLarge, TransportError } from './postJson.ts'

/** No node gave a good answer. */
export class AllNodesFailedError extends WattfeedError {
  static override readonly name = 'AllNodesFailedError'
  readonly code = 'all_nodes_failed'
  readonly retryable: boolean
  /** How long all nodes ask to be left alone, in milliseconds, or null if one did not say so. */
  readonly retryAfterMs: number | null

  constructor(
    /** The JSON-RPC method. */
    readonly method: string,
    /** What each node did wrong, in the order they were asked. */
    readonly failures: readonly { host: string; error: Error }[],
  ) {
    super(`${method} failed: ${failures.map(({ host, error }) => `${host}: ${error.message}`).join('; ')}`)
    this.retryable = failures.some(({ error }) => isRetryable(error))
    const waits = failures.map(({ error }) => retryAfterMs(error)).filter((wait) => wait !== null)
    this.retryAfterMs = waits.length === failures.length ? Math.min(...waits) : null
  }
}

/** The time for a read is up. */
export class DeadlineError extends WattfeedError {
  static override readonly name = 'DeadlineError'
  readonly code = 'deadline'
  readonly retryable = true

  constructor(
    readonly deadlineMs: number,
    /** What the nodes were doing, or null if none had been asked yet. */
    readonly lastFailure: string | null,
  ) {
    super(
      `no answer within ${deadlineMs} ms${lastFailure === null ? '' : `; ${lastFailure}`}; try again later`,
    )
  }
}

/** Whether the same call can succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof WattfeedError && error.retryable
}

/** Whether all that the nodes did wrong was to send what does not decode, or is too large to be read: it may be so on chain. */
export function isUndecodable(error: unknown): error is AllNodesFailedError {
  return (
    error instanceof AllNodesFailedError &&
    error.failures.every(({ error: failure }) => failure instanceof DecodeError || isTooLarge(failure))
  )
}

const WRONG_ANSWERS = new Set(['decode', 'merkle_proof', 'verification'])

/** Whether all that the nodes did wrong was to answer what does not decode or is not proven. */
export function isWrongAnswer(error: unknown): boolean {
  if (error instanceof AllNodesFailedError)
    return error.failures.every(({ error: failure }) => isWrongAnswer(failure))
  return error instanceof WattfeedError && WRONG_ANSWERS.has(error.code)
}

/** How long a node asks to be left alone, in milliseconds, as an error tells it, or null. */
export function retryAfterMs(error: unknown): number | null {
  return error instanceof TransportError || error instanceof AllNodesFailedError ? error.retryAfterMs : null
}
