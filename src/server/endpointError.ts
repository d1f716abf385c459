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
