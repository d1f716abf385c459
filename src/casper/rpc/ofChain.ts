import type { Call, NodeCall } from './call.ts'
import type { Node } from './node.ts'
import { ChainNameMismatchError, readChainName } from './nodeStatus.ts'
import { TransportError } from './postJson.ts'
import { isRetryable, retryAfterMs } from './rpcErrors.ts'

/** Checks through `info_get_status` that nodes belong to the configured chain. */
export interface ChainCheck {
  /**
   * Checks a node, unless it was already checked. Callers share a check. If the caller that started it aborts, the next
   * caller starts a new one.
   *
   * @throws {ChainNameMismatchError}
   */
  check(node: Node, signal: AbortSignal): Promise<unknown>
  /** Reads a node's status without a retry. @throws {ChainNameMismatchError} */
  getStatus(node: Node, signal: AbortSignal): Promise<unknown>
  /** Discards the node's check. A URL can start to serve another node, so its next answer needs a new check. */
  forget(node: Node): void
}

export interface ChainCheckOptions {
  chainName: string
  /** Called with each `info_get_status` result of a node on the configured chain. */
  onStatus?: ((status: unknown, node: Node) => void) | undefined
}

export function createChainCheck(call: Call, { chainName, onStatus }: ChainCheckOptions): ChainCheck {
  /** Finished and pending checks, each with the signal of the caller that started it. */
  const checks = new Map<Node, { done: Promise<unknown>; signal: AbortSignal }>()

  async function getStatus(node: Node, signal: AbortSignal): Promise<unknown> {
    const status = await call({ node, method: 'info_get_status', params: null, signal })
    const actual = readChainName(status)
    if (actual !== chainName) throw new ChainNameMismatchError(chainName, node.redact(actual))
    onStatus?.(status, node)
    return status
  }

  async function check(node: Node, signal: AbortSignal): Promise<unknown> {
    const known = checks.get(node)
    if (known)
      return known.done.catch((error) => {
        if (signal.aborted || !known.signal.aborted) throw error
        return check(node, signal)
      })
    const done = getStatus(node, signal)
    checks.set(node, { done, signal })
    done.catch(() => checks.delete(node))
    return done
  }

  return { check, getStatus, forget: (node) => void checks.delete(node) }
}

/** The answer of a node on the configured chain: a result or an error. */
export type Answer = { result: unknown } | { refusal: unknown }

/**
 * Layer for one request: returns a node's answer only if the node belongs to the configured chain. The check runs in
 * parallel to the request. If only the check fails, only the check is retried. Otherwise few requests would succeed on a
 * node that fails three calls in ten.
 */
export function ofChain(next: Call, chain: ChainCheck): (call: NodeCall) => Promise<Answer> {
  /** Answers that wait for a check, which may take until the next attempt. */
  const kept = new Map<Node, Promise<Answer>>()
  return async (call) => {
    const { node, signal } = call
    const asked = kept.get(node) ?? answerOf(next(call))
    kept.set(node, asked)
    asked.catch(() => kept.delete(node))
    const [answer] = await Promise.all([asked, chain.check(node, signal).catch(throwLasting)])
    // Checks again if the check failed, or if another call failed meanwhile: the URL may now serve another node.
    await chain.check(node, signal)
    kept.delete(node)
    return answer
  }
}

/** Ignores errors after which the check can be retried immediately. */
function throwLasting(error: unknown): void {
  if (!isRetryable(error) || retryAfterMs(error) !== null) throw error
}

/** Returns an error object as an answer, which must wait for the check. A transport error need not wait. */
const answerOf = (work: Promise<unknown>): Promise<Answer> =>
  work.then(
    (result) => ({ result }),
    (refusal) => {
      if (refusal instanceof TransportError) throw refusal
      return { refusal }
    },
  )
