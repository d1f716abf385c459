import { WattfeedError } from '../../errors.ts'

/** The agent was told to stop before a feed was done. */
export class StoppedError extends WattfeedError {
  static override readonly name = 'StoppedError'
  readonly code = 'stopped'
  readonly retryable = true

  constructor() {
    super('the agent was stopped before this was done; the next run goes on where it ended')
  }
}
