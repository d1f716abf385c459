import { isSystemError } from '../runtime/systemReason.ts'

/** Is told what went wrong inside of a devnet, where no one waits for an answer or the answer can say little of it. */
export type ReportFault = (error: unknown) => void

/** Writes to standard error: one line for what the system refused, with its stack for what is a bug. */
export const reportFault: ReportFault = (error) => {
  console.error('devnet:', isSystemError(error) ? error.message : error)
}
