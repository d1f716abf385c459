import { expect, test } from 'bun:test'
import { TransactionExpiredError, TransactionUnresolvedError } from '@wattfeed/casper/transaction'
import { exitCodeOf } from '../../src/operator/exitCode.ts'
import { PreflightError } from '../../src/operator/preflight.ts'

const cases: [string, Error, boolean, number][] = [
  ['a check before anything was sent', new PreflightError({ reason: 'balance', message: '' }), false, 1],
  ['a check after something was sent', new PreflightError({ reason: 'locked', message: '' }), true, 2],
  [
    'an end that an earlier run has brought about',
    new TransactionExpiredError({ transactionHash: '' }),
    false,
    2,
  ],
  [
    'an end that is not known',
    new TransactionUnresolvedError({ transactionHash: '', lastFailure: '' }),
    false,
    2,
  ],
  ['a disk that is full', new Error('ENOSPC'), false, 1],
]
test.each(cases)('default: %s', (_, error, hasSent, exitCode) => {
  expect(exitCodeOf(error, hasSent)).toBe(exitCode)
})
