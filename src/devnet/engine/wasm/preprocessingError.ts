import { WattfeedError } from '../../../errors.ts'

/** A module that the node's preprocessing refuses; the message is the node's. */
export class PreprocessingError extends WattfeedError {
  static override readonly name = 'PreprocessingError'
  readonly code = 'invalid_wasm'
  readonly retryable = false
}

/** Bytes that are no module, or hold what the node does not read. */
export const deserializationError = (reason: string): PreprocessingError =>
  new PreprocessingError(`Deserialization error: ${reason}`)

/** A module that breaks one of the node's limits. */
export const validationError = (reason: string): PreprocessingError =>
  new PreprocessingError(`Wasm validation error: ${reason}`)
