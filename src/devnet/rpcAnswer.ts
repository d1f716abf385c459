import { isRecord } from '../casper/types/isRecord.ts'
import { parseJson } from '../runtime/parseJson.ts'
import { readRequest } from './rpcRequest.ts'

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
 * Answers the body of one JSON-RPC request with the body of the reply, as casper-node does. Null where the request has no
 * id and is refused without one, with status 400.
 *
 * @example
 * ```ts
 * await answerRpcText('{"jsonrpc":"2.0","id":1,"method":"info_get_status"}', () => ({ result: {} }))
 * // '{"jsonrpc":"2.0","id":1,"result":{}}'
 * ```
 */
export async function answerRpcText(body: string, answer: AnswerRpc): Promise<string | null> {
  const value = parseJson(body)
  if (!isRecord(value)) return reply(null, parseError)
  const request = readRequest(value)
  if (request === null) return null
  if ('refusal' in request) return reply(request.id, invalidRequest(request.refusal))
  return reply(request.id, await answer(request.method, request.params))
}

/** The body that goes with status 400 where a request has no id. */
export const missingIdText = JSON.stringify({ message: "The request is missing the 'id' field" })

const parseError: RpcAnswer = { error: { code: -32700, message: 'Parse error' } }

function invalidRequest(data: string): RpcAnswer {
  return { error: { code: -32600, message: 'Invalid Request', data } }
}

function reply(id: unknown, answer: RpcAnswer): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}
