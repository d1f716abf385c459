import { WattfeedError } from '../../errors.ts'

/** Switch blocks that nobody has asked for yet are fetched one way at a time, and another one is under way. */
export class ProofBusyError extends WattfeedError {
  static override readonly name = 'ProofBusyError'
  readonly code = 'proof_busy'
  readonly retryable = true

  constructor() {
    super('the switch blocks of another proof are being fetched; ask again in some seconds')
  }
}
