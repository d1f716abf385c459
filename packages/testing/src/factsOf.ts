import { errorOf } from './errorOf.ts'

/** Returns name, message and all fields of the error that a call throws. */
export async function factsOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await errorOf(call)
  return { ...error, name: error.name, message: error.message }
}
