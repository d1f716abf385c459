import { WattfeedError } from '../../src/errors.ts'

/** What a read throws. A read that gives an answer, or throws anything else, fails the test. */
export async function errorOf(read: Promise<unknown>): Promise<WattfeedError> {
  const outcome = await read.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && outcome.error instanceof WattfeedError) return outcome.error
  throw new Error(`expected a WattfeedError, got ${Bun.inspect(outcome)}`)
}
