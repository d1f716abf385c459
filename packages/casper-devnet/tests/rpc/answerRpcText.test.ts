import { describe, expect, test } from 'bun:test'
import { answerRpcText } from '../../src/rpc/answerRpcText.ts'

const calls: unknown[] = []
const answer = (method: string, params: unknown) => {
  calls.push([method, params])
  return { result: 'answered' }
}
const replyTo = async (request: unknown): Promise<unknown> => {
  const text = await answerRpcText(JSON.stringify(request), answer)
  return text === null ? null : JSON.parse(text)
}
const call = { jsonrpc: '2.0', id: 1, method: 'info_get_status' }

describe('answerRpcText', () => {
  test.each([[0], ['text'], [null], [2 ** 40], [-1]])('default: the id %p comes back', async (id) => {
    expect(await replyTo({ ...call, id })).toEqual({ jsonrpc: '2.0', id, result: 'answered' })
  })

  test.each(['9007199254740993', '18446744073709551615', '-9223372036854775808', '0', '-1'])(
    'default: the id %s comes back with all its digits',
    async (id) => {
      const body = `{"jsonrpc":"2.0","method":"info_get_status","params":{"id":1.5},"id":${id}}`
      expect(await answerRpcText(body, answer)).toBe(`{"jsonrpc":"2.0","id":${id},"result":"answered"}`)
    },
  )

  test.each(['1.0', '1e3', '-0', '18446744073709551616', '-9223372036854775809', '1.5'])(
    'error: the id %s is a fraction for a node',
    async (id) => {
      const text = await answerRpcText(`{"jsonrpc":"2.0","id":${id},"method":"info_get_status"}`, answer)
      const data = "'id' must not contain fractional parts if it is a number"
      expect(JSON.parse(text ?? '')).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Invalid Request', data },
      })
    },
  )

  test('behavior: a request that is rejected for another reason keeps the digits of its id', async () => {
    const text = await answerRpcText('{"jsonrpc":"2.0","id":9007199254740993}', answer)
    expect(text).toStartWith('{"jsonrpc":"2.0","id":9007199254740993,"error":')
  })

  test('default: parameters are a list, an object, null or none', async () => {
    calls.length = 0
    for (const params of [[1], { a: 1 }, null, undefined]) await replyTo({ ...call, params })
    expect(calls).toEqual([[1], { a: 1 }, null, undefined].map((params) => ['info_get_status', params]))
  })

  const paramsRule = "If present, 'params' must be an Array or Object, but was"
  test.each<[object, unknown, string]>([
    [{ jsonrpc: undefined }, 1, "Missing 'jsonrpc' field"],
    [{ jsonrpc: '1.0' }, 1, "Expected 'jsonrpc' to be '2.0', but got '1.0'"],
    [{ jsonrpc: 2 }, 1, "Expected 'jsonrpc' to be a String with value '2.0', but got a Number '2'"],
    [{ jsonrpc: true }, 1, "Expected 'jsonrpc' to be a String with value '2.0', but got 'true'"],
    [{ method: undefined }, 1, "Missing 'method' field"],
    [{ method: 1 }, 1, "Expected 'method' to be a String"],
    [{ params: false }, 1, `${paramsRule} 'false'`],
    [{ params: 5 }, 1, `${paramsRule} a Number`],
    [{ params: 'x' }, 1, `${paramsRule} a String`],
    [{ id: 1.5 }, null, "'id' must not contain fractional parts if it is a number"],
    [{ id: {} }, null, "'id' should be a string or integer"],
    [{ id: true }, null, "'id' should be a string or integer"],
  ])('error: %p', async (change, id, data) => {
    const error = { code: -32600, message: 'Invalid Request', data }
    expect(await replyTo({ ...call, ...change })).toEqual({ jsonrpc: '2.0', id, error })
  })

  test('error: a request without an id is rejected without a response', async () => {
    expect(await replyTo({ ...call, id: undefined })).toBeNull()
  })

  test.each([
    ['{', 'EOF while parsing an object at line 1 column 1'],
    ['', 'EOF while parsing a value at line 1 column 0'],
    ['[]', 'invalid type: sequence, expected a map at line 1 column 0'],
    ['5', 'the body is not a JSON object'],
    ['null', 'the body is not a JSON object'],
  ])('error: %p is not a request', async (body, data) => {
    const text = await answerRpcText(body, answer)
    const error = { code: -32700, message: 'Parse error', data }
    expect(JSON.parse(text ?? '')).toEqual({ jsonrpc: '2.0', id: null, error })
  })
})
