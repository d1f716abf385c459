import { WattfeedError } from '@wattfeed/base'

/** Returns the `WattfeedError` that a read rejects with; fails the test if it resolves or rejects with another error. */
export async function errorOf(read: Promise<unknown>): Promise<WattfeedError> {
  const outcome = await read.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && outcome.error instanceof WattfeedError) return outcome.error
  throw new Error(`expected a WattfeedError, got ${Bun.inspect(outcome)}`)
}
