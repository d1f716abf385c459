import { DecodeError, WattfeedError } from '@wattfeed/base'
import { TransportError } from './jsonRpc.ts'

/**
 * All nodes failed, or returned answers that were rejected.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures) console.error(host, cause.message)
 * }
 * ```
 */
export class AllNodesFailedError extends WattfeedError {
  static override readonly name = 'AllNodesFailedError'
  readonly code = 'all_nodes_failed'
  readonly retryable: boolean
  /** Shortest `Retry-After` in milliseconds if all nodes sent one; otherwise null. */
  readonly retryAfterMs: number | null

  constructor(
    /** The JSON-RPC method. */
    readonly method: string,
    /** The failure of each node, in the order of the calls. */
    readonly failures: readonly { host: string; error: Error }[],
  ) {
    super(`${method} failed: ${failures.map(({ host, error }) => `${host}: ${error.message}`).join('; ')}`)
    this.retryable = failures.some(({ error }) => isRetryable(error))
    const waits = failures.map(({ error }) => retryAfterMs(error)).filter((wait) => wait !== null)
    this.retryAfterMs = waits.length === failures.length ? Math.min(...waits) : null
  }
}

/**
 * A read did not finish within its deadline.
 *
 * @example
 * ```ts
 * import { DeadlineError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof DeadlineError)) throw error
 *   console.error(`${error.deadlineMs} ms: ${error.lastFailure}`)
 * }
 * ```
 */
export class DeadlineError extends WattfeedError {
  static override readonly name = 'DeadlineError'
  readonly code = 'deadline'
  readonly retryable = true

  constructor(
    /** The deadline, in milliseconds. */
    readonly deadlineMs: number,
    /** The last failure of a node; null if no call failed before the deadline. */
    readonly lastFailure: string | null,
  ) {
    super(
      `no answer within ${deadlineMs} ms${lastFailure === null ? '' : `; ${lastFailure}`}; try again later`,
    )
  }
}

/**
 * A well-formed answer that differs from what the caller expects. The next node is called, but this one is not penalized:
 * the expectation may be wrong.
 */
export class UnexpectedAnswerError extends DecodeError {}

/**
 * A node no longer keeps the state of an old block. Another node may keep it, so the next one is called, but this one is not
 * penalized.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, StateNotKeptError } from 'wattfeed'
 *
 * const at = await client.snapshot()
 * // Hours later:
 * await at.getValue('EIA.PET.PRICE.WTI.DAILY').catch((error) => {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   const isGone = error.failures.some((failure) => failure.error instanceof StateNotKeptError)
 *   console.warn(isGone ? 'take a new snapshot' : error.message)
 * })
 * ```
 */
export class StateNotKeptError extends WattfeedError {
  static override readonly name = 'StateNotKeptError'
  readonly code = 'state_not_kept'
  readonly retryable = false

  constructor(
    /** The value to read. */
    readonly what: string,
  ) {
    super(`the node no longer keeps the state of ${what}; use a node that keeps older states`)
  }
}

/**
 * A stale node: its newest block is far older than another node's, so it is stuck or hides new blocks.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, StaleNodeError } from 'wattfeed'
 *
 * await client.listReadings().catch((error) => {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   const stale = error.failures.filter((failure) => failure.error instanceof StaleNodeError)
 *   console.warn(stale.map(({ host }) => host))
 * })
 * ```
 */
export class StaleNodeError extends WattfeedError {
  static override readonly name = 'StaleNodeError'
  readonly code = 'stale_node'
  readonly retryable = true

  constructor(
    /** Age of its newest block compared with another node's, in milliseconds. */
    readonly behindMs: number,
  ) {
    super(`stale node: its newest block is ${behindMs} ms older than another node's; use another node`)
  }
}

/** Returns whether a call failed because a node no longer keeps the state, and no other node answered. */
export function isStateNotKept(error: unknown): boolean {
  return (
    error instanceof AllNodesFailedError &&
    error.failures.some(({ error: failure }) => failure instanceof StateNotKeptError)
  )
}

/** Returns whether the same call may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof WattfeedError && error.retryable
}

/** Returns whether every node's answer was malformed or too large, so that the data on chain may be at fault. */
export function isUndecodable(error: unknown): error is AllNodesFailedError {
  return (
    error instanceof AllNodesFailedError &&
    error.failures.every(
      ({ error: failure }) =>
        failure instanceof DecodeError || (failure instanceof TransportError && failure.isRefusedBody),
    )
  )
}

const WRONG_ANSWERS = new Set(['decode', 'hidden_value', 'merkle_proof', 'verification'])

/** Returns whether every node's answer was malformed, not proven, or hides a value that is on chain. */
export function isWrongAnswer(error: unknown): boolean {
  if (error instanceof AllNodesFailedError)
    return error.failures.every(({ error: failure }) => isWrongAnswer(failure))
  return error instanceof WattfeedError && WRONG_ANSWERS.has(error.code)
}

/** Returns the `Retry-After` of an error in milliseconds, or null. */
export function retryAfterMs(error: unknown): number | null {
  return error instanceof TransportError || error instanceof AllNodesFailedError ? error.retryAfterMs : null
}
