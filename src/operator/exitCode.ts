import { exitCodes } from '../agent/exitCodes.ts'
import {
  TransactionExpiredError,
  TransactionFailedError,
  TransactionUnresolvedError,
} from '../casper/transaction/followTransaction.ts'
import { TransactionRefusedError } from '../casper/transaction/putTransaction.ts'

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
