import { WattfeedError } from '../errors.ts'
import type { Message } from './message.ts'

/** Where messages go. */
export interface Target extends AsyncDisposable {
  /** Host and port, all that may be shown of its URL. */
  readonly host: string
  /** How often and how patiently a message is tried. */
  readonly patience: Patience
  /**
   * Connects, and returns the position to resume from: the stored one, or a later one of the target.
   *
   * @param kept - null if there is none
   */
  open(kept: string | null): Promise<string | null>
  /**
   * Hands a message over, once.
   *
   * @param after - the position before it
   * @returns the position to resume from, if another forwarder is past it; else null
   * @throws {DeliveryError} if it was not taken.
   * @throws {TargetError} if it never will be.
   */
  deliver(message: Message, after: string): Promise<string | null>
}

export interface Patience {
  attempts: number
  /** The first pause between attempts, in milliseconds. Doubles each time, plus up to 100 % random jitter. */
  minPauseMs: number
  maxPauseMs: number
}

/** A target did not take a message; not `retryable` if it would not take it later either. */
export class DeliveryError extends WattfeedError {
  static override readonly name = 'DeliveryError'
  readonly code = 'delivery'

  constructor(
    /** What happened, without the target's URL. */
    readonly reason: string,
    readonly retryable: boolean,
    /** The HTTP status, or null if there was none. */
    readonly status: number | null = null,
    /** The target's `Retry-After` in milliseconds, or null if it sent none. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`the message was not delivered: ${reason}`)
  }
}

/** A target cannot be forwarded to, whatever the message. */
export class TargetError extends WattfeedError {
  static override readonly name = 'TargetError'
  readonly code = 'target'
  readonly retryable = false

  constructor(
    readonly host: string,
    /** What is wrong, and the way out. */
    readonly rule: string,
  ) {
    super(`the target ${host} ${rule}`)
  }
}
