/** Returns the system's error code, such as `ENOENT`; the error as text if it has none. */
export const systemReason = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Whether an error comes from the operating system, not from a bug. */
export const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error
