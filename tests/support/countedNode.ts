import type { AnswerRpc } from '../../src/devnet/rpcAnswer.ts'
import { type RpcEndpoint, startRpcEndpoint } from '../../src/devnet/rpcEndpoint.ts'
import { type CallCounter, createCallCounter } from './callCounter.ts'

export interface CountedNode extends RpcEndpoint {
  calls: CallCounter
}

/**
 * Serves answers over real HTTP, every one `delayMs` after its question, and counts the calls.
 *
 * @example
 * ```ts
 * await using node = startCountedNode(chain.answer, { delayMs: 150 })
 * node.calls.total()
 * ```
 */
export function startCountedNode(
  answer: AnswerRpc,
  options: { delayMs?: number; port?: number } = {},
): CountedNode {
  const { delayMs = 0, port = 0 } = options
  const calls = createCallCounter(answer)
  const delayed: AnswerRpc = async (method, params) => {
    const result = await calls.answer(method, params)
    if (delayMs > 0) await Bun.sleep(delayMs)
    return result
  }
  return { ...startRpcEndpoint({ answer: delayed, port }), calls }
}
