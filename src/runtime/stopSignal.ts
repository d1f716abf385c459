import { systemReason } from './systemReason.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Resolves with the first SIGINT, SIGTERM or SIGHUP, or when nobody reads standard output any more; the second signal
 * ends the process at once, as if nobody had listened.
 */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
    process.stdout.on('error', (error) => {
      console.error(`standard output: ${systemReason(error)}`)
      stop()
    })
  })
}
