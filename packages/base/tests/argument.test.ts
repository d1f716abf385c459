import { expect, test } from 'bun:test'
import { assertOptions, InvalidArgumentError, pickOptions } from '../src/argument.ts'
import { WattfeedError } from '../src/errors.ts'

interface Wait {
  timeoutMs?: number
  signal?: AbortSignal | undefined
}

const names = { timeoutMs: 1, signal: 1 } as const

const check = (options: object, owner?: string) => () => assertOptions<Wait>(options, names, owner)

test('default: InvalidArgumentError', () => {
  const error = new InvalidArgumentError('timeoutMs', 'a positive integer')
  expect(error).toBeInstanceOf(WattfeedError)
  expect({ ...error, name: error.name, message: error.message }).toEqual({
    name: 'InvalidArgumentError',
    code: 'invalid_argument',
    retryable: false,
    argument: 'timeoutMs',
    rule: 'a positive integer',
    message: 'timeoutMs must be a positive integer',
  })
})

test('default: options with known names, and without any, are accepted', () => {
  for (const options of [{}, { timeoutMs: 1 }, { signal: undefined }]) check(options)()
})

test('error: an unknown name, even with the value undefined, and the nearest one', () => {
  for (const options of [{ timeoutMS: 5 }, { timeoutMs: 1, timeoutMS: undefined }])
    expect(check(options)).toThrow(
      new InvalidArgumentError('timeoutMS', 'left out: there is no such option; the nearest is timeoutMs'),
    )
  expect(check({ signals: 1 }, 'wait')).toThrow(
    'wait.signals must be left out: there is no such option; the nearest is wait.signal',
  )
})

test('error: a name of Object.prototype', () => {
  expect(check({ toString: 1 })).toThrow('toString must be left out')
})

test('error: no object', () => {
  for (const options of [null, 5, 'a', true] as unknown as object[])
    expect(check(options)).toThrow('options must be of type object')
  expect(check(null as unknown as object, 'wait')).toThrow('wait must be of type object')
})

test('default: pickOptions leaves out what is no option', () => {
  const wide = { timeoutMs: 5, other: 1 }
  expect(pickOptions<Wait>(wide, names)).toEqual({ timeoutMs: 5 })
})
