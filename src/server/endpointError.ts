import { WattfeedError } from '../errors.ts'

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
