import { type AbortSignalLike, limitTime } from '@wattfeed/base'
import { ProofBusyError } from '../../errors.ts'

/** Maximum wait for the work of another request, in milliseconds. */
export const MAX_WAIT_MS = 2_000

/** Runs one work at a time. */
export type Turns = <T>(work: () => Promise<T>, signal?: AbortSignalLike) => Promise<T>

/**
 * Creates a function that runs one work at a time, because each one holds much memory.
 *
 * @throws {@link ProofBusyError} when another work outlasts `maxWaitMs`.
 */
export function createTurns(maxWaitMs = MAX_WAIT_MS): Turns {
  let current: Promise<unknown> | null = null
  return async (work, signal) => {
    const endsAt = performance.now() + maxWaitMs
    while (current !== null) await waitFor(current, endsAt - performance.now(), signal)
    const done = work().finally(() => {
      current = null
    })
    current = done
    return done
  }
}

/**
 * Waits until the work of another request ends, however it ends.
 *
 * @throws {@link ProofBusyError} when it times out.
 */
export async function waitFor(
  work: Promise<unknown>,
  timeoutMs: number,
  signal?: AbortSignalLike,
): Promise<void> {
  const error = (): Error => new ProofBusyError()
  if (timeoutMs <= 0) throw error()
  await limitTime({ timeoutMs, error, signal }, async () => {
    await work.catch(() => {})
  })
}
