import { isSystemError } from '../runtime/systemReason.ts'

/** Called with internal errors of a devnet that no answer can report in full. */
export type ReportFault = (error: unknown) => void

/** Writes to standard error: one line for a system error, with the stack for a bug. */
export const reportFault: ReportFault = (error) => {
  console.error('devnet:', isSystemError(error) ? error.message : error)
}
