import { WattfeedError } from '../../../errors.ts'

/** The node's preprocessing rejects a module. The message is the node's. */
export class PreprocessingError extends WattfeedError {
  static override readonly name = 'PreprocessingError'
  readonly code = 'invalid_wasm'
  readonly retryable = false
}

/** Returns the error for bytes that are not a module, or that use unsupported features. */
export const deserializationError = (reason: string): PreprocessingError =>
  new PreprocessingError(`Deserialization error: ${reason}`)

/** Returns the error for a module that exceeds a limit of the node. */
export const validationError = (reason: string): PreprocessingError =>
  new PreprocessingError(`Wasm validation error: ${reason}`)
