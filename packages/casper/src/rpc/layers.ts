import { type AbortSignalLike, cacheRead, type Fetch, limitTime, retry, WattfeedError } from '@wattfeed/base'
import pLimit from 'p-limit'
import { type Call, type NodeCall, TransportError } from './jsonRpc.ts'
import type { Node } from './node.ts'
import type { NodePool } from './nodePool.ts'
import { ChainNameMismatchError, readChainName } from './nodeStatus.ts'
import { MAX_ROUNDS, MAX_WRONG_ROUNDS } from './retryRule.ts'
import { AllNodesFailedError, DeadlineError, isRetryable, isWrongAnswer, retryAfterMs } from './rpcErrors.ts'

// The layers of a call, from the outside in; `createRpc` composes them. The last three are around each request to a node.

/** Pauses between rounds of calls to all nodes. */
export interface BackOff {
  minPauseMs: number
  maxPauseMs: number
}

/**
 * Layer: calls all nodes again, with growing pauses, until one round succeeds. A `Retry-After` longer than `deadlineMs` is not
 * waited for.
 */
export function retried<T>(
  { backOff, deadlineMs, signal }: { backOff: BackOff; deadlineMs: number; signal: AbortSignalLike },
  round: () => Promise<T>,
): Promise<T> {
  let wrong = 0
  return retry(round, {
    ...backOff,
    attempts: MAX_ROUNDS,
    signal,
    shouldRetry(error) {
      if (isWrongAnswer(error)) wrong += 1
      return isRetryable(error) && (retryAfterMs(error) ?? 0) < deadlineMs && wrong < MAX_WRONG_ROUNDS
    },
    waitMs: (error) => retryAfterMs(error) ?? 0,
  })
}

export interface FailoverOptions {
  method: string
  /** A node to skip. The answer of another does not make that one the preferred node. */
  except?: Node | undefined
  /** The only node to call. Its answer does not make it the preferred node. @default all nodes */
  only?: Node | undefined
  /** Which node to call first, counted from the preferred one. Above 0, an answer does not change that one. @default 0 */
  turn?: number | undefined
  /** Called with a node that failed. `waitMs` is its `Retry-After`. */
  onFailure: (node: Node, error: Error, waitMs?: number) => void
  signal: AbortSignalLike
}

/**
 * Layer: calls one node after another until one succeeds.
 *
 * @throws {AllNodesFailedError} with each node's error.
 */
export async function failover<T>(
  pool: NodePool,
  { method, except, only, turn = 0, onFailure, signal }: FailoverOptions,
  attempt: (node: Node) => Promise<T>,
): Promise<T> {
  const failures: { host: string; error: Error }[] = []
  for (const node of only ? [only] : pool.inOrder(turn)) {
    if (node === except) continue
    signal.throwIfAborted()
    try {
      assertAvailable(pool, node)
      const value = await attempt(node)
      if (!only && !except && turn === 0) pool.prefer(node)
      return value
    } catch (cause) {
      const error = blame(cause, method, signal)
      onFailure(node, error, retryAfterMs(error) ?? undefined)
      failures.push({ host: node.host, error })
    }
  }
  throw new AllNodesFailedError(method, failures)
}

/** Returns the node's error. @throws the signal's reason if the caller aborted, because then the node is not at fault. */
function blame(cause: unknown, method: string, signal: AbortSignalLike): Error {
  if (signal.aborted && !(signal.reason instanceof DeadlineError)) throw signal.reason
  if (signal.aborted) return new TransportError(`no answer to ${method}`)
  return cause instanceof Error ? cause : new Error(String(cause))
}

function assertAvailable(pool: NodePool, node: Node): void {
  const waitMs = pool.waitMs(node)
  if (waitMs > 0)
    throw new TransportError(`rate limited: Retry-After has ${Math.ceil(waitMs)} ms left`, null, waitMs)
}

/** Layer: redacts the secrets of a node's URL in errors, because a node can echo its URL in any text. */
export async function redacted<T>(node: Node, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw redactError(cause instanceof Error ? cause : new Error(String(cause)), node.redact)
  }
}

function redactError(error: Error, redact: (text: string) => string): Error {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(error)))
    if (typeof value === 'string') Reflect.set(error, name, redact(value))
  return error
}

/** The answer of a node on the configured chain: a result or an error. */
export type NodeAnswer = { result: unknown } | { refusal: unknown }

/**
 * Layer for one request: returns a node's answer only if the node belongs to the configured chain. The check runs in
 * parallel to the request. If only the check fails, only the check is retried. Otherwise few requests would succeed on a
 * node that fails three calls in ten.
 */
export function ofChain(next: Call, chain: ChainCheck): (call: NodeCall) => Promise<NodeAnswer> {
  /** Answers that wait for a check, which may take until the next attempt. */
  const kept = new Map<Node, Promise<NodeAnswer>>()
  return async (call) => {
    const { node, signal } = call
    const asked = cacheRead(kept, node, () => answerOf(next(call)))
    const [answer] = await Promise.all([asked, chain.check(node, signal).catch(throwLasting)])
    // Checks again if the check failed, or if another call failed meanwhile: the URL may now serve another node.
    await chain.check(node, signal)
    kept.delete(node)
    return answer
  }
}

