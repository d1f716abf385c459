import { expect, test } from 'bun:test'
import { formatLogLine } from '../../src/runtime/formatLogLine.ts'

const format = (fields: object) =>
  formatLogLine(`${JSON.stringify({ level: 30, time: 1795168726426, ...fields })}\n`)

test('default: time, level, message and fields, on one line', () => {
  expect(
    format({
      method: 'GET',
      path: '/v1/feeds/A%20B?x=1',
      status: 200,
      hint: 'did you mean "X"?',
      none: null,
      empty: '',
      nodes: ['http://a'],
      deep: { of: 1.5 },
      msg: 'request',
    }),
  ).toBe(
    '2026-11-20T09:58:46Z INFO  request  method=GET path=/v1/feeds/A%20B?x=1 status=200 hint="did you mean \\"X\\"?" none=null empty="" nodes=["http://a"] deep={"of":1.5}\n',
  )
})

test.each([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO '],
  [40, 'WARN '],
  [50, 'ERROR'],
  [60, 'FATAL'],
  [35, '35   '],
])('default: level %d is %s', (level, name) => {
  expect(format({ level, msg: 'x' })).toBe(`2026-11-20T09:58:46Z ${name} x\n`)
})

test('behavior: the stack of an error follows, and its own fields stay on the line', () => {
  const err = { type: 'TypeError', message: 'x', stack: 'TypeError: x\n    at a' }
  expect(format({ err, msg: 'internal error' })).toBe(
    '2026-11-20T09:58:46Z INFO  internal error\n    TypeError: x\n        at a\n',
  )
  expect(format({ err: { ...err, code: 'c' }, path: '/', msg: 'm' })).toBe(
    '2026-11-20T09:58:46Z INFO  m  err={"code":"c"} path=/\n    TypeError: x\n        at a\n',
  )
})

test('behavior: an error without a stack is its message and its fields', () => {
  const err = { type: 'Object', message: 'no answer', stack: '', code: 'deadline' }
  expect(format({ err, msg: 'm' })).toBe(
    '2026-11-20T09:58:46Z INFO  m  err={"message":"no answer","code":"deadline"}\n',
  )
})

test('behavior: no text of a stranger moves the cursor, colors the screen or adds a line', () => {
  const evil = '\u001b[2J\u202e\r\n2026-11-20T09:58:46Z INFO  forged'
  const line = format({
    [evil]: evil,
    deep: { of: [evil] },
    err: { stack: `E: \u001b[31m\u202e` },
    msg: evil,
  })
  for (const character of ['\u001b', '\u202e', '\r']) expect(line).not.toContain(character)
  expect(line.trim().split('\n')).toHaveLength(2)
})
