import { describe, expect, test } from 'bun:test'
import { defineError } from '../src/defineError.ts'
import { WattfeedError } from '../src/errors.ts'

const ColumnError = defineError(
  'ColumnError',
  'column',
  (facts: { column: string; retries: number }) => `no column ${facts.column}; name another`,
  { retryable: ({ retries }) => retries > 0 },
)

describe('defineError', () => {
  test('default: an error of its name and code, whose facts are fields', () => {
    const error = new ColumnError({ column: 'value', retries: 1 })
    expect(error).toBeInstanceOf(ColumnError)
    expect(error).toBeInstanceOf(WattfeedError)
    expect([error.name, error.message, error.code]).toEqual([
      'ColumnError',
      'no column value; name another',
      'column',
    ])
    expect({ ...error }).toMatchObject({ column: 'value', retries: 1, retryable: true })
  })

  test('behavior: a retry may depend on the facts, and else does not help', () => {
    expect(new ColumnError({ column: 'value', retries: 0 }).retryable).toBe(false)
    const FullError = defineError('FullError', 'full', () => 'the disk is full; free some space')
    expect(new FullError().retryable).toBe(false)
  })

  test('behavior: a fact that is the message is not shown twice', () => {
    const TextError = defineError('TextError', 'text', ({ message }: { message: string }) => message)
    const error = new TextError({ message: 'no disk' })
    expect(error.message).toBe('no disk')
    expect(Object.keys(error)).not.toContain('message')
  })

  test('behavior: two errors with the same code are two classes', () => {
    const OtherError = defineError('ColumnError', 'column', () => 'another')
    expect(new OtherError()).not.toBeInstanceOf(ColumnError)
  })
})
