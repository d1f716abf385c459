import { defineError, WattfeedError } from '@wattfeed/base'
import type { Message } from './message.ts'

export interface ForwardTarget extends AsyncDisposable {
  /** Host and port, the only parts of its URL that may be shown. */
  readonly host: string
  readonly patience: Patience
  /**
   * Connects, and returns the position to resume from: the stored one, or a later one of the target.
   *
   * @param kept - null if there is none
   */
  open(kept: string | null): Promise<string | null>
  /**
   * Makes one attempt to deliver a message.
   *
   * @param after - the position before it
   * @returns the position to resume from, if another forwarder is past it; else null
   * @throws {DeliveryError} if the attempt failed.
   * @throws {TargetError} if no attempt can succeed.
   */
  deliver(message: Message, after: string): Promise<string | null>
}

export interface Patience {
  attempts: number
  /** The first pause between attempts, in milliseconds. Doubles each time, plus up to 100 % random jitter. */
  minPauseMs: number
  maxPauseMs: number
}

/** A target did not accept a message; `retryable` if it may accept it later. */
export class DeliveryError extends WattfeedError {
  static override readonly name = 'DeliveryError'
  readonly code = 'delivery'

  constructor(
    /** The failure, without the target's URL. */
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

/** A target accepts no messages at all. */
export const TargetError = defineError(
  'TargetError',
  'target',
  (facts: {
    host: string
    /** The fault and the fix. */
    rule: string
  }) => `the target ${facts.host} ${facts.rule}`,
)
