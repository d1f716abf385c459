import { type AnswerRpc, type DevnetEndpoint, startDevnet } from '@wattfeed/casper-devnet'
import { type CallCounter, createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'

export interface CountedNode extends DevnetEndpoint {
  calls: CallCounter
}

/**
 * Serves answers over real HTTP, each delayed by `delayMs`, and counts the calls.
 *
 * @example
 * ```ts
 * await using node = await startCountedNode(chain.answer, { delayMs: 150 })
 * node.calls.total()
 * ```
 */
export async function startCountedNode(
  answer: AnswerRpc,
  options: { delayMs?: number; port?: number } = {},
): Promise<CountedNode> {
  const { delayMs = 0, port = 0 } = options
  const calls = createCallCounter(answer)
  const delayed: AnswerRpc = async (method, params) => {
    const result = await calls.answer(method, params)
    if (delayMs > 0) await Bun.sleep(delayMs)
    return result
  }
  return { ...(await startDevnet({ call: delayed }, { port })), calls }
}
