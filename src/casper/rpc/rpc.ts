import pLimit from 'p-limit'
import { isLimited, type LimitedTime, limitTime } from '../../async/limitTime.ts'
import { retry } from '../../async/retry.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { WattfeedError } from '../../errors.ts'
import { answerLimitOf, callJsonRpc, JsonRpcError } from './jsonRpc.ts'
import { createNodePool, type Node } from './nodePool.ts'
import { ChainNameMismatchError, readChainName } from './nodeStatus.ts'
import { type Fetch, TransportError } from './postJson.ts'
import { AllNodesFailedError, DeadlineError, isRetryable, isWrongAnswer, retryAfterMs } from './rpcErrors.ts'

/** One finished attempt to call a node. */
export interface RpcCallEvent {
  /** The JSON-RPC method. */
  method: string
  /** Host (and port) of the node. */
  host: string
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  /** The `code` of the error that ended the attempt, or null. */
  errorCode: string | null
}

/** A rejected answer: malformed, not proven, or from a node that lags or hides values. */
export interface RpcRejection {
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
  backOff?: { minPauseMs: number; maxPauseMs: number }
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
  /** Turns the result into a value. If it throws, the node is at fault and another is asked. */
  decode: (result: unknown, node: Node) => T
  /** Turns an error answer into a value if it is a valid answer, else throws it. */
  refused?: (error: unknown, node: Node) => T
  /** Called with each attempt, right before the request goes out. */
  onAttempt?: (node: Node) => void
  /** A node not to ask. */
  except?: Node | undefined
  /** The only node to ask; its answer does not make it the first for other calls. @default all */
  only?: Node
  /** The signal of {@link Rpc.within}, to share its deadline; any other aborts the call. */
  signal?: AbortSignalLike | undefined
}

export interface CheckedRequest<T> extends Omit<RpcRequest<T>, 'decode'> {
  /**
   * Turns the result into a value, and may make further calls with the signal. If it throws, the node that gave the
   * result is at fault and another is asked.
   */
  check: (result: unknown, node: Node, signal: AbortSignalLike) => Promise<T>
}

/** Calls the configured nodes one after another until one gives a good answer. */
export interface Rpc {
  readonly nodes: readonly Node[]
  /**
   * Asks one node after another until one answers, within the deadline of the read it belongs to, or a new one.
   *
   * @throws {AllNodesFailedError} with each node's error.
   * @throws {DeadlineError}
   */
  call<T>(request: RpcRequest<T>): Promise<T>
  /** {@link Rpc.call} for results whose check takes further calls. */
  callChecked<T>(request: CheckedRequest<T>): Promise<T>
  /**
   * Runs a read within one deadline, shared by all calls that get its signal or one derived from it. Inside another
   * read's deadline it starts no new one. `signal` ends the wait early, with its reason.
   *
   * @throws {DeadlineError} when time is up.
   *
   * @example
   * ```ts
   * await rpc.within(async ({ signal }) => queryGlobalState(rpc, { ...(await getStateRootHash(rpc, signal)), signal }))
   * ```
   */
  within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T>
  /** Asks a node once for its `info_get_status`. If it is of another chain, it is checked again before its next answer. */
  getStatus(node: Node): Promise<unknown>
  /** Moves this node behind the others for a while; `reason` becomes the {@link Rpc.lastFailure}. */
  penalize(node: Node, reason: Error): void
  /** Returns what is currently wrong with one of the nodes, as text, or null. */
  lastFailure(): string | null
}

// Enough for 140 calls in a row to succeed on a node that fails three in ten; about 2 s in all.
const MAX_ROUNDS = 10
// A wrong answer repeats if it is what the chain holds, or if the node lies.
const MAX_WRONG_ROUNDS = 4
const BACK_OFF = { minPauseMs: 20, maxPauseMs: 400 } as const
// Limit for what a node says in an error, in characters.
const MAX_TEXT_LENGTH = 10_000

