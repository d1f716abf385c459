const signals = ['SIGINT', 'SIGTERM'] as const

/** Resolves with the first SIGINT or SIGTERM; the second one ends the process at once, as if nobody had listened. */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}
