/** What a node puts into `error`. */
export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** What a node says to one call: the `result` or the `error` member of its reply. */
export type RpcAnswer = { result: unknown } | { error: RpcError }

/** A node without its network: answers one call. */
export type AnswerRpc = (method: string, params: unknown) => RpcAnswer | Promise<RpcAnswer>

/**
 * Answers the body of one JSON-RPC request with the body of the reply; `id` is echoed.
 *
 * @example
 * ```ts
 * await answerRpcText('{"jsonrpc":"2.0","id":1,"method":"info_get_status"}', () => ({ result: {} }))
 * // '{"jsonrpc":"2.0","id":1,"result":{}}'
 * ```
 */
export async function answerRpcText(body: string, answer: AnswerRpc): Promise<string> {
  const request = parseJson(body)
  if (request === undefined) return reply(null, parseError)
  if (Array.isArray(request)) return reply(null, invalidRequest('batches are not supported'))
  if (!isCall(request)) return reply(null, invalidRequest('expected an object with "id" and "method"'))
  return reply(request.id, await answer(request.method, request.params))
}

const parseError: RpcAnswer = { error: { code: -32700, message: 'Parse error' } }

function invalidRequest(data: string): RpcAnswer {
  return { error: { code: -32600, message: 'Invalid Request', data } }
}

function reply(id: unknown, answer: RpcAnswer): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCall(value: unknown): value is { id: unknown; method: string; params?: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'method' in value &&
    typeof value.method === 'string'
  )
}
