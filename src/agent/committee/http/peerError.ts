import { WattfeedError } from '../../../errors.ts'

/** A member that does not answer, or not as the protocol says. */
export class PeerError extends WattfeedError {
  static override readonly name = 'PeerError'
  readonly code = 'peer'
  readonly retryable = true

  constructor(
    /** The member's name, or the account hash of its key. */
    readonly member: string,
    /** Continues "member north": `answers HTTP 500: …` */
    readonly reason: string,
    /** When the member asked to send the next request, in milliseconds; null if it did not. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`member ${member} ${reason}`)
  }
}
