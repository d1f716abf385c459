import { WattfeedError } from '../../errors.ts'
import type { Call, NodeCall } from './call.ts'

/** One finished attempt to call a node. */
export interface RpcCallEvent {
  /** The JSON-RPC method. */
  method: string
  /** Host (and port) of the node. */
  host: string
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  /** The `code` of the error that ended the attempt; null if it gave an answer, also that a value is absent. */
  errorCode: string | null
}

export interface Observer {
  /** Milliseconds of a monotonic clock. */
  now: () => number
  onStart: (call: NodeCall) => void
  onCall: (event: RpcCallEvent) => void
}

/** Layer: reports each request when it starts and when it ends. */
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

/** Returns the `code` of an error, or `internal` if it is not one of ours. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof WattfeedError ? error.code : 'internal'
