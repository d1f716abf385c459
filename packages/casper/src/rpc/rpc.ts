import {
  type AbortSignalLike,
  assertOptions,
  type Fetch,
  type LimitedTime,
  limitTime,
  type OptionNames,
} from '@wattfeed/base'
import { type Call, callJsonRpc, JsonRpcError, TransportError } from './jsonRpc.ts'
import {
  type BackOff,
  createChainCheck,
  createNodeClock,
  errorCodeOf,
  failover,
  limited,
  type NodeAnswer,
  observed,
  ofChain,
  type RpcCallEvent,
  redacted,
  retried,
  timed,
} from './layers.ts'
import { type Node, parseNode } from './node.ts'
import { createNodePool } from './nodePool.ts'
import { ChainNameMismatchError } from './nodeStatus.ts'
import { DeadlineError, StateNotKeptError, UnexpectedAnswerError } from './rpcErrors.ts'

/** A rejected answer: malformed, not proven, or from a node that is lagging or hides values. */
export interface RpcRejection {
  /** Host (and port) of the node. */
  host: string
  /** The `code` of the error. */
  errorCode: string
}

/** Options of {@link createRpc}. */
export interface RpcOptions {
  /** URLs of the nodes, with `/rpc`. A user and a password in one become a header. */
  urls: readonly string[]
  /**
   * The whole `Authorization` header for the nodes that need another one, such as a bare token, by the host and port of their URL.
   * `fetch` must not send it on when another host redirects a request; browsers, Node.js and Bun do not.
   */
  authorization?: Readonly<Record<string, string>> | undefined
  /** The name of the chain, which each node must report. */
  chainName: string
  fetch: Fetch
  /** Time limit of one attempt, in milliseconds. @default 4000 */
  timeoutMs?: number
  /** Time limit of one read with all its calls and attempts, in milliseconds. @default 10000 */
  deadlineMs?: number
  /** Maximum number of attempts in flight. @default 128 */
  concurrency?: number
  /**
   * Maximum answer size in bytes, for methods without a limit of their own.
   * @default 1 MiB
   */
  maxBodyBytes?: number
  /** Limit for a node's `Retry-After`, in milliseconds. @default 30000 */
  retryAfterMaxMs?: number | undefined
  /** Pauses between rounds of calls to all nodes. @default 20 ms, doubling up to 400 ms */
  backOff?: BackOff | undefined
  /** Monotonic clock in milliseconds. @default performance.now */
  now?: (() => number) | undefined
  /** Called after each attempt to call a node. */
  onCall?: (event: RpcCallEvent) => void
  /** Called with a node whose answer was rejected. */
  onRejected?: ((event: RpcRejection) => void) | undefined
  /** Called with each `info_get_status` result of a node on the configured chain. */
  onStatus?: ((status: unknown, node: Node) => void) | undefined
}

const optionNames: OptionNames<RpcOptions> = {
  urls: 1,
  authorization: 1,
  chainName: 1,
  fetch: 1,
  timeoutMs: 1,
  deadlineMs: 1,
  concurrency: 1,
  maxBodyBytes: 1,
  retryAfterMaxMs: 1,
  backOff: 1,
  now: 1,
  onCall: 1,
  onRejected: 1,
  onStatus: 1,
}

/** A call of a method, and how to read its answer. */
export interface RpcRequest<T> {
  /** A JSON-RPC method of casper-node: `chain_get_block`. */
  method: string
  params: unknown
  /**
   * Converts the result to a value, and may make further calls with the signal. If it throws, the node is at fault and the
   * next one is called.
   */
  decode: (result: unknown, node: Node, signal: AbortSignalLike) => T | Promise<T>
  /** Converts an error to a value if it is a valid answer; otherwise throws it. */
  refused?: (error: unknown, node: Node) => T
  /** Called for each attempt, right before the request goes out. */
  onAttempt?: (node: Node) => void
  /** A node to skip. The answer of another does not make that one the preferred node. */
  except?: Node | undefined
  /** The only node to call. Its answer does not make it the preferred node. @default all nodes */
  only?: Node
  /**
   * Which node to call first, counted from the preferred one: polls with 0, 1, 2 reach every node, even if one that lags is
   * preferred. With a turn above 0, an answer does not make its node the preferred one. @default 0
   */
  turn?: number | undefined
  /** Aborts the call. With the signal of {@link Rpc.within}, the call shares its deadline. */
  signal?: AbortSignalLike | undefined
}

/** JSON-RPC client that calls the configured nodes one after another until one succeeds. */
export interface Rpc {
  readonly nodes: readonly Node[]
  /** Pauses before a read that failed is made again. */
  readonly backOff: BackOff
  /**
   * Calls one node after another until one succeeds, within the deadline of `request.signal`, or a new deadline.
   *
   * @throws {AllNodesFailedError} with each node's error.
   * @throws {DeadlineError} when the deadline passes.
   */
  call<T>(request: RpcRequest<T>): Promise<T>
  /**
   * Runs a read with one deadline. All calls that get its signal, or a signal derived from it, share the deadline. If
   * `signal` aborts, the read rejects with its reason.
   *
   * @throws {DeadlineError} when the deadline passes.
   */
  within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T>
  /** Calls `info_get_status` of a node, without a retry. If the node is on another chain, its next answer is checked again. */
  getStatus(node: Node): Promise<unknown>
  /** Returns the nodes' time in epoch milliseconds, by the `Date` of the newest answer; null if no answer had one. */
  nodeTime(): number | null
  /**
   * Moves a node that lags, or whose valid answer is wrong, behind the others for a while. Then another one is preferred. `reason`
   * becomes the {@link Rpc.lastFailure}.
   */
  penalize(node: Node, reason: Error): void
  /** Returns the latest failure or the first pending call as text, or null after a success. */
  lastFailure(): string | null
}

