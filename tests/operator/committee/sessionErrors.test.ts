import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { describeSessionError, sessionErrors } from '../../../src/operator/committee/sessionErrors.ts'

test('default: the names and numbers are those of the session', () => {
  const rust = readFileSync('contracts/committee/src/lib.rs', 'utf8')
  const [, body = ''] = /pub enum Error \{([^}]*)\}/.exec(rust) ?? []
  const names = [...body.matchAll(/^ {4}(\w+) = (\d+),$/gm)].map(([, name, number]) => [number, name])
  expect(names).toEqual(Object.entries(sessionErrors).map(([number, { name }]) => [number, name]))
})

test('default: an error that the session raises is explained, and no other', () => {
  expect(describeSessionError('User error: 1')).toContain('plan it again')
  expect(describeSessionError('User error: 11')).toBe('the chain refused the change')
  for (const other of [
    'User error: 0',
    'User error: 12',
    'Out of gas error',
    'ApiError::MissingArgument [2]',
  ])
    expect(describeSessionError(other)).toBeNull()
})
