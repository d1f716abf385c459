import { isRecord } from '@wattfeed/casper/types'
import type { AnswerRpc, RpcAnswer } from '../rpcAnswer.ts'

/**
 * Returns the response body for the body of a JSON-RPC request, like casper-node. Null for a request without id, which a
 * node rejects with HTTP 400.
 */
export async function answerRpcText(body: string, answer: AnswerRpc): Promise<string | null> {
  const value = parseBody(body)
  if (!isRecord(value)) return reply(null, parseError(body, value))
  const request = readRequest(value)
  if (request === null) return null
  if ('refusal' in request) return reply(request.id, invalidRequest(request.refusal))
  return reply(request.id, await answer(request.method, request.params))
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Returns a parse error. Only truncated text and lists get the node's exact message. */
function parseError(body: string, value: unknown): RpcAnswer {
  return { error: { code: -32700, message: 'Parse error', data: bodyFault(body, value) } }
}

function bodyFault(body: string, value: unknown): string {
  if (Array.isArray(value)) return 'invalid type: sequence, expected a map at line 1 column 0'
  const text = body.trim()
  if (text === '') return `EOF while parsing a value at line 1 column ${body.length}`
  if (text === '{') return `EOF while parsing an object at line 1 column ${body.length}`
  return 'the body is not a JSON object'
}

function invalidRequest(data: string): RpcAnswer {
  return { error: { code: -32600, message: 'Invalid Request', data } }
}

function reply(id: unknown, answer: RpcAnswer): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}

interface AcceptedRequest {
  id: string | number | null
  method: string
  params: unknown
}

interface RefusedRequest {
  id: unknown
  /** The node's message: the `data` of the error. */
  refusal: string
}

/**
 * Checks a request in the order of casper-node's `json_rpc` crate: version, method, parameters, id. Returns null for a
 * request without id, which a node rejects with HTTP 400 and no JSON-RPC response.
 */
function readRequest(value: Readonly<Record<string, unknown>>): AcceptedRequest | RefusedRequest | null {
  const { id = null, jsonrpc, method, params } = value
  const refusal = versionFault(jsonrpc) ?? methodFault(method) ?? paramsFault(params)
  if (refusal !== null) return { id, refusal }
  if (!('id' in value)) return null
  const idRefusal = idFault(id)
  return idRefusal === null
    ? { id: id as AcceptedRequest['id'], method: String(method), params }
    : { id: null, refusal: idRefusal }
}

function versionFault(version: unknown): string | null {
  if (version === undefined) return "Missing 'jsonrpc' field"
  if (version === '2.0') return null
  if (typeof version === 'string') return `Expected 'jsonrpc' to be '2.0', but got '${version}'`
  const shown = typeof version === 'number' ? `a Number '${version}'` : `'${JSON.stringify(version)}'`
  return `Expected 'jsonrpc' to be a String with value '2.0', but got ${shown}`
}

function methodFault(method: unknown): string | null {
  if (method === undefined) return "Missing 'method' field"
  return typeof method === 'string' ? null : "Expected 'method' to be a String"
}

/** Returns the node's message for invalid `params`, or null. Unlike JSON-RPC, a node accepts null as no parameters. */
function paramsFault(params: unknown): string | null {
  if (params === undefined || params === null || Array.isArray(params) || isRecord(params)) return null
  return `If present, 'params' must be an Array or Object, but was ${describeScalar(params)}`
}

function describeScalar(value: unknown): string {
  if (typeof value === 'boolean') return `'${value}'`
  return typeof value === 'number' ? 'a Number' : 'a String'
}

function idFault(id: unknown): string | null {
  if (typeof id === 'number')
    return Number.isInteger(id) ? null : "'id' must not contain fractional parts if it is a number"
  return id === null || typeof id === 'string' ? null : "'id' should be a string or integer"
}