const BACK_OFF = { minPauseMs: 20, maxPauseMs: 400 } as const

/**
 * Creates the RPC client as layers around one HTTP request. A call goes to the node that answered most recently, then to
 * the others, and then to all again with growing pauses.
 *
 * The chain of each node is checked through `info_get_status`, at first and after each failure, because a URL can start to
 * serve another node.
 *
 * It calls nobody until it is used, and needs no end.
 *
 * @example
 * ```ts
 * import { createRpc, getStateRootHash } from '@wattfeed/casper'
 *
 * const rpc = createRpc({ urls: ['http://localhost:11101/rpc'], chainName: 'casper-devnet', fetch })
 * const { hash, node } = await getStateRootHash(rpc)
 * console.log(hash, node.host) // 64 hex digits, localhost:11101
 * ```
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createRpc(options: RpcOptions): Rpc {
  assertOptions(options, optionNames)
  const { now = () => performance.now(), backOff = BACK_OFF, deadlineMs = 10_000 } = options
  const { timeoutMs = 4_000, concurrency = 128, onCall = () => {} } = options
  const nodes = options.urls.map((url) => parseNode(url, options.authorization))
  const pool = createNodePool(nodes, now)
  const clock = createNodeClock(options.fetch, now)
  let lastFailure: string | null = null

  const observer = {
    now,
    onStart({ node, method }: { node: Node; method: string }) {
      lastFailure ??= `${node.host} has not answered ${method} yet`
    },
    onCall,
  }
  const http: Call = (call) => callJsonRpc(call, { ...options, fetch: clock.fetch })
  const send = limited(observed(timed(http, timeoutMs), observer), concurrency)
  const chain = createChainCheck(send, options)

  /** A call with all its layers, from the outside in; those of each request to a node are in `send`. */
  function call<T>(request: RpcRequest<T>): Promise<T> {
    const ask = ofChain(send, chain)
    return within(
      ({ signal }) =>
        retried({ backOff, deadlineMs, signal }, () =>
          failover(pool, { ...request, onFailure: demote, signal }, (node) =>
            redacted(node, () => attempt(node, request, ask, signal)),
          ),
        ),
      request.signal,
    )
  }

  function within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T> {
    const error = () => new DeadlineError(deadlineMs, lastFailure)
    return limitTime({ timeoutMs: deadlineMs, error, signal }, read)
  }

  /** Asks a node, and converts its answer to the value of the request. */
  async function attempt<T>(node: Node, request: RpcRequest<T>, ask: Ask, signal: AbortSignal): Promise<T> {
    const { method, params, onAttempt, refused } = request
    const isAnswer = (error: unknown) => isRefusalAnswer(error, node, refused)
    const answer = await ask({ node, method, params, onAttempt, isAnswer, signal })
    const value = await readAnswer(answer, request, node, signal)
    lastFailure = null
    return value
  }

  function demote(node: Node, error: Error, waitMs?: number): void {
    if (error instanceof UnexpectedAnswerError || error instanceof StateNotKeptError) return
    note(node, error)
    pool.demote(node, waitMs)
  }

  /** Notes a failure. After any error but a JSON-RPC error, the node's chain is checked again: another node may have replaced it. */
  function note(node: Node, error: Error): void {
    lastFailure = `${node.host}: ${error.message}`
    if (!isReported(error)) options.onRejected?.({ host: node.host, errorCode: errorCodeOf(error) })
    if (!(error instanceof JsonRpcError)) chain.forget(node)
  }

  return {
    nodes,
    backOff,
    call,
    within,
    penalize(node, reason) {
      note(node, reason)
      pool.penalize(node)
    },
    nodeTime: clock.time,
    lastFailure: () => lastFailure,
    async getStatus(node) {
      try {
        return await chain.getStatus(node, new AbortController().signal)
      } catch (error) {
        if (error instanceof ChainNameMismatchError) chain.forget(node)
        throw error
      }
    },
  }
}

type Ask = ReturnType<typeof ofChain>

function readAnswer<T>(
  answer: NodeAnswer,
  { decode, refused }: RpcRequest<T>,
  node: Node,
  signal: AbortSignal,
): T | Promise<T> {
  if ('result' in answer) return decode(answer.result, node, signal)
  if (refused) return refused(answer.refusal, node)
  throw answer.refusal
}

/** Returns whether `onCall` has already reported the error. */
const isReported = (error: Error): boolean => error instanceof TransportError || error instanceof JsonRpcError

/** Returns whether an error is a valid answer, for example that a value is absent. */
function isRefusalAnswer(error: unknown, node: Node, refused: RpcRequest<unknown>['refused']): boolean {
  if (refused === undefined || error instanceof TransportError) return false
  try {
    refused(error, node)
    return true
  } catch {
    return false
  }
}
