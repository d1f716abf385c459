import {
  type AbortSignalLike,
  codeOfError,
  type Fetch,
  jsonExcess,
  parseRetryAfter,
  readText,
  tlsFault,
  uncompressed,
  WattfeedError,
} from '@wattfeed/base'
import { isRecord } from '../types/jsonField.ts'
import type { Node } from './node.ts'
import { isFinalCode, isFinalStatus } from './retryRule.ts'

/** One request to one node. */
export interface NodeCall {
  readonly node: Node
  readonly method: string
  readonly params: unknown
  readonly signal: AbortSignalLike
  /** Called right before the request goes out. */
  readonly onAttempt?: ((node: Node) => void) | undefined
  /** Whether an error is a valid answer, for example that a value is absent. */
  readonly isAnswer?: ((error: unknown) => boolean) | undefined
}

/** Sends a request and returns its `result`. */
export type Call = (call: NodeCall) => Promise<unknown>

export interface JsonRpcOptions {
  fetch: Fetch
  /** Maximum answer size in bytes, for methods without a limit of their own. @default 1 MiB */
  maxBodyBytes?: number
  /** Limit for a node's `Retry-After`, in milliseconds. @default 30000 */
  retryAfterMaxMs?: number | undefined
}

let lastId = 0

/**
 * Makes one JSON-RPC 2.0 call and returns its `result`.
 *
 * @throws {TransportError} when the node returns no valid answer.
 * @throws {JsonRpcError} when the node returns an error object.
 */
export async function callJsonRpc(
  { node, method, params, signal }: NodeCall,
  { fetch, maxBodyBytes = 1_048_576, retryAfterMaxMs = 30_000 }: JsonRpcOptions,
): Promise<unknown> {
  const id = ++lastId
  const answer = await postJson(node.url, JSON.stringify({ jsonrpc: '2.0', id, method, params }), {
    fetch,
    headers: node.headers,
    maxBodyBytes: answerLimits[method] ?? maxBodyBytes,
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

/** Redacts before it creates the error: the message is truncated, and a truncated secret would not be found. */
function rpcError({ code, message, data }: Record<string, unknown>, { redact }: Node): JsonRpcError {
  return new JsonRpcError(
    typeof code === 'number' ? code : 0,
    redact(typeof message === 'string' ? message : ''),
    redact(dataText(data)),
  )
}

function dataText(data: unknown): string {
  if (typeof data === 'string') return data
  return data === undefined || data === null ? '' : JSON.stringify(data)
}

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
    this.retryable = !isFinalCode(rpcCode)
  }
}

export interface PostJsonOptions {
  fetch: Fetch
  /** Sent in addition to the content type. */
  headers: Record<string, string>
  maxBodyBytes: number
  /** Limit for `Retry-After`, in milliseconds. */
  retryAfterMaxMs: number
  signal: AbortSignalLike
}

/**
 * Posts a JSON body and returns the parsed JSON answer.
 *
 * @throws {TransportError} on a broken connection, a status other than 2xx, or a body that is larger than `maxBodyBytes`,
 * cannot be unpacked, or is not acceptable JSON.
 */
export async function postJson(url: string, body: string, options: PostJsonOptions): Promise<unknown> {
  const { signal } = options
  try {
    const response = await options.fetch(url, {
      ...uncompressed,
      method: 'POST',
      headers: { ...options.headers, ...uncompressed.headers, 'content-type': 'application/json' },
      body,
      signal,
    })
    if (!response.ok) throw await statusError(response, options.retryAfterMaxMs)
    return parseJson(await readText(response, options.maxBodyBytes, refusal))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof TransportError) throw error
    throw new TransportError(tlsFault(codeOfError(error)) ?? 'the connection failed')
  }
}

const refusal = (reason: string): TransportError =>
  new TransportError(`the answer is ${reason}`, null, null, true)

// RFC 9110 and RFC 6585 define Retry-After for these. With any other status, a faulty proxy could disable a node.
const WAITING_STATUSES = [429, 503]

async function statusError({ body, headers, status }: Response, maxMs: number): Promise<TransportError> {
  await body?.cancel()
  const retryAfter = WAITING_STATUSES.includes(status) ? headers.get('retry-after') : null
  return new TransportError(`HTTP ${status}`, status, parseRetryAfter(retryAfter, maxMs))
}

function parseJson(text: string): unknown {
  const excess = jsonExcess(text)
  if (excess !== null) throw refusal(excess)
  try {
    return JSON.parse(text)
  } catch {
    throw refusal('not JSON')
  }
}

/**
 * A node could not be reached, or did not answer with JSON.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, TransportError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof TransportError) console.error(host, cause.status, cause.reason)
 * }
 * ```
 */
export class TransportError extends WattfeedError {
  static override readonly name = 'TransportError'
  readonly code = 'transport'
  readonly retryable: boolean
  readonly #isRefusedBody: boolean

  constructor(
    /** The failure, without the node's URL. */
    readonly reason: string,
    /** HTTP status of the response; null if there was none. */
    readonly status: number | null = null,
    /** `Retry-After` of the response in milliseconds; null if there was none. */
    readonly retryAfterMs: number | null = null,
    isRefusedBody = false,
  ) {
    super(reason)
    this.#isRefusedBody = isRefusedBody
    this.retryable = status === null || !isFinalStatus(status)
  }

  /** Whether the body was rejected as too large or malformed. The value on chain may really be that large. */
  get isRefusedBody(): boolean {
    return this.#isRefusedBody
  }
}
