import type { Call, NodeCall } from './call.ts'
import type { Node } from './node.ts'
import { ChainNameMismatchError, readChainName } from './nodeStatus.ts'
import { TransportError } from './postJson.ts'
import { isRetryable, retryAfterMs } from './rpcErrors.ts'

/** Checks by `info_get_status` that nodes are of our chain. */
export interface ChainCheck {
  /**
   * Checks a node unless that is done. Callers share a check; if the one that began it gives up, the next begins its own.
   *
   * @throws {ChainNameMismatchError}
   */
  check(node: Node, signal: AbortSignal): Promise<unknown>
  /** Asks a node once for its status. @throws {ChainNameMismatchError} */
  getStatus(node: Node, signal: AbortSignal): Promise<unknown>
  /** Checks the node again before its next answer: its URL may have come to serve another node. */
  forget(node: Node): void
}

export interface ChainCheckOptions {
  chainName: string
  /** Called with each `info_get_status` result of a node of the right chain. */
  onStatus?: ((status: unknown, node: Node) => void) | undefined
}

export function createChainCheck(call: Call, { chainName, onStatus }: ChainCheckOptions): ChainCheck {
  /** Done or pending checks, with the signal of the caller that began them. */
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

/** What a node of our chain answered. */
export type Answer = { result: unknown } | { refusal: unknown }

/**
 * Layer for one request: a node's answer counts only if it is of our chain. The check runs beside the request. If it alone
 * fails, it alone is repeated: else few requests succeed on a node that fails three in ten.
 */
export function ofChain(next: Call, chain: ChainCheck): (call: NodeCall) => Promise<Answer> {
  /** Answers that wait for a check, perhaps until the next attempt. */
  const kept = new Map<Node, Promise<Answer>>()
  return async (call) => {
    const { node, signal } = call
    const asked = kept.get(node) ?? answerOf(next(call))
    kept.set(node, asked)
    asked.catch(() => kept.delete(node))
    const [answer] = await Promise.all([asked, chain.check(node, signal).catch(throwLasting)])
    // Again if it failed, or if another call failed meanwhile: after that the node may be another one.
    await chain.check(node, signal)
    kept.delete(node)
    return answer
  }
}

/** Ignores an error after which the node can be asked again at once. */
function throwLasting(error: unknown): void {
  if (!isRetryable(error) || retryAfterMs(error) !== null) throw error
}

/** A refusal is an answer only if the chain is right, so it waits for the check; without any answer there is no need to. */
const answerOf = (work: Promise<unknown>): Promise<Answer> =>
  work.then(
    (result) => ({ result }),
    (refusal) => {
      if (refusal instanceof TransportError) throw refusal
      return { refusal }
    },
  )
