import { WattfeedError } from '../../errors.ts'

/** What the programs tell scripts: all done; nothing could be sent; something was sent or refused. */
const exitCodes = { done: 0, nothingSent: 1, failedOnChain: 2 } as const

const CHAIN_CODES = new Set([
  'transaction_refused',
  'transaction_failed',
  'transaction_expired',
  'transaction_unresolved',
])

/** The exit code of a command that ended with an error. */
export function exitCodeOf(error: unknown, hasSent: boolean): number {
  const isOfChain = error instanceof WattfeedError && CHAIN_CODES.has(error.code)
  return isOfChain || hasSent ? exitCodes.failedOnChain : exitCodes.nothingSent
}
