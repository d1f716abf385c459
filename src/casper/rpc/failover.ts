import type { Node } from './node.ts'
import type { NodePool } from './nodePool.ts'
import { TransportError } from './postJson.ts'
import { AllNodesFailedError, DeadlineError, retryAfterMs } from './rpcErrors.ts'

export interface FailoverRequest<T> {
  method: string
  /** A node not to ask. */
  except?: Node | undefined
  /** The only node to ask; its answer does not make it the first for other calls. @default all */
  only?: Node | undefined
  /** Asks one node. */
  attempt: (node: Node) => Promise<T>
  /** Called with a node that gave no good answer. */
  onFailure: (node: Node, error: Error, waitMs?: number) => void
  signal: AbortSignal
}

/**
 * Layer: asks one node after another until one gives a good answer.
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

/** Returns what is wrong with the node. @throws the caller's reason to give up, which says nothing about the node. */
function blame(cause: unknown, method: string, signal: AbortSignal): Error {
  if (signal.aborted && !(signal.reason instanceof DeadlineError)) throw signal.reason
  if (signal.aborted) return new TransportError(`no answer to ${method}`)
  return cause instanceof Error ? cause : new Error(String(cause))
}

function assertAvailable(pool: NodePool, node: Node): void {
  const waitMs = pool.waitMs(node)
  if (waitMs > 0)
    throw new TransportError(`it asked to be left alone for ${Math.ceil(waitMs)} ms more`, null, waitMs)
}
