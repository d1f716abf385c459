import pLimit from 'p-limit'
import type { Call } from './call.ts'

/** Layer: at most `concurrency` requests are in flight; the others wait their turn. */
export function limited(next: Call, concurrency: number): Call {
  const limit = pLimit(concurrency)
  return (call) => limit(() => next(call))
}
