import { WattfeedError } from '../../errors.ts'

/** The agent was stopped before a feed was done. */
export class StoppedError extends WattfeedError {
  static override readonly name = 'StoppedError'
  readonly code = 'stopped'
  readonly retryable = true

  constructor() {
    super('the agent was stopped before this was done; the next run goes on where it ended')
  }
}

/** Signals to the agent. */
export interface StopSignals {
  /** Aborted to begin nothing new and wait for what is in flight. */
  stop: AbortSignal
  /** Aborted to wait no longer. */
  abandon: AbortSignal
  /** Ends the agent; what is in flight may take a while. */
  end(): void
  /** Asks for the feeds file to be read again. */
  reload(): void
  /** Returns a signal that is aborted when the feeds file is next asked for. */
  nextReload(): AbortSignal
}

/** How long to wait for transactions in flight: containers are killed after ten seconds. */
const GRACE_MS = 8_000

/** Creates the signals to an agent. */
export function createStopSignals(wait: (ms: number) => Promise<void>): StopSignals {
  const stop = new AbortController()
  const abandon = new AbortController()
  let reload = new AbortController()
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    end() {
      if (stop.signal.aborted) return
      stop.abort(new StoppedError())
      wait(GRACE_MS).then(() => abandon.abort(new StoppedError()))
    },
    reload() {
      const asked = reload
      reload = new AbortController()
      asked.abort()
    },
    nextReload: () => reload.signal,
  }
}
