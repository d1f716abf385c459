import { ProofBusyError } from '../client/errors.ts'
import { AllNodesFailedError, InvalidArgumentError } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import { BodySchemaError } from './bodyCheck.ts'
import { ALLOWED_METHODS, jsonHeaders, jsonResponse } from './headers.ts'
import type { ErrorBody } from './schemas.ts'
import { PathEncodingError } from './url.ts'

/** A path that no endpoint answers to. */
export class UnknownPathError extends WattfeedError {
  static override readonly name = 'UnknownPathError'
  readonly code = 'unknown_path'
  readonly retryable = false

  constructor(readonly path: string) {
    super(`no endpoint answers to ${path}: GET / lists those that do`)
  }
}

/** A method that no endpoint answers to, on the path of one. */
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
 * A request with more than one Host header: what stands between might have read another one.
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

/** A feed id that is not registered, or registered without a value, at a state root. */
export class FeedNotFoundError extends WattfeedError {
  static override readonly name = 'FeedNotFoundError'
  readonly code = 'feed_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Null where it is not known. */
    readonly stateRootHash: string | null,
  ) {
    super(`feed not found on-chain: ${feedId}; GET /v1/feeds lists all that are`)
  }
}

/** When to ask again after a failure that passes, in seconds: about half a block of the chain. */
export const RETRY_AFTER_S = 4

const respond = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  jsonResponse(JSON.stringify({ error: message } satisfies ErrorBody), status, jsonHeaders(headers))

/**
 * The answer to a request that ended in an error. The one place that knows which error is which status.
 *
 * Every error of the client but a wrong argument is a 502: it could not read the chain, or the chain's state is not
 * what it should be. What is not a `WattfeedError` is a defect: its message may say anything and goes to the log only.
 */
export function errorResponse(error: unknown): Response {
  if (error instanceof PathEncodingError || error instanceof InvalidArgumentError)
    return respond(400, error.message)
  if (error instanceof DoubledHostError) return respond(400, error.message)
  if (error instanceof UnknownPathError) return respond(404, error.message)
  if (error instanceof MethodNotAllowedError) return respond(405, error.message, { allow: ALLOWED_METHODS })
  if (error instanceof FeedNotFoundError) return respond(404, error.message, stateRootHeaders(error))
  if (error instanceof BodySchemaError) return respond(error.origin === 'chain' ? 502 : 500, error.message)
  if (error instanceof ProofBusyError) return respond(429, error.message, retryHeaders(error))
  if (error instanceof WattfeedError) return respond(502, error.message, retryHeaders(error))
  return respond(500, 'internal error')
}

// What a node asks for may be any number.
const MAX_RETRY_AFTER_S = 30

/** As long as the nodes themselves ask for, where they do: from 1 s to 30 s. */
function retryHeaders(error: WattfeedError): Record<string, string> {
  if (!error.retryable) return {}
  const waitMs = error instanceof AllNodesFailedError ? error.retryAfterMs : null
  const seconds = waitMs === null ? RETRY_AFTER_S : Math.ceil(waitMs / 1000)
  return { 'retry-after': String(Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_S)) }
}

const stateRootHeaders = ({ stateRootHash }: FeedNotFoundError): Record<string, string> =>
  stateRootHash === null ? {} : { 'x-casper-state-root': stateRootHash }
