import { expect, test } from 'bun:test'
import { exitCodeOf } from '../../../src/agent/contracts/exitCode.ts'
import { PreflightError } from '../../../src/agent/contracts/preflightError.ts'
import {
  TransactionExpiredError,
  TransactionUnresolvedError,
} from '../../../src/agent/transaction/transactionErrors.ts'

const cases: [string, Error, boolean, number][] = [
  ['a check before anything was sent', new PreflightError('balance', ''), false, 1],
  ['a check after something was sent', new PreflightError('locked', ''), true, 2],
  ['an end that an earlier run has brought about', new TransactionExpiredError(''), false, 2],
  ['an end that is not known', new TransactionUnresolvedError('', ''), false, 2],
  ['a disk that is full', new Error('ENOSPC'), false, 1],
]
test.each(cases)('default: %s', (_, error, hasSent, exitCode) => {
  expect(exitCodeOf(error, hasSent)).toBe(exitCode)
})
