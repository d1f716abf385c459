/** The system's word for what went wrong, such as `ENOENT`, or the error itself as text where it has none. */
export const systemReason = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Whether an error tells what the system refused, not what is wrong with this program. */
export const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error
