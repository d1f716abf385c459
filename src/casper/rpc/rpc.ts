import { createLimiter } from '../../async/limiter.ts'
import { limitTime } from '../../async/limitTime.ts'
import { retry } from '../../async/retry.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { WattfeedError } from '../../errors.ts'
import { answerLimitOf } from './answerLimits.ts'
import { ChainNameMismatchError, readChainName } from './chainName.ts'
import { callJsonRpc, JsonRpcError } from './jsonRpc.ts'
import { createNodePool, type Node } from './nodePool.ts'
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

/** An answer that was not believed: it does not decode, is not proven, or comes from a node that lags or hides. */
export interface RpcRejection {
  host: string
  /** The `code` of the error that says why. */
  errorCode: string
}

export interface RpcOptions {
  urls: readonly string[]
  chainName: string
  fetch: Fetch
  /** The longest that one attempt may take. */
  timeoutMs: number
  /** The longest that one call may take with all its attempts. */
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
  /** Told of a node whose answer was not believed. */
  onRejected?: ((event: RpcRejection) => void) | undefined
  /** Told of each `info_get_status` result of a node of the right chain. */
  onStatus?: ((status: unknown, node: Node) => void) | undefined
}

export interface RpcRequest<T> {
  method: string
  params: unknown
  /** Turns the result into a value. What it throws counts as the node's fault: another node is asked. */
  decode: (result: unknown, node: Node) => T | Promise<T>
  /** Turns a refusal into a value where it is an answer, and throws it otherwise. */
  refused?: (error: unknown, node: Node) => T | Promise<T>
  /** Told each time before the request goes out. */
  onAttempt?: () => void
  /** A node that is not asked. */
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/** Calls the configured nodes, one after another until one gives a good answer. */
export interface Rpc {
  /** The nodes there are to ask. */
  readonly nodes: readonly Node[]
  /**
   * Asks one node after another until one answers.
   *
   * @throws {AllNodesFailedError} that tells what each node did wrong.
   * @throws {DeadlineError}
   */
  call<T>(request: RpcRequest<T>): Promise<T>
  /** Asks a node once for its status, beside all else; the next answer of one of another chain is not believed. */
  checkStatus(node: Node): Promise<void>
  /** Asks this node only when the others fail, for a while; the reason is told as {@link Rpc.trouble}. */
  passOver(node: Node, reason: Error): void
  /** What is wrong with the nodes just now, as a text that names one of them, or null. */
  trouble(): string | null
}

// Enough for a node that fails three answers in ten to give 140 good ones; about 2 s in all.
const ROUNDS = 10
// The same answer comes again where it is what the chain holds, or where the node lies.
const MOST_WRONG_ROUNDS = 4
const BACK_OFF = { shortestPauseMs: 20, longestPauseMs: 400 } as const
// How often a node is asked for its chain while its answer waits for that.
const CHECKS = {
  attempts: 3,
  shouldRetry: (error: unknown) => isRetryable(error) && retryAfterMs(error) === null,
}
// Of what a node says in an error.
const LONGEST_TEXT = 10_000

/**
 * Creates what calls go through: to the node that answered last, to the next one where that fails, and with a
 * growing pause to all of them again. A node is believed once its `info_get_status` names the expected chain, until it
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
  const believed = new Map<Node, Promise<void>>()
  let trouble: string | null = null

  /** Longer texts are cut first: a node may say as much as fits into an answer. */
  async function redactorOf(node: Node): Promise<(text: string) => string> {
    const redact = await pool.redactorOf(node)
    return (text) => redact(text.slice(0, LONGEST_TEXT))
  }

  function post(node: Node, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const callOptions = {
      ...options,
      headers: node.headers,
      maxBodyBytes: answerLimitOf(method, options.maxBodyBytes),
      retryAfterMaxMs,
      redactor: () => redactorOf(node),
      signal,
    }
    return limit(() => observe(node, method, () => callJsonRpc(node.url, method, params, callOptions)))
  }

