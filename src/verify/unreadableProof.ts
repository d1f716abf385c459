import { WattfeedError } from '../errors.ts'

/** A proof that cannot be read: no file, no answer, or no JSON. */
export class UnreadableProofError extends WattfeedError {
  static override readonly name = 'UnreadableProofError'
  readonly code = 'unreadable_proof'
  readonly retryable = false

  constructor(
    /** The file or URL, without user, password and query. */
    readonly source: string,
    readonly rule: string,
  ) {
    super(`${source} ${rule}`)
  }
}
