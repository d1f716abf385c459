import type { Node } from './node.ts'
import type { NodePool } from './nodePool.ts'
import { TransportError } from './postJson.ts'
import { AllNodesFailedError, DeadlineError, retryAfterMs } from './rpcErrors.ts'

export interface FailoverRequest<T> {
  method: string
  except?: Node | undefined
  /** The only node to call. Its answer does not make it the preferred node. @default all nodes */
  only?: Node | undefined
  attempt: (node: Node) => Promise<T>
  /** Called with a node that failed. `waitMs` is its `Retry-After`. */
  onFailure: (node: Node, error: Error, waitMs?: number) => void
  signal: AbortSignal
}

/**
 * Layer: calls one node after another until one succeeds.
 *
 * @throws {AllNodesFailedError} with each node's error.
 */
export async function failover<T>(pool: NodePool, request: FailoverRequest<T>): Promise<T> {
  const { method, except, only, attempt, onFailure, signal } = request
  const failures: { host: string; error: Error }[] = []
  for (const node of only ? [only] : pool.inOrder()) {
    if (node === except) continue
    signal.throwIfAborted()
    try {
      assertAvailable(pool, node)
      const value = await attempt(node)
      if (!only) pool.prefer(node)
      return value
    } catch (cause) {
      const error = blame(cause, method, signal)
      onFailure(node, error, retryAfterMs(error) ?? undefined)
      failures.push({ host: node.host, error })
    }
  }
  throw new AllNodesFailedError(method, failures)
}

/** Returns the node's error. @throws the signal's reason if the caller aborted, because then the node is not at fault. */
function blame(cause: unknown, method: string, signal: AbortSignal): Error {
  if (signal.aborted && !(signal.reason instanceof DeadlineError)) throw signal.reason
  if (signal.aborted) return new TransportError(`no answer to ${method}`)
  return cause instanceof Error ? cause : new Error(String(cause))
}

function assertAvailable(pool: NodePool, node: Node): void {
  const waitMs = pool.waitMs(node)
  if (waitMs > 0)
    throw new TransportError(`rate limited: Retry-After has ${Math.ceil(waitMs)} ms left`, null, waitMs)
}
