import { WattfeedError } from '../../errors.ts'
import { isRecord } from '../types/jsonField.ts'
import type { NodeCall } from './layers.ts'
import type { Node } from './node.ts'
import { type Fetch, postJson, TransportError } from './postJson.ts'

/**
 * Maximum answer size in bytes, by method: enough for honest answers, yet small enough that parsing the worst case does
 * not block other work.
 *
 * The largest items and values seen so far take 19 kB, and each stored byte takes eight bytes of JSON. On a network with
 * tens of millions of keys, a proof adds 70 kB. A status lists up to a few thousand peers. A switch block of 1,000
 * validators takes 580 kB.
 */
const answerLimits: Readonly<Record<string, number>> = {
  chain_get_state_root_hash: 65_536,
  info_get_status: 262_144,
  state_get_dictionary_item: 524_288,
  query_global_state: 524_288,
  chain_get_block: 1_048_576,
}

const answerLimitOf = (method: string, fallback = 1_048_576): number => answerLimits[method] ?? fallback

/** Codes for which a retry is pointless: the request is invalid, or the node does not have the data. */
const FINAL_CODES = new Set([-32700, -32600, -32601, -32602, -32001, -32002, -32003])

/**
 * A node answered with a JSON-RPC error object.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, JsonRpcError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof JsonRpcError) console.error(host, cause.rpcCode, cause.rpcMessage)
 * }
 * ```
 */
export class JsonRpcError extends WattfeedError {
  static override readonly name = 'JsonRpcError'
  readonly code = 'json_rpc'
  readonly retryable: boolean

  constructor(
    /** The `code` of the error object. */
    readonly rpcCode: number,
    /** The `message` of the error object. */
    readonly rpcMessage: string,
    /** The `data` of the error object: its text, or its JSON if it is not a string. */
    readonly data: string,
  ) {
    super(`JSON-RPC error ${rpcCode}: ${[rpcMessage, data].filter(Boolean).join(': ').slice(0, 300)}`)
    this.retryable = !FINAL_CODES.has(rpcCode)
  }
}

let lastId = 0

export interface JsonRpcOptions {
  fetch: Fetch
  /** Maximum answer size in bytes, for methods without a limit of their own. @default 1 MiB */
  maxBodyBytes?: number
  /** Limit for a node's `Retry-After`, in milliseconds. @default 30000 */
  retryAfterMaxMs?: number | undefined
}

/**
 * Makes one JSON-RPC 2.0 call and returns its `result`.
 *
 * @throws {TransportError} when the node returns no valid answer.
 * @throws {JsonRpcError} when the node returns an error object.
 */
export async function callJsonRpc(
  { node, method, params, signal }: NodeCall,
  { fetch, maxBodyBytes, retryAfterMaxMs = 30_000 }: JsonRpcOptions,
): Promise<unknown> {
  const id = ++lastId
  const answer = await postJson(node.url, JSON.stringify({ jsonrpc: '2.0', id, method, params }), {
    fetch,
    headers: node.headers,
    maxBodyBytes: answerLimitOf(method, maxBodyBytes),
    retryAfterMaxMs,
    signal,
  })
  if (!isRecord(answer)) throw new TransportError('not a JSON-RPC response')
  if (answer.id !== id) throw new TransportError('the response id does not match the request id')
  if (isRecord(answer.error)) throw rpcError(answer.error, node)
  if (answer.result === undefined || answer.result === null)
    throw new TransportError('the JSON-RPC response has no result')
  return answer.result
}

/** Redacts before it creates the error: the message is truncated, and a truncated secret would not be found. */
function rpcError({ code, message, data }: Record<string, unknown>, { redact }: Node): JsonRpcError {
  return new JsonRpcError(
    typeof code === 'number' ? code : 0,
    redact(typeof message === 'string' ? message : ''),
    redact(typeof data === 'string' ? data : data === undefined || data === null ? '' : JSON.stringify(data)),
  )
}
