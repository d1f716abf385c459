import { defineError } from '../../defineError.ts'
import * as unattended from '../../runtime/runUnattended.ts'

/** The agent was stopped before a feed was done. */
const StoppedError = defineError(
  'StoppedError',
  'stopped',
  () => 'the agent was stopped before the feed was done; the next run resumes it',
  { retryable: true },
)

export interface StopSignals extends unattended.StopSignals {
  reload(): void
  /** Returns a signal that is aborted by the next {@link StopSignals.reload}. */
  nextReload(): AbortSignal
}

export function createStopSignals(wait: (ms: number) => Promise<void>): StopSignals {
  let reload = new AbortController()
  return {
    ...unattended.createStopSignals(wait, new StoppedError()),
    reload() {
      const asked = reload
      reload = new AbortController()
      asked.abort()
    },
    nextReload: () => reload.signal,
  }
}
