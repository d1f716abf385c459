import { WattfeedError } from '../errors.ts'
import { isSystemError } from './systemReason.ts'

/** An error as `--json` prints it. */
export interface ErrorFields {
  code: string
  message: string
  retryable: boolean
}

/** Converts an error for `--json`; the code is `internal` for an unexpected one. */
export function errorFields(error: Error): ErrorFields {
  const { code, retryable } = error instanceof WattfeedError ? error : { code: 'internal', retryable: false }
  return { code, message: error.message, retryable }
}

/** Converts an expected error, with the code `system` for the system's. @throws any other error: it is a bug. */
export function commandError(error: unknown): ErrorFields {
  if (error instanceof WattfeedError) return errorFields(error)
  if (isSystemError(error)) return { ...errorFields(error), code: 'system' }
  throw error
}
