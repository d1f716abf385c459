import { retry, WattfeedError } from '@wattfeed/base'
import { EiaThrottledError } from '@wattfeed/eia'
import type { SnapshotInput } from './snapshotInput.ts'

const TRIES = 4
const MAX_PAUSE_MS = 60_000

/** Repeats a request to EIA after a failure that may pass. */
export const retryEia = <T>(
  request: () => Promise<T>,
  { signal, minPauseMs = 5_000 }: Pick<SnapshotInput, 'signal' | 'minPauseMs'>,
): Promise<T> =>
  retry(request, {
    attempts: TRIES,
    minPauseMs,
    maxPauseMs: MAX_PAUSE_MS,
    signal,
    // The client has waited for EIA already.
    shouldRetry: (error) =>
      error instanceof WattfeedError && error.retryable && !(error instanceof EiaThrottledError),
  })
