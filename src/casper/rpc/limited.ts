import pLimit from 'p-limit'
import type { Call } from './call.ts'

/** Layer: keeps at most `concurrency` requests in flight and queues the others. */
export function limited(next: Call, concurrency: number): Call {
  const limit = pLimit(concurrency)
  return (call) => limit(() => next(call))
}
