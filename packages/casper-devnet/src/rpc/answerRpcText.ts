import { isRecord } from '@wattfeed/casper/types'
import type { AnswerRpc, RpcAnswer } from '../rpcAnswer.ts'

/**
 * Returns the response body for the body of a JSON-RPC request, like casper-node. Null for a request without id, which a
 * node rejects with HTTP 400.
 */
export async function answerRpcText(body: string, answer: AnswerRpc): Promise<string | null> {
  const { value, id } = parseBody(body)
  if (!isRecord(value)) return reply('null', parseError(body, value))
  const request = readRequest(value, id)
  if (request === null) return null
  if ('refusal' in request) return reply(request.id, invalidRequest(request.refusal))
  return reply(request.id, await answer(request.method, request.params))
}

interface ParsedBody {
  /** Undefined if the body is not JSON. */
  value: unknown
  /** The JSON of the request's id: a number has more digits than JavaScript's numbers. */
  id: string
}

function parseBody(body: string): ParsedBody {
  const numbers = new WeakMap<object, string>()
  function keepId(this: object, key: string, value: unknown, context?: { source?: string }): unknown {
    if (key === 'id' && typeof value === 'number' && context?.source) numbers.set(this, context.source)
    return value
  }
  try {
    const value = JSON.parse(body, keepId)
    const id = isRecord(value) ? value.id : null
    return { value, id: numbers.get(value) ?? JSON.stringify(id ?? null) }
  } catch {
    return { value: undefined, id: 'null' }
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

/** @param id as JSON */
function reply(id: string, answer: RpcAnswer): string {
  return `{"jsonrpc":"2.0","id":${id},${JSON.stringify(answer).slice(1)}`
}

interface AcceptedRequest {
  /** As JSON. */
  id: string
  method: string
  params: unknown
}

interface RefusedRequest {
  id: string
  /** The node's message: the `data` of the error. */
  refusal: string
}

/**
 * Checks a request in the order of casper-node's `json_rpc` crate: version, method, parameters, id. Returns null for a
 * request without id, which a node rejects with HTTP 400 and no JSON-RPC response.
 */
function readRequest(
  value: Readonly<Record<string, unknown>>,
  id: string,
): AcceptedRequest | RefusedRequest | null {
  const { jsonrpc, method, params } = value
  const refusal = versionFault(jsonrpc) ?? methodFault(method) ?? paramsFault(params)
  if (refusal !== null) return { id, refusal }
  if (!('id' in value)) return null
  const idRefusal = idFault(value.id, id)
  return idRefusal === null ? { id, method: String(method), params } : { id: 'null', refusal: idRefusal }
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

const MIN_I64 = -(2n ** 63n)
const MAX_U64 = 2n ** 64n - 1n

/** A node takes every number that is not a signed or unsigned integer of 64 bits for a fraction: `1.0`, `1e3`, `-0`, `2^64`. */
function idFault(id: unknown, json: string): string | null {
  if (typeof id === 'number') {
    const isInteger = /^(0|-?[1-9]\d*)$/.test(json) && BigInt(json) >= MIN_I64 && BigInt(json) <= MAX_U64
    return isInteger ? null : "'id' must not contain fractional parts if it is a number"
  }
  return id === null || typeof id === 'string' ? null : "'id' should be a string or integer"
}
