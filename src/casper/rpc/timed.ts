import { limitTime } from '../../async/limitTime.ts'
import type { Call } from './call.ts'
import { TransportError } from './postJson.ts'

/** Layer: rejects with a {@link TransportError} after `timeoutMs`. */
export function timed(next: Call, timeoutMs: number): Call {
  const error = () => new TransportError(`timed out after ${timeoutMs} ms`)
  return (call) =>
    limitTime({ timeoutMs, error, signal: call.signal }, ({ signal }) => next({ ...call, signal }))
}
