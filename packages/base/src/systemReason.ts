/** Returns the system's error code, such as `ENOENT`; the error as text if it has none. */
export const systemReason = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Catches the error of a file that does not exist. @throws any other error */
export function nullIfMissing(error: unknown): null {
  if (systemReason(error) === 'ENOENT') return null
  throw error
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

export const writeCure = (reason: string): string =>
  FULL.has(reason) ? 'the disk is full: free some space' : 'let this user write there'

/** Returns an error's message; that of a full disk with what to do. */
export const systemMessage = (error: Error): string =>
  FULL.has(systemReason(error)) ? `${error.message}: ${writeCure(systemReason(error))}` : error.message

/** Returns whether an error comes from the operating system, not from a bug. */
export const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error
