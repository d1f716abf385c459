import { WattfeedError } from '../../errors.ts'

/** A node that said that nothing is stored where another one has a value. */
export class HiddenValueError extends WattfeedError {
  static override readonly name = 'HiddenValueError'
  readonly code = 'hidden_value'
  readonly retryable = true

  constructor(readonly what: string) {
    super(`the node hides ${what}, which another one has; ask another node`)
  }
}
