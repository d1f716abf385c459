import { WattfeedError } from '@wattfeed/base'
import { JsonRpcError } from '../rpc/jsonRpc.ts'

const QUERY_FAILED = -32003

/**
 * Returns null for the error that reports a value as absent, and rethrows any other error.
 *
 * Nodes return the same error for an unknown dictionary seed or package, so callers must know that these exist.
 */
export function absentAsNull(error: unknown): null {
  if (
    error instanceof JsonRpcError &&
    error.rpcCode === QUERY_FAILED &&
    /not found|ValueNotFound/i.test(`${error.rpcMessage} ${error.data}`)
  )
    return null
  throw error
}

/**
 * A node reported a value as absent that is known to be on chain.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, HiddenValueError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof HiddenValueError) console.error(host, cause.what)
 * }
 * ```
 */
export class HiddenValueError extends WattfeedError {
  static override readonly name = 'HiddenValueError'
  readonly code = 'hidden_value'
  readonly retryable = true

  constructor(
    /** The hidden value. */
    readonly what: string,
  ) {
    super(`the node reports ${what} as absent, but it is on chain; try another node`)
  }
}

/** Throws a {@link HiddenValueError} for the error that reports a value as absent, and rethrows any other error. */
export function absentAsHidden(error: unknown, what: string): never {
  absentAsNull(error)
  throw new HiddenValueError(what)
}

/**
 * How the absence of a value was shown:
 *
 * - `count`: the proven list of ids, or the proven count of values, ends before it.
 * - `proof`: the Merkle proof of another value.
 * - `walk`: the elements of the trie, from `state_get_trie`.
 * - `second_node`: not proven; two nodes agree.
 * - `one_node`: not proven; only one node is configured.
 */
export type AbsenceWay = 'count' | 'proof' | 'walk' | 'second_node' | 'one_node'

/**
 * A node reported a value as absent, and neither a proof nor a count shows it. Only with `requireAbsenceProof`.
 *
 * @example
 * ```ts
 * import { AbsenceNotProvenError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AbsenceNotProvenError)) throw error
 *   console.error(error.what)
 * }
 * ```
 */
export class AbsenceNotProvenError extends WattfeedError {
  static override readonly name = 'AbsenceNotProvenError'
  readonly code = 'absence_not_proven'
  readonly retryable = false

  constructor(
    /** The absent value. */
    readonly what: string,
  ) {
    super(
      `the absence of ${what} is not proven; use a node that allows state_get_trie, or do not require the proof`,
    )
  }
}
