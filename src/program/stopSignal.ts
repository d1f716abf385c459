/** Resolves with the first SIGINT or SIGTERM; the second one ends the process at once, as if nobody had listened. */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
