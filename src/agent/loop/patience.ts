export interface PatienceOptions {
  /** How long to wait, in milliseconds; null waits for as long as it takes. */
  patienceMs: number | null
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Stands for work that is not done yet. */
export const LATE: unique symbol = Symbol('late')

/** Waits for work only so long; the work itself goes on, for whoever still looks at it. */
export async function withPatience<T>(
  work: Promise<T>,
  { patienceMs, wait }: PatienceOptions,
): Promise<T | typeof LATE> {
  if (patienceMs === null) return work
  const controller = new AbortController()
  const late = wait(patienceMs, controller.signal).then((): typeof LATE => LATE)
  // It is told to end where the work is first.
  late.catch(() => {})
  try {
    return await Promise.race<T | typeof LATE>([work, late])
  } finally {
    controller.abort()
  }
}
