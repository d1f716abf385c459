import { type LimitedTime, limitTime } from '../../async/limitTime.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { failover } from './failover.ts'
import { callJsonRpc, JsonRpcError } from './jsonRpc.ts'
import { limited } from './limited.ts'
import { type Node, parseNode } from './node.ts'
import { createNodeClock } from './nodeClock.ts'
import { createNodePool } from './nodePool.ts'
import { ChainNameMismatchError } from './nodeStatus.ts'
import { errorCodeOf, observed, type RpcCallEvent } from './observed.ts'
import { createChainCheck, ofChain } from './ofChain.ts'
import { type Fetch, TransportError } from './postJson.ts'
import { redacted } from './redacted.ts'
import { type BackOff, retried } from './retried.ts'
import { DeadlineError } from './rpcErrors.ts'
import { timed } from './timed.ts'

/** A rejected answer: malformed, not proven, or from a node that lags or hides values. */
export interface RpcRejection {
  /** Host (and port) of the node. */
  host: string
  /** The `code` of the error that says why. */
  errorCode: string
}

export interface RpcOptions {
  urls: readonly string[]
  chainName: string
  fetch: Fetch
  /** Limit for one attempt, in milliseconds. */
  timeoutMs: number
  /** Limit for one read with all its calls and attempts, in milliseconds. */
  deadlineMs: number
  /** Maximum number of attempts in flight. */
  concurrency: number
  /**
   * Maximum answer size in bytes, for methods without a limit of their own.
   * @default 1 MiB
   */
  maxBodyBytes?: number
  /** Limit for a node's `Retry-After`, in milliseconds. @default 30000 */
  retryAfterMaxMs?: number | undefined
  /** Pauses before all nodes are asked again. @default 20 ms, doubling up to 400 */
  backOff?: BackOff | undefined
  /** Milliseconds of a monotonic clock. @default performance.now */
  now?: (() => number) | undefined
  onCall: (event: RpcCallEvent) => void
  /** Called with a node whose answer was rejected. */
  onRejected?: ((event: RpcRejection) => void) | undefined
  /** Called with each `info_get_status` result of a node of the right chain. */
  onStatus?: ((status: unknown, node: Node) => void) | undefined
}

export interface RpcRequest<T> {
  method: string
  params: unknown
  /**
   * Turns the result into a value, and may make further calls with the signal. If it throws, the node is at fault and
   * another is asked.
   */
  decode: (result: unknown, node: Node, signal: AbortSignalLike) => T | Promise<T>
  /** Turns an error answer into a value if it is a valid answer, else throws it. */
  refused?: (error: unknown, node: Node) => T
  /** Called with each attempt, right before the request goes out. */
  onAttempt?: (node: Node) => void
  /** A node not to ask. */
  except?: Node | undefined
  /** The only node to ask; its answer does not make it the first for other calls. @default all */
  only?: Node
  /** Aborts the call; the signal of {@link Rpc.within} shares its deadline. */
  signal?: AbortSignalLike | undefined
}

/** Calls the configured nodes one after another until one gives a good answer. */
export interface Rpc {
  readonly nodes: readonly Node[]
  /** Pauses before a read that failed is made again. */
  readonly backOff: BackOff
  /**
   * Asks one node after another until one answers, within the deadline of the read it belongs to, or a new one.
   *
   * @throws {AllNodesFailedError} with each node's error.
   * @throws {DeadlineError}
   */
  call<T>(request: RpcRequest<T>): Promise<T>
  /**
   * Runs a read within one deadline, which all calls share that get its signal or one derived from it. `signal` ends the
   * wait early, with its reason.
   *
   * @throws {DeadlineError} when time is up.
   *
   * @example
   * ```ts
   * const value = await rpc.within(async ({ signal }) => {
   *   const { hash } = await getStateRootHash(rpc, signal)
   *   return state.query({ stateRootHash: hash, key, decode, absent: absentAsNull, signal })
   * })
   * ```
   */
  within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T>
  /** Asks a node once for its `info_get_status`. If it is of another chain, it is checked again before its next answer. */
  getStatus(node: Node): Promise<unknown>
  /** Returns the nodes' time in epoch milliseconds, by the `Date` of the newest answer; null if no answer had one. */
  nodeTime(): number | null
  /** Moves this node behind the others for a while; `reason` becomes the {@link Rpc.lastFailure}. */
  penalize(node: Node, reason: Error): void
  /** Returns what is currently wrong with one of the nodes, as text, or null. */
  lastFailure(): string | null
}

