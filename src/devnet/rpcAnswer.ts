import { isRecord } from '../casper/types/isRecord.ts'
import { parseJson } from '../runtime/parseJson.ts'
import { readRequest } from './rpcRequest.ts'

/** The `error` of a JSON-RPC reply. */
export interface RpcError {
  /** The node's error code, such as -32003. */
  code: number
  /** The node's message. */
  message: string
  /** Details, in the node's format; absent if there are none. */
  data?: unknown
}

/** The `result` or the `error` of a JSON-RPC reply. */
export type RpcAnswer = { result: unknown } | { error: RpcError }

/** Executes a JSON-RPC call: a node without its network. */
export type AnswerRpc = (method: string, params: unknown) => RpcAnswer | Promise<RpcAnswer>

/**
 * Returns the response body for the body of a JSON-RPC request, like casper-node. Null for a request without id, which a
 * node rejects with HTTP 400.
 */
export async function answerRpcText(body: string, answer: AnswerRpc): Promise<string | null> {
  const value = parseJson(body)
  if (!isRecord(value)) return reply(null, parseError(body, value))
  const request = readRequest(value)
  if (request === null) return null
  if ('refusal' in request) return reply(request.id, invalidRequest(request.refusal))
  return reply(request.id, await answer(request.method, request.params))
}

/** Returns a parse error. Only truncated text and lists get the node's exact message. */
function parseError(body: string, value: unknown): RpcAnswer {
  const text = body.trim()
  const data = Array.isArray(value)
    ? 'invalid type: sequence, expected a map at line 1 column 0'
    : text === '' || text === '{'
      ? `EOF while parsing ${text === '' ? 'a value' : 'an object'} at line 1 column ${body.length}`
      : 'the body is not a JSON object'
  return { error: { code: -32700, message: 'Parse error', data } }
}

function invalidRequest(data: string): RpcAnswer {
  return { error: { code: -32600, message: 'Invalid Request', data } }
}

function reply(id: unknown, answer: RpcAnswer): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}
