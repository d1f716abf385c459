import { WattfeedError } from '../../../errors.ts'

/** A module that the node's preprocessing refuses, with the node's message. */
export class PreprocessingError extends WattfeedError {
  static override readonly name = 'PreprocessingError'
  readonly code = 'invalid_wasm'
  readonly retryable = false
}

/** Bytes that are not a module, or use unsupported features. */
export const deserializationError = (reason: string): PreprocessingError =>
  new PreprocessingError(`Deserialization error: ${reason}`)

/** A module that breaks one of the node's limits. */
export const validationError = (reason: string): PreprocessingError =>
  new PreprocessingError(`Wasm validation error: ${reason}`)
