import { expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { readExecution } from '../../src/transaction/getTransaction.ts'

const hash = 'ab'.repeat(32)

test('behavior: null without a result', () => {
  for (const info of [null, undefined, {}, { execution_result: null }])
    expect(readExecution(hash, info)).toBeNull()
})

test.each([
  [{ Evm: { logs: [] } }, 'unknown kind "Evm"; expected Version2'],
  [{}, 'unknown kind "nothing"; expected Version2'],
  ['Later', 'expected an object'],
])('error: a result of an unknown kind is named: %j', (execution_result, rule) => {
  expect(() => readExecution(hash, { execution_result })).toThrow(new DecodeError('execution_result', rule))
})