const BACK_OFF = { minPauseMs: 20, maxPauseMs: 400 } as const

/**
 * Creates the RPC client: layers around one HTTP request. A call goes to the node that answered last, then to the others,
 * then to all again with growing pauses. Each node's chain is checked by `info_get_status` at first and after each
 * failure, as a URL may come to serve another node.
 *
 * @example
 * ```ts
 * const rpc = createRpc({ urls: ['http://127.0.0.1:11101/rpc'], chainName: 'casper-devnet', … })
 * const { hash } = await getStateRootHash(rpc)
 * ```
 */
export function createRpc(options: RpcOptions): Rpc {
  const { now = () => performance.now(), backOff = BACK_OFF, deadlineMs } = options
  const nodes = options.urls.map(parseNode)
  const pool = createNodePool(nodes, now)
  let lastFailure: string | null = null

  const observer = {
    now,
    onStart({ node, method }: { node: Node; method: string }) {
      lastFailure ??= `${node.host} has not answered ${method} yet`
    },
    onCall: options.onCall,
  }
  const clock = createNodeClock(options.fetch, now)
  const timedCall = timed((call) => callJsonRpc(call, { ...options, fetch: clock.fetch }), options.timeoutMs)
  const perNode = limited(observed(timedCall, observer), options.concurrency)
  const chain = createChainCheck(perNode, options)

  async function attempt<T>(node: Node, request: RpcRequest<T>, ask: Ask, signal: AbortSignal): Promise<T> {
    const { method, params, onAttempt, decode, refused } = request
    const isAnswer = (error: unknown) => isRefusalAnswer(error, node, refused)
    const answer = await ask({ node, method, params, onAttempt, isAnswer, signal })
    if ('result' in answer) return decode(answer.result, node, signal)
    if (refused) return refused(answer.refusal, node)
    throw answer.refusal
  }

  /** Moves the node back and re-checks its chain, as it may have been replaced; an error answer needs no re-check. */
  function penalize(node: Node, error: Error, waitMs?: number): void {
    lastFailure = `${node.host}: ${error.message}`
    if (!isReported(error)) options.onRejected?.({ host: node.host, errorCode: errorCodeOf(error) })
    if (!(error instanceof JsonRpcError)) chain.forget(node)
    pool.demote(node, waitMs)
  }

  async function askEach<T>(request: RpcRequest<T>, ask: Ask, signal: AbortSignal): Promise<T> {
    const { method, except, only } = request
    const attemptOn = (node: Node) => redacted(node, () => attempt(node, request, ask, signal))
    const value = await failover(pool, {
      method,
      except,
      only,
      attempt: attemptOn,
      onFailure: penalize,
      signal,
    })
    lastFailure = null
    return value
  }

  function within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T> {
    const error = () => new DeadlineError(deadlineMs, lastFailure)
    return limitTime({ timeoutMs: deadlineMs, error, signal }, read)
  }

  return {
    nodes,
    backOff,
    within,
    penalize,
    nodeTime: clock.time,
    lastFailure: () => lastFailure,
    call(request) {
      const ask = ofChain(perNode, chain)
      return within(
        ({ signal }) => retried(() => askEach(request, ask, signal), { backOff, deadlineMs, signal }),
        request.signal,
      )
    },
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

/** Transport and JSON-RPC errors are reported with their call. */
const isReported = (error: Error): boolean => error instanceof TransportError || error instanceof JsonRpcError

/** Whether an error answer is a valid answer to the request, such as that a value is absent. */
function isRefusalAnswer(error: unknown, node: Node, refused: RpcRequest<unknown>['refused']): boolean {
  if (refused === undefined || error instanceof TransportError) return false
  try {
    refused(error, node)
    return true
  } catch {
    return false
  }
}
