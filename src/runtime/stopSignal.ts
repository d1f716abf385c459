import { constants } from 'node:os'
import { systemReason } from '@wattfeed/base'

/** Calls `stop` on the first SIGTERM, SIGINT or other of these signals. The next one ends the process at once, as by default. */
export function onStopSignal(stop: () => void, others: readonly NodeJS.Signals[] = []): void {
  const signals = ['SIGTERM', 'SIGINT', ...others] as const
  const first = (): void => {
    for (const signal of signals) process.off(signal, first)
    stop()
  }
  for (const signal of signals) process.on(signal, first)
}

/**
 * Resolves on the first SIGINT, SIGTERM or SIGHUP, or when standard output is closed. A second signal ends the process
 * at once. A closed terminal may send two.
 */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    onStopSignal(() => {
      exitOnSignals(['SIGTERM', 'SIGINT', 'SIGHUP'])
      resolve()
    }, ['SIGHUP'])
    process.stdout.on('error', (error) => {
      console.error(`standard output: ${systemReason(error)}`)
      resolve()
    })
  })
}

/** On one of these signals, ends the process at once, but lets listeners of `exit` clean up. By default, they are not called. */
export function exitOnSignals(signals: readonly NodeJS.Signals[]): void {
  for (const signal of signals) process.on(signal, () => process.exit(128 + constants.signals[signal]))
}

/**
 * Ends this process when the one that started it is gone. Only a parent with a channel to this process, as the demo has, is
 * noticed. A killed demo cannot stop its programs itself.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(1))
}

export interface StopSignals {
  /** Aborted to start nothing new and wait for requests in flight. */
  stop: AbortSignal
  /** Aborted to stop waiting. */
  abandon: AbortSignal
  /** Ends the program, after a grace period for requests in flight. */
  end(): void
}

/** How long a stopped program waits for requests in flight: containers are killed after ten seconds. */
export const GRACE_MS = 8_000

export function createStopSignals(wait: (ms: number) => Promise<void>, reason: Error): StopSignals {
  const stop = new AbortController()
  const abandon = new AbortController()
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    end() {
      if (stop.signal.aborted) return
      stop.abort(reason)
      wait(GRACE_MS).then(() => abandon.abort(reason))
    },
  }
}
