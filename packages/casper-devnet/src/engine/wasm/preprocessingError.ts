import { ExecutionError } from '../executionError.ts'

/** Returns the error for a module that the node's preprocessing rejects. The reason is the node's. */
export const preprocessingError = (reason: string): ExecutionError =>
  new ExecutionError(`Wasm preprocessing error: ${reason}`)

/** Returns the error for bytes that are not a module, or that use unsupported features. */
export const deserializationError = (reason: string): ExecutionError =>
  preprocessingError(`Deserialization error: ${reason}`)

/** Returns the error for a module that exceeds a limit of the node. */
export const validationError = (reason: string): ExecutionError =>
  preprocessingError(`Wasm validation error: ${reason}`)
