/** Called with internal errors of a devnet, because an RPC response cannot contain all of their details. */
export type ReportFault = (error: unknown) => void

/** Writes an error to standard error: one line for a system error, the stack for a bug. */
export const reportFault: ReportFault = (error) => {
  const isSystemError = error instanceof Error && 'syscall' in error
  console.error('devnet:', isSystemError ? error.message : error)
}
