import { createLimiter } from '../../async/limiter.ts'
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

/** An answer that was rejected: it does not decode, is not proven, or comes from a node that lags or hides. */
export interface RpcRejection {
  host: string
  /** The `code` of the error that says why. */
  errorCode: string
}

export interface RpcOptions {
  urls: readonly string[]
  chainName: string
  fetch: Fetch
  /** The longest that one attempt may take, in milliseconds. */
  timeoutMs: number
  /** The longest that one read may take, with all its calls and all their attempts, in milliseconds. */
  deadlineMs: number
  /** How many attempts may be under way at once. */
  concurrency: number
  /**
   * The most bytes that an answer may have where its method has no limit of its own.
   * @default 1 MiB
   */
  maxBodyBytes?: number
  /** The most that a node is left alone for where it asks for it, in milliseconds. @default 30000 */
  retryAfterMaxMs?: number | undefined
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
  /** Turns the result into a value. What it throws counts as the node's fault: another node is asked. */
  decode: (result: unknown, node: Node) => T
  /** Turns a refusal into a value where it is an answer, and throws it otherwise. */
  refused?: (error: unknown, node: Node) => T
  /** Called with each attempt, right before the request goes out. */
  onAttempt?: (node: Node) => void
  /** A node that is not asked. */
  except?: Node | undefined
  /** That of {@link Rpc.within}, whose time the call shares; any other one ends the call early. */
  signal?: AbortSignalLike | undefined
}

export interface CheckedRequest<T> extends Omit<RpcRequest<T>, 'decode'> {
  /**
   * Turns the result into a value, and may ask nodes for what that takes, with the signal. What it throws counts as the
   * fault of the node that gave the result: another node is asked.
   */
  check: (result: unknown, node: Node, signal: AbortSignalLike) => Promise<T>
}

/** Calls the configured nodes, one after another until one gives a good answer. */
export interface Rpc {
  /** The nodes there are to ask. */
  readonly nodes: readonly Node[]
  /**
   * Asks one node after another until one answers, within the deadline of the read that it is part of, or one of its own.
   *
   * @throws {AllNodesFailedError} that tells what each node did wrong.
   * @throws {DeadlineError}
   */
  call<T>(request: RpcRequest<T>): Promise<T>
  /** {@link Rpc.call} where it takes more calls to tell whether a result is good. */
  callChecked<T>(request: CheckedRequest<T>): Promise<T>
  /**
   * Gives a read its deadline: the only one there is for all calls that get the signal, or one that a shorter limit was
   * derived from it for. Within another read's deadline it begins none. `signal` ends the wait early, with its reason.
   *
   * @throws {DeadlineError} when time is up.
   *
   * @example
   * ```ts
   * await rpc.within(async ({ signal }) => queryGlobalState(rpc, { ...(await getStateRootHash(rpc, signal)), signal }))
   * ```
   */
  within<T>(read: (time: LimitedTime) => Promise<T>, signal?: AbortSignalLike): Promise<T>
  /** Asks a node once for its `info_get_status`, beside all else. One of another chain is checked again before its next answer. */
  getStatus(node: Node): Promise<unknown>
  /** Asks this node only when the others fail, for a while; the reason is told as {@link Rpc.lastFailure}. */
  penalize(node: Node, reason: Error): void
  /** What is wrong with the nodes just now, as a text that names one of them, or null. */
  lastFailure(): string | null
}

// Enough for a node that fails three answers in ten to give 140 good ones; about 2 s in all.
const MAX_ROUNDS = 10
// The same answer comes again where it is what the chain holds, or where the node lies.
const MAX_WRONG_ROUNDS = 4
const BACK_OFF = { minPauseMs: 20, maxPauseMs: 400 } as const
// Of what a node says in an error.
const MAX_TEXT_LENGTH = 10_000

/**
 * Creates what calls go through: to the node that answered last, to the next one where that fails, and with a
 * growing pause to all of them again. A node counts as one of the chain once its `info_get_status` names that, until it
 * fails: another one may be there when it comes back.
 *
 * @example
 * ```ts
 * const rpc = createRpc({ urls: ['http://127.0.0.1:11101/rpc'], chainName: 'casper-devnet', … })
 * const { hash } = await getStateRootHash(rpc)
 * ```
 */
export function createRpc(options: RpcOptions): Rpc {
  const { now = () => performance.now(), retryAfterMaxMs = 30_000 } = options
  const pool = createNodePool(options.urls, now)
  const limit = createLimiter(options.concurrency)
  /** Nodes of the chain, and those that are being asked whether they are. */
  const chainChecks = new Map<Node, Promise<unknown>>()
  let lastFailure: string | null = null

  /** Longer texts are cut first: a node may say as much as fits into an answer. */
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

  function checkChain(node: Node, signal: AbortSignal): Promise<unknown> {
    const known = chainChecks.get(node)
    if (known) return known
    const check = getStatus(node, signal)
    chainChecks.set(node, check)
    check.catch(() => chainChecks.delete(node))
    return check
  }

  /** What the node said, or how it refused; `pending` keeps it for the next try where only the check of the chain fails. */
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
    // Where that check failed, or another call dropped what it found, it alone is done again.
    await checkChain(node, signal)
    pending.delete(node)
    if ('result' in answer) return request.check(answer.result, node, signal)
    if (request.refused) return request.refused(answer.refusal, node)
    throw answer.refusal
  }

  /** The node comes later, and is asked for its chain again: what failed may have been replaced. A refusal is no failure. */
  function demote(node: Node, error: Error, waitMs?: number): void {
    lastFailure = `${node.host}: ${error.message}`
    reject(node, error)
    if (!(error instanceof JsonRpcError)) chainChecks.delete(node)
    pool.demote(node, waitMs)
  }

  /** Errors of the transport are told with their call. */
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
    for (const node of pool.inOrder()) {
      if (node === request.except) continue
      signal.throwIfAborted()
      try {
        assertAvailable(node)
        const value = await ask(node, request, pending, signal)
        pool.prefer(node)
        lastFailure = null
        return value
      } catch (cause) {
        // Where whoever asked gives up, that says nothing of the node.
        if (signal.aborted && !(signal.reason instanceof DeadlineError)) throw signal.reason
        const failure = signal.aborted ? new TransportError(`no answer to ${request.method}`) : cause
        const error = redactError(asError(failure), await redactorOf(node))
        demote(node, error, retryAfterMs(failure) ?? undefined)
        failures.push({ host: node.host, error })
      }
    }
    throw new AllNodesFailedError(request.method, failures)
  }

  /** A node that asks for more time than there is will not be there in time. */
  function isWorthRetrying(error: unknown): boolean {
    return isRetryable(error) && (retryAfterMs(error) ?? 0) < options.deadlineMs
  }

  function askInRounds<T>(request: CheckedRequest<T>, signal: AbortSignal): Promise<T> {
    const pending = new Map<Node, Promise<Answer>>()
    let wrong = 0
    return retry(() => askEachOnce(request, pending, signal), {
      ...BACK_OFF,
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

/** What a node said may stand in any text of an error that its answer led to. */
function redactError(error: Error, redact: (text: string) => string): Error {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(error)))
    if (typeof value === 'string') Reflect.set(error, name, redact(value))
  return error
}
