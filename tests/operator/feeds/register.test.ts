import { expect, test } from 'bun:test'
import { exitCodeOfRegistrations } from '../../../src/operator/feeds/register/register.ts'
import type { RegistrationReport } from '../../../src/operator/feeds/register/registerFeeds.ts'

const error = { code: 'any', message: '', retryable: false }
const reportOf = (state: RegistrationReport['state'], isWrong = false): RegistrationReport => ({
  feed_id: 'EIA.X',
  state,
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
  differences: [],
  error: isWrong ? error : null,
})

const [done, executed, planned] = [reportOf('done'), reportOf('executed'), reportOf('planned')]
const [refused, failed, notSent] = [
  reportOf('refused', true),
  reportOf('failed', true),
  reportOf('not_sent', true),
]

const cases: [string, RegistrationReport[], number][] = [
  ['all done', [done, executed, planned, reportOf('pending')], 0],
  ['nothing asked for', [], 0],
  ['all refused', [refused, refused], 1],
  ['some refused', [done, refused], 2],
  ['failed', [failed], 2],
  ['failed, and others not sent', [failed, notSent], 2],
  ['an end that is not known', [reportOf('pending', true)], 2],
  ['not sent', [done, notSent], 2],
]
test.each(cases)('default: %s', (_, reports, exitCode) => {
  expect(exitCodeOfRegistrations(reports)).toBe(exitCode)
})
