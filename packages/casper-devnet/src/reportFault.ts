import { WattfeedError } from '@wattfeed/base'

/** Called with internal errors of a devnet, because an RPC response cannot contain all of their details. */
export type ReportFault = (error: unknown) => void

/** Writes an error to standard error: one line for one with a cure, such as a full disk, the stack for a bug. */
export const reportFault: ReportFault = (error) => {
  console.error('devnet:', error instanceof WattfeedError ? error.message : error)
}