/**
 * Creates the RPC client. A call goes to the node that answered last, then to the others, then to all again with growing
 * pauses. Each node's chain is checked by `info_get_status` at first and after each failure, as a URL may come to serve
 * another node.
 *
 * @example
 * ```ts
 * const rpc = createRpc({ urls: ['http://127.0.0.1:11101/rpc'], chainName: 'casper-devnet', … })
 * const { hash } = await getStateRootHash(rpc)
 * ```
 */
export function createRpc(options: RpcOptions): Rpc {
  const { now = () => performance.now(), retryAfterMaxMs = 30_000, backOff = BACK_OFF } = options
  const pool = createNodePool(options.urls, now)
  const limit = pLimit(options.concurrency)
  /** Done or pending checks that a node is of our chain, with the signal of the caller that began them. */
  const chainChecks = new Map<Node, { done: Promise<unknown>; signal: AbortSignal }>()
  let lastFailure: string | null = null

  /** Truncates before redacting: a node may say as much as fits into an answer. */
  async function redactorOf(node: Node): Promise<(text: string) => string> {
    const redact = await pool.redactorOf(node)
    return (text) => redact(text.slice(0, MAX_TEXT_LENGTH))
  }

  function post(
    node: Node,
    { method, params, onAttempt }: Pick<CheckedRequest<unknown>, 'method' | 'params' | 'onAttempt'>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const callOptions = {
      ...options,
      headers: node.headers,
      maxBodyBytes: answerLimitOf(method, options.maxBodyBytes),
      retryAfterMaxMs,
      redactor: () => redactorOf(node),
      signal,
    }
    return limit(() => {
      onAttempt?.(node)
      return observe(node, method, () => callJsonRpc(node.url, method, params, callOptions))
    })
  }

  async function observe<T>({ host }: Node, method: string, call: () => Promise<T>): Promise<T> {
    const start = now()
    lastFailure ??= `${host} has not answered ${method} yet`
    let errorCode: string | null = null
    try {
      return await call()
    } catch (error) {
      errorCode = error instanceof WattfeedError ? error.code : 'internal'
      throw error
    } finally {
      options.onCall({ method, host, durationMs: now() - start, errorCode })
    }
  }

  async function getStatus(node: Node, signal: AbortSignal): Promise<unknown> {
    const status = await post(node, { method: 'info_get_status', params: null }, signal)
    const actual = readChainName(status)
    if (actual !== options.chainName)
      throw new ChainNameMismatchError(options.chainName, (await redactorOf(node))(actual))
    options.onStatus?.(status, node)
    return status
  }

  /** Shared with other callers; if the one that began it gives up, the next begins its own. */
  async function checkChain(node: Node, signal: AbortSignal): Promise<unknown> {
    const known = chainChecks.get(node)
    if (known)
      return known.done.catch((error) => {
        if (signal.aborted || !known.signal.aborted) throw error
        return checkChain(node, signal)
      })
    const done = getStatus(node, signal)
    chainChecks.set(node, { done, signal })
    done.catch(() => chainChecks.delete(node))
    return done
  }

  /** Asks one node; `pending` keeps its answer for the next attempt in case only the check of its chain fails. */
  async function ask<T>(
    node: Node,
    request: CheckedRequest<T>,
    pending: Map<Node, Promise<Answer>>,
    signal: AbortSignal,
  ): Promise<T> {
    const posted = pending.get(node) ?? post(node, request, signal).then((result) => ({ result }), orRefusal)
    pending.set(node, posted)
    posted.catch(() => pending.delete(node))
    const checked = checkChain(node, signal).catch((error) => {
      if (!isRetryable(error) || retryAfterMs(error) !== null) throw error
    })
    const [answer] = await Promise.all([posted, checked])
    // If the check failed, or another call dropped its result, it alone is repeated.
    await checkChain(node, signal)
    pending.delete(node)
    if ('result' in answer) return request.check(answer.result, node, signal)
    if (request.refused) return request.refused(answer.refusal, node)
    throw answer.refusal
  }

  /** Moves the node back and re-checks its chain, as it may have been replaced; an error answer needs no re-check. */
  function demote(node: Node, error: Error, waitMs?: number): void {
    lastFailure = `${node.host}: ${error.message}`
    reject(node, error)
    if (!(error instanceof JsonRpcError)) chainChecks.delete(node)
    pool.demote(node, waitMs)
  }

  /** Reports a rejected answer; transport and JSON-RPC errors are reported with their call. */
  function reject({ host }: Node, error: Error): void {
    if (error instanceof TransportError || error instanceof JsonRpcError) return
    options.onRejected?.({ host, errorCode: error instanceof WattfeedError ? error.code : 'internal' })
  }

  function assertAvailable(node: Node): void {
    const waitMs = pool.waitMs(node)
    if (waitMs > 0)
      throw new TransportError(`it asked to be left alone for ${Math.ceil(waitMs)} ms more`, null, waitMs)
  }

  async function askEachOnce<T>(
    request: CheckedRequest<T>,
    pending: Map<Node, Promise<Answer>>,
    signal: AbortSignal,
  ): Promise<T> {
    const failures: { host: string; error: Error }[] = []
    for (const node of request.only ? [request.only] : pool.inOrder()) {
      if (node === request.except) continue
      signal.throwIfAborted()
      try {
        assertAvailable(node)
        const value = await ask(node, request, pending, signal)
        if (!request.only) pool.prefer(node)
        lastFailure = null
        return value
      } catch (cause) {
        // The caller giving up says nothing about the node.
        if (signal.aborted && !(signal.reason instanceof DeadlineError)) throw signal.reason
        const failure = signal.aborted ? new TransportError(`no answer to ${request.method}`) : cause
        const error = redactError(asError(failure), await redactorOf(node))
        demote(node, error, retryAfterMs(failure) ?? undefined)
        failures.push({ host: node.host, error })
      }
    }
    throw new AllNodesFailedError(request.method, failures)
  }

  /** Waiting beyond the deadline is pointless. */
  function isWorthRetrying(error: unknown): boolean {
    return isRetryable(error) && (retryAfterMs(error) ?? 0) < options.deadlineMs
  }

  function askInRounds<T>(request: CheckedRequest<T>, signal: AbortSignal): Promise<T> {
    const pending = new Map<Node, Promise<Answer>>()
    let wrong = 0
    return retry(() => askEachOnce(request, pending, signal), {
      ...backOff,
      attempts: MAX_ROUNDS,
      signal,
      shouldRetry(error) {
        if (isWrongAnswer(error)) wrong += 1
        return isWorthRetrying(error) && wrong < MAX_WRONG_ROUNDS
      },
      waitMs: (error) => retryAfterMs(error) ?? 0,
    })
  }

  function within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T> {
    if (signal && isLimited(signal)) return read({ signal })
    const timeoutMs = options.deadlineMs
    return limitTime({ timeoutMs, error: () => new DeadlineError(timeoutMs, lastFailure), signal }, read)
  }

  function callChecked<T>(request: CheckedRequest<T>): Promise<T> {
    return within(({ signal }) => askInRounds(request, signal), request.signal)
  }

  return {
    nodes: pool.nodes,
    within,
    lastFailure: () => lastFailure,
    penalize: demote,
    callChecked,
    call: (request) =>
      callChecked({ ...request, check: async (result, node) => request.decode(result, node) }),
    async getStatus(node) {
      try {
        return await getStatus(node, new AbortController().signal)
      } catch (error) {
        if (error instanceof ChainNameMismatchError) chainChecks.delete(node)
        throw error
      }
    },
  }
}

type Answer = { result: unknown } | { refusal: unknown }

function orRefusal(error: unknown): Answer {
  if (error instanceof TransportError) throw error
  return { refusal: error }
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** Redacts every text field: any of them may quote the node. */
function redactError(error: Error, redact: (text: string) => string): Error {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(error)))
    if (typeof value === 'string') Reflect.set(error, name, redact(value))
  return error
}
