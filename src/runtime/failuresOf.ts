import { asError } from './asError.ts'

/** Waits for all work, also if some fails. Returns the errors. */
export async function failuresOf(work: readonly Promise<unknown>[]): Promise<Error[]> {
  const settled = await Promise.allSettled(work)
  return settled.flatMap((each) => (each.status === 'rejected' ? [asError(each.reason)] : []))
}
