import { DeadlineError } from '../casper/rpcErrors.ts'

/**
 * Waits for shared work no longer than `deadlineMs`; the work itself goes on, for whoever asks next.
 *
 * Throws a `DeadlineError` that tells the newest failure.
 */
export async function withDeadline<T>(
  work: Promise<T>,
  deadlineMs: number,
  trouble: () => string | null,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(deadlineMs, trouble())), deadlineMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
