import { isSystemError, systemMessage, WattfeedError } from '@wattfeed/base'

export interface ErrorFields {
  code: string
  message: string
  retryable: boolean
}

/** Converts an error for `--json`; the code is `system` for the system's, and `internal` for an unexpected one. */
export function errorFields(error: Error): ErrorFields {
  const { code, retryable } = error instanceof WattfeedError ? error : unnamed(error)
  return { code, message: systemMessage(error), retryable }
}

const unnamed = (error: Error) => ({ code: isSystemError(error) ? 'system' : 'internal', retryable: false })

/** Converts an expected error, with the code `system` for the system's. @throws any other error: it is a bug. */
export function commandError(error: unknown): ErrorFields {
  if (error instanceof WattfeedError || isSystemError(error)) return errorFields(error)
  throw error
}
