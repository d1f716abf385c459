import { isRecord } from '../casper/types/isRecord.ts'

export interface AcceptedRequest {
  id: string | number | null
  method: string
  params: unknown
}

export interface RefusedRequest {
  id: unknown
  /** The node's message: the `data` of the error. */
  refusal: string
}

/**
 * Checks a request in the order of casper-node's `json_rpc` crate: version, method, parameters, id. Returns null for a
 * request without id, which a node rejects with HTTP 400 and no JSON-RPC response.
 */
export function readRequest(
  value: Readonly<Record<string, unknown>>,
): AcceptedRequest | RefusedRequest | null {
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
  const shown =
    typeof params === 'boolean' ? `'${params}'` : typeof params === 'number' ? 'a Number' : 'a String'
  return `If present, 'params' must be an Array or Object, but was ${shown}`
}

function idFault(id: unknown): string | null {
  if (typeof id === 'number')
    return Number.isInteger(id) ? null : "'id' must not contain fractional parts if it is a number"
  return id === null || typeof id === 'string' ? null : "'id' should be a string or integer"
}
