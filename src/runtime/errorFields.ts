import { WattfeedError } from '../errors.ts'
import { isSystemError } from './systemReason.ts'

/** What `--json` says of an error. */
export interface ErrorFields {
  code: string
  message: string
  retryable: boolean
}

/** An error as scripts read it; `internal` is one that wattfeed did not expect. */
export function errorFields(error: Error): ErrorFields {
  const { code, retryable } = error instanceof WattfeedError ? error : { code: 'internal', retryable: false }
  return { code, message: error.message, retryable }
}

/** Why a command failed; `system` is what the system refused. Throws any other error: it is a bug, and shows its stack. */
export function commandError(error: unknown): ErrorFields {
  if (error instanceof WattfeedError) return errorFields(error)
  if (isSystemError(error)) return { ...errorFields(error), code: 'system' }
  throw error
}
