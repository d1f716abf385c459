import type { ErrorBody } from '../api/schemas.ts'
import { ProofBusyError } from '../client/errors.ts'
import {
  AllNodesFailedError,
  HiddenValueError,
  InvalidArgumentError,
  type Snapshot,
} from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import { HistoryTooLargeError } from '../history/knownValues.ts'
import { TableWorkerError } from '../tables/formatTable.ts'
import { BodySchemaError } from './bodyCheck.ts'
import { RangeNotSatisfiableError } from './fileResponse.ts'
import {
  ALLOWED_METHODS,
  type AnswerHeaders,
  jsonHeaders,
  jsonResponse,
  originHeaders,
  versionAt,
} from './headers.ts'
import { HistoryBusyError, HistoryFillingError } from './historyWalks.ts'
import { QueryError } from './query.ts'
import { StreamAheadError, StreamsFullError } from './stream/errors.ts'
import { PathEncodingError } from './url.ts'

/** No endpoint has this path. */
export class UnknownPathError extends WattfeedError {
  static override readonly name = 'UnknownPathError'
  readonly code = 'unknown_path'
  readonly retryable = false

  constructor(readonly path: string) {
    super(`no endpoint answers to ${path}: GET / lists those that do`)
  }
}

/** An endpoint does not allow this method. */
export class MethodNotAllowedError extends WattfeedError {
  static override readonly name = 'MethodNotAllowedError'
  readonly code = 'method_not_allowed'
  readonly retryable = false

  constructor(
    readonly method: string,
    readonly path: string,
  ) {
    super(`${method} is not allowed on ${path}: everything here is read with GET`)
  }
}

/**
 * A request has more than one Host header: a proxy may have used another one.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export class DoubledHostError extends WattfeedError {
  static override readonly name = 'DoubledHostError'
  readonly code = 'doubled_host'
  readonly retryable = false

  constructor() {
    super('the request has more than one Host header: send one')
  }
}

/** A feed id is not registered, or has no value, at a state root. */
export class FeedNotFoundError extends WattfeedError {
  static override readonly name = 'FeedNotFoundError'
  readonly code = 'feed_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Null if unknown. */
    readonly stateRootHash: string | null,
    /** Null if there is none. */
    readonly version: string | null = null,
  ) {
    super(`feed not found on-chain: ${feedId}`)
  }
}

/** A feed has fewer values than an index asks for. */
export class ValueNotFoundError extends WattfeedError {
  static override readonly name = 'ValueNotFoundError'
  readonly code = 'value_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    readonly index: number,
    readonly count: number,
    readonly stateRootHash: string,
    /** Null if there is none. */
    readonly version: string | null = null,
  ) {
    super(`${feedId} has ${count} values: the index ${index} must be below that`)
  }
}

/** Returns the error for a value that is not there: of the feed, or of its value at the index. */
export async function valueNotFound(
  at: Snapshot,
  feedId: string,
  index: number | null,
): Promise<WattfeedError> {
  const [count, version] = await Promise.all([at.getValueCount(feedId), versionAt(at)])
  if (index === null || count === 0) return new FeedNotFoundError(feedId, at.stateRootHash, version)
  // The value was attested after the block that was to prove it, or a node hides it.
  if (index < count) return new HiddenValueError(`the value ${index} of ${feedId}`)
  return new ValueNotFoundError(feedId, index, count, at.stateRootHash, version)
}

/** An address pins values of a feed that the chain does not hold, or shows otherwise now. */
export class HistoryPinError extends WattfeedError {
  static override readonly name = 'HistoryPinError'
  readonly code = 'history_pin'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    rule: string,
  ) {
    super(
      `this address pins other values of ${feedId}: ${rule}; its decimals have changed, or the chain is another one; leave out pin`,
    )
  }
}

/** Default `Retry-After` in seconds: about half the chain's block time. */
export const RETRY_AFTER_S = 4

const respond = (status: number, message: string, headers: AnswerHeaders = {}): Response =>
  jsonResponse(
    JSON.stringify({ error: message } satisfies ErrorBody),
    status,
    jsonHeaders({ 'cache-control': 'no-store', ...headers }),
  )

/**
 * Returns the response for an error. The only place that maps errors to statuses.
 *
 * Every client error except an invalid argument is a 502: the chain could not be read, or its state is invalid. Anything
 * but a `WattfeedError` is a defect, whose message may say anything and goes only to the log.
 */
export function errorResponse(error: unknown): Response {
  if (error instanceof PathEncodingError || error instanceof InvalidArgumentError)
    return respond(400, error.message)
  if (error instanceof DoubledHostError || error instanceof QueryError) return respond(400, error.message)
  if (error instanceof UnknownPathError) return respond(404, error.message)
  if (error instanceof MethodNotAllowedError) return respond(405, error.message, { allow: ALLOWED_METHODS })
  if (error instanceof ValueNotFoundError) return respond(404, error.message, stateRootHeaders(error))
  if (error instanceof FeedNotFoundError) return respond(404, error.message, stateRootHeaders(error))
  if (error instanceof RangeNotSatisfiableError)
    return respond(416, error.message, { 'content-range': `bytes */${error.size}` })
  if (error instanceof BodySchemaError) return respond(error.origin === 'chain' ? 502 : 500, error.message)
  if (error instanceof TableWorkerError) return respond(500, error.message)
  if (error instanceof HistoryPinError) return respond(409, error.message)
  if (error instanceof HistoryTooLargeError) return respond(503, error.message)
  if (error instanceof HistoryFillingError) return respond(503, error.message, retryHeaders(error))
  if (error instanceof HistoryBusyError) return respond(429, error.message, retryHeaders(error))
  if (error instanceof StreamsFullError || error instanceof StreamAheadError)
    return respond(503, error.message, retryHeaders(error))
  if (error instanceof ProofBusyError) return respond(429, error.message, retryHeaders(error))
  if (error instanceof WattfeedError) return respond(502, error.message, retryHeaders(error))
  return respond(500, 'internal error')
}

// A node may ask for any time.
const MAX_RETRY_AFTER_S = 30

/** Returns `Retry-After` for retryable errors: what the nodes or the work ask for, if they do, from 1 s to 30 s. */
function retryHeaders(error: WattfeedError): AnswerHeaders {
  if (!error.retryable) return {}
  const isTimed = error instanceof AllNodesFailedError || error instanceof HistoryFillingError
  const waitMs = isTimed ? error.retryAfterMs : null
  const seconds = waitMs === null ? RETRY_AFTER_S : Math.ceil(waitMs / 1000)
  return { 'retry-after': String(Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_S)) }
}

const stateRootHeaders = ({
  stateRootHash,
  version,
}: FeedNotFoundError | ValueNotFoundError): AnswerHeaders =>
  stateRootHash === null ? {} : originHeaders(stateRootHash, version)