/** Ignores errors after which the check can be retried immediately. */
function throwLasting(error: unknown): void {
  if (!isRetryable(error) || retryAfterMs(error) !== null) throw error
}

/** Returns an error object as an answer, which must wait for the check. A transport error need not wait. */
const answerOf = (work: Promise<unknown>): Promise<NodeAnswer> =>
  work.then(
    (result) => ({ result }),
    (refusal) => {
      if (refusal instanceof TransportError) throw refusal
      return { refusal }
    },
  )

/** Checks through `info_get_status` that nodes belong to the configured chain. */
export interface ChainCheck {
  /**
   * Checks a node, unless it was already checked. Callers share a check. If the caller that started it aborts, the next
   * caller starts a new one.
   *
   * @throws {ChainNameMismatchError}
   */
  check(node: Node, signal: AbortSignalLike): Promise<unknown>
  /** Reads a node's status without a retry. @throws {ChainNameMismatchError} */
  getStatus(node: Node, signal: AbortSignalLike): Promise<unknown>
  /** Discards the node's check. A URL can start to serve another node, so its next answer needs a new check. */
  forget(node: Node): void
}

export function createChainCheck(
  call: Call,
  {
    chainName,
    onStatus,
  }: {
    chainName: string
    /** Called with each `info_get_status` result of a node on the configured chain. */
    onStatus?: ((status: unknown, node: Node) => void) | undefined
  },
): ChainCheck {
  /** Finished and pending checks, each with the signal of the caller that started it. */
  const checks = new Map<Node, { done: Promise<unknown>; signal: AbortSignalLike }>()

  async function getStatus(node: Node, signal: AbortSignalLike): Promise<unknown> {
    const status = await call({ node, method: 'info_get_status', params: null, signal })
    const actual = readChainName(status)
    if (actual !== chainName) throw new ChainNameMismatchError(chainName, node.redact(actual))
    onStatus?.(status, node)
    return status
  }

  async function check(node: Node, signal: AbortSignalLike): Promise<unknown> {
    const known = checks.get(node)
    if (known)
      return known.done.catch((error) => {
        if (signal.aborted || !known.signal.aborted) throw error
        return check(node, signal)
      })
    const done = getStatus(node, signal)
    checks.set(node, { done, signal })
    done.catch(() => checks.delete(node))
    return done
  }

  return { check, getStatus, forget: (node) => void checks.delete(node) }
}

/** Layer: keeps at most `concurrency` requests in flight and queues the others. */
export function limited(next: Call, concurrency: number): Call {
  const limit = pLimit(concurrency)
  return (call) => limit(() => next(call))
}

/** A finished attempt to call a node. */
export interface RpcCallEvent {
  /** The JSON-RPC method. */
  method: string
  /** Host (and port) of the node. */
  host: string
  /** Duration of the attempt in milliseconds. */
  durationMs: number
  /** The `code` of the attempt's error, or null if it succeeded. That a value is absent is a success. */
  errorCode: string | null
}

export interface Observer {
  /** Monotonic clock in milliseconds. */
  now: () => number
  onStart: (call: NodeCall) => void
  onCall: (event: RpcCallEvent) => void
}

/** Layer: reports the start and the end of each request. */
export function observed(next: Call, { now, onStart, onCall }: Observer): Call {
  return async (call) => {
    const { method, node } = call
    const start = now()
    let errorCode: string | null = null
    onStart(call)
    call.onAttempt?.(node)
    try {
      return await next(call)
    } catch (error) {
      if (!call.isAnswer?.(error)) errorCode = errorCodeOf(error)
      throw error
    } finally {
      onCall({ method, host: node.host, durationMs: now() - start, errorCode })
    }
  }
}

/** Returns the `code` of a {@link WattfeedError}, or `internal` for any other error. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof WattfeedError ? error.code : 'internal'

/** Layer: rejects with a {@link TransportError} after `timeoutMs`. */
export function timed(next: Call, timeoutMs: number): Call {
  const error = () => new TransportError(`timed out after ${timeoutMs} ms`)
  return (call) =>
    limitTime({ timeoutMs, error, signal: call.signal }, ({ signal }) => next({ ...call, signal }))
}

/** The nodes' clock, by the `Date` of their HTTP answers. */
export interface NodeClock {
  /** Calls a node, and notes the `Date` of its answer. */
  fetch: Fetch
  /** Returns the nodes' time in epoch milliseconds; null if no answer had a `Date`. */
  time(): number | null
}

/** Creates the clock of some nodes. @param now milliseconds of a monotonic clock */
export function createNodeClock(fetch: Fetch, now: () => number): NodeClock {
  /** How far the nodes' clock is ahead of the monotonic one. */
  let offsetMs: number | null = null
  return {
    async fetch(url, init) {
      const response = await fetch(url, init)
      const date = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(date)) offsetMs = date - now()
      return response
    },
    time: () => (offsetMs === null ? null : now() + offsetMs),
  }
}