  async function observe<T>({ host }: Node, method: string, call: () => Promise<T>): Promise<T> {
    const start = now()
    trouble ??= `${host} has not answered ${method} yet`
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

  async function checkChainName(node: Node, signal: AbortSignal): Promise<void> {
    const status = await post(node, 'info_get_status', null, signal)
    const actual = readChainName(status)
    if (actual !== options.chainName)
      throw new ChainNameMismatchError(options.chainName, (await redactorOf(node))(actual))
    options.onStatus?.(status, node)
  }

  function believe(node: Node, signal: AbortSignal): Promise<void> {
    const known = believed.get(node)
    if (known) return known
    const checked = checkChainName(node, signal)
    believed.set(node, checked)
    checked.catch(() => believed.delete(node))
    return checked
  }

  async function ask<T>(node: Node, request: RpcRequest<T>, signal: AbortSignal): Promise<T> {
    request.onAttempt?.()
    const answer = post(node, request.method, request.params, signal).then(
      (result) => () => request.decode(result, node),
      (error) => {
        if (error instanceof TransportError) throw error
        return () => {
          if (request.refused) return request.refused(error, node)
          throw error
        }
      },
    )
    const checked = believe(node, signal).catch((error) => {
      if (!isRetryable(error)) throw error
    })
    const [value] = await Promise.all([answer, checked])
    // The answer is there: where only the check failed, or what it found was dropped, that alone is tried again.
    await retry(() => believe(node, signal), { ...BACK_OFF, ...CHECKS, signal })
    return value()
  }

  /** The node comes later, and is asked for its chain again: what failed may have been replaced. A refusal is no failure. */
  function demote(node: Node, error: Error, wishMs?: number): void {
    trouble = `${node.host}: ${error.message}`
    reject(node, error)
    if (!(error instanceof JsonRpcError)) believed.delete(node)
    pool.demote(node, wishMs)
  }

  /** Errors of the transport are told with their call. */
  function reject({ host }: Node, error: Error): void {
    if (error instanceof TransportError || error instanceof JsonRpcError) return
    options.onRejected?.({ host, errorCode: error instanceof WattfeedError ? error.code : 'internal' })
  }

  function assertWelcome(node: Node): void {
    const wishMs = pool.wishMs(node)
    if (wishMs > 0)
      throw new TransportError(`it asked to be left alone for ${Math.ceil(wishMs)} ms more`, null, wishMs)
  }

  async function askEachOnce<T>(request: RpcRequest<T>, signal: AbortSignal): Promise<T> {
    const failures: { host: string; error: Error }[] = []
    for (const node of pool.inOrder()) {
      if (node === request.except) continue
      signal.throwIfAborted()
      try {
        assertWelcome(node)
        const value = await ask(node, request, signal)
        pool.prefer(node)
        trouble = null
        return value
      } catch (cause) {
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

  function askAgain<T>(request: RpcRequest<T>, signal: AbortSignal): Promise<T> {
    let wrong = 0
    return retry(() => askEachOnce(request, signal), {
      ...BACK_OFF,
      attempts: ROUNDS,
      signal,
      shouldRetry(error) {
        if (isWrongAnswer(error)) wrong += 1
        return isWorthRetrying(error) && wrong < MOST_WRONG_ROUNDS
      },
      waitMs: (error) => retryAfterMs(error) ?? 0,
    })
  }

  return {
    nodes: pool.nodes,
    async checkStatus(node) {
      const checked = checkChainName(node, new AbortController().signal)
      await checked.catch((error) => {
        if (error instanceof ChainNameMismatchError) believed.delete(node)
        throw error
      })
    },
    trouble: () => trouble,
    passOver: demote,
    call(request) {
      const late = () => new DeadlineError(options.deadlineMs, trouble)
      const limits = { timeoutMs: options.deadlineMs, error: late, signal: request.signal }
      return limitTime(limits, async (signal) => {
        try {
          return await askAgain(request, signal)
        } catch (error) {
          throw signal.aborted ? late() : error
        }
      })
    },
  }
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
