import { systemReason } from './systemReason.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Resolves on the first SIGINT, SIGTERM or SIGHUP, or when standard output is closed. A second signal ends the process
 * at once, as by default.
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
