import { WattfeedError } from '../../errors.ts'
import type { Call, NodeCall } from './call.ts'

/** A finished attempt to call a node. */
export interface RpcCallEvent {
  /** The JSON-RPC method. */
  method: string
  /** Host (and port) of the node. */
  host: string
  /** Duration of the attempt in milliseconds. */
  durationMs: number
  /** The `code` of the attempt's error, or null if it succeeded. That a value is absent is a success. */
  errorCode: string | null
}

export interface Observer {
  /** Monotonic clock in milliseconds. */
  now: () => number
  onStart: (call: NodeCall) => void
  onCall: (event: RpcCallEvent) => void
}

/** Layer: reports the start and the end of each request. */
export function observed(next: Call, { now, onStart, onCall }: Observer): Call {
  return async (call) => {
    const { method, node } = call
    const start = now()
    let errorCode: string | null = null
    onStart(call)
    call.onAttempt?.(node)
    try {
      return await next(call)
    } catch (error) {
      if (!call.isAnswer?.(error)) errorCode = errorCodeOf(error)
      throw error
    } finally {
      onCall({ method, host: node.host, durationMs: now() - start, errorCode })
    }
  }
}

/** Returns the `code` of a {@link WattfeedError}, or `internal` for any other error. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof WattfeedError ? error.code : 'internal'
