import {
  type SendStep,
  TransactionExpiredError,
  TransactionFailedError,
  TransactionRefusedError,
  TransactionUnresolvedError,
} from '@wattfeed/casper/transaction'
import { exitCodes } from '../runtime/exitCodes.ts'
import type { CommandResult } from '../runtime/terminal.ts'
import type { ProgramContext } from './program.ts'

const OF_CHAIN = [
  TransactionRefusedError,
  TransactionFailedError,
  TransactionExpiredError,
  TransactionUnresolvedError,
]

export function exitCodeOf(error: unknown, hasSent: boolean): number {
  const isOfChain = OF_CHAIN.some((each) => error instanceof each)
  return isOfChain || hasSent ? exitCodes.someFailed : exitCodes.notRun
}

/**
 * Runs a command that sends transactions. Its work says which steps its transactions have reached: once one may be in flight,
 * an error has another exit code.
 */
export function runPaying(
  { terminal }: Pick<ProgramContext, 'terminal'>,
  { name, json }: { name: string; json: boolean | undefined },
  work: (onStep: (sendStep: { readonly step: string }) => void) => Promise<CommandResult>,
): Promise<void> {
  let hasSent = false
  return terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, hasSent) }, () =>
    work(({ step }) => {
      hasSent ||= !NOT_SENT.has(step)
    }),
  )
}

/** Steps of a transaction that this run has not sent. */
const NOT_SENT: ReadonlySet<string> = new Set<SendStep['step']>(['signed', 'clock_off', 'resumed'])
