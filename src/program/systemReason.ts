/** The system's word for what went wrong, such as `ENOENT`, or the error itself as text where it has none. */
export const systemReason = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)
