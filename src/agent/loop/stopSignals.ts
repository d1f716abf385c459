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

/** How the agent is ended. */
export interface StopSignals {
  /** Begin nothing new, and wait for what is in flight. */
  stop: AbortSignal
  /** Wait no longer. */
  abandon: AbortSignal
  /** Ends the agent; what is in flight may take a while. */
  end(): void
}

/** How long transactions in flight may take when the agent is to end: containers are killed after ten seconds. */
const GRACE_MS = 8_000

/** Makes the signals that end an agent. */
export function createStopSignals(wait: (ms: number) => Promise<void>): StopSignals {
  const stop = new AbortController()
  const abandon = new AbortController()
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    end() {
      if (stop.signal.aborted) return
      stop.abort(new StoppedError())
      wait(GRACE_MS).then(() => abandon.abort(new StoppedError()))
    },
  }
}
