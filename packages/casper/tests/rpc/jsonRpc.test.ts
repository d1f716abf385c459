import { describe, expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { jsonLike } from '@wattfeed/testing/decoding'
import { factsOf } from '@wattfeed/testing/factsOf'
import fc from 'fast-check'
import { callJsonRpc, JsonRpcError, TransportError } from '../../src/rpc/jsonRpc.ts'
import { parseNode } from '../../src/rpc/node.ts'
import { isRecord } from '../../src/types/jsonField.ts'

/** Calls a node that answers with this text, or with a function of the request. */
function call(answer: unknown, asked: unknown[] = []): Promise<unknown> {
  const signal = new AbortController().signal
  const redact = (text: string) => text.replaceAll('s3cret', '*')
  const node = { ...parseNode('http://node.test/rpc'), redact }
  return callJsonRpc(
    { node, method: 'info_get_status', params: { block: null }, signal },
    {
      async fetch(_, init) {
        const request = JSON.parse(String(init.body))
        asked.push(request)
        return new Response(JSON.stringify(typeof answer === 'function' ? answer(request) : answer))
      },
    },
  )
}

/** Returns an answer to the request, with these members. */
const reply =
  (members: object) =>
  ({ id }: { id: unknown }) => ({ jsonrpc: '2.0', id, ...members })

const refusal = (rpcCode: number, rpcMessage: string, data: string) => ({
  name: 'JsonRpcError',
  code: 'json_rpc',
  rpcCode,
  rpcMessage,
  data,
})

describe('callJsonRpc', () => {
  test('default: the result of one call', async () => {
    const asked: unknown[] = []
    expect(await call(reply({ result: { peers: [] } }), asked)).toEqual({ peers: [] })
    expect(asked).toEqual([
      { jsonrpc: '2.0', id: expect.any(Number), method: 'info_get_status', params: { block: null } },
    ])
  })

  test('behavior: every call has its own id', async () => {
    const asked: { id: number }[] = []
    await Promise.all([1, 2, 3].map(() => call(reply({ result: 1 }), asked)))
    expect(new Set(asked.map(({ id }) => id)).size).toBe(3)
  })

  test.each([0, '', false])('behavior: the result %p is a result', async (result) => {
    expect(await call(reply({ result }))).toBe(result)
  })

  test('behavior: a null error is no error', async () => {
    expect(await call(reply({ result: 1, error: null }))).toBe(1)
  })

  test('error: the node rejects', async () => {
    const error = { code: -32003, message: 'Query failed', data: 'value was not found' }
    expect(await factsOf(call(reply({ error })))).toEqual({
      ...refusal(-32003, 'Query failed', 'value was not found'),
      message: 'JSON-RPC error -32003: Query failed: value was not found',
      retryable: false,
    })
  })

  test('error: an error object with data other than text', async () => {
    const error = { code: -32001, message: 'No such block', data: { low: 0, high: 265 } }
    expect(await factsOf(call(reply({ error })))).toEqual({
      ...refusal(-32001, 'No such block', '{"low":0,"high":265}'),
      message: 'JSON-RPC error -32001: No such block: {"low":0,"high":265}',
      retryable: false,
    })
  })

  test('error: an error object without message and data', async () => {
    for (const error of [{}, { code: 'x', message: 7, data: null }])
      expect(await factsOf(call(reply({ error })))).toEqual({
        ...refusal(0, '', ''),
        message: 'JSON-RPC error 0: ',
        retryable: true,
      })
  })

  test('error: a long refusal is cut in the message and whole in the fields', async () => {
    const facts = await factsOf(call(reply({ error: { code: 1, message: 'x'.repeat(5_000) } })))
    expect(facts).toEqual({
      ...refusal(1, 'x'.repeat(5_000), ''),
      message: `JSON-RPC error 1: ${'x'.repeat(300)}`,
      retryable: true,
    })
  })

  test('error: the answer is not a JSON-RPC response', async () => {
    for (const answer of [null, 7, 'text', [], [{ jsonrpc: '2.0', id: 1, result: 1 }]])
      await expect(call(answer)).rejects.toEqual(new TransportError('not a JSON-RPC response'))
  })

  test('error: the response id does not match the request id', async () => {
    for (const id of ['1', 0, -1, null, undefined])
      await expect(call({ jsonrpc: '2.0', id, result: 1 })).rejects.toEqual(
        new TransportError('the response id does not match the request id'),
      )
  })

  // A refusal may mean "nothing is stored there", so one that was meant for somebody else is a wrong answer.
  test('error: the id of an error answer is not that of the request', async () => {
    const error = { code: -32003, message: 'Query failed', data: 'value was not found' }
    for (const id of ['another', null])
      await expect(call({ jsonrpc: '2.0', id, error })).rejects.toEqual(
        new TransportError('the response id does not match the request id'),
      )
  })

  test('error: the answer has no result', async () => {
    for (const members of [{}, { result: null }, { error: null }, { error: 'no' }])
      await expect(call(reply(members))).rejects.toEqual(
        new TransportError('the JSON-RPC response has no result'),
      )
  })

  test('behavior: any JSON gives a result or a typed error', async () => {
    const answers = jsonLike({
      jsonrpc: fc.constant('2.0'),
      id: fc.nat(),
      result: fc.jsonValue(),
      error: jsonLike({ code: fc.integer(), message: fc.string(), data: fc.string() }),
    })
    await fc.assert(
      fc.asyncProperty(answers, fc.boolean(), async (answer, echoed) => {
        const outcome = await call(echoed ? reply(Object(answer)) : answer).then(
          () => null,
          (error: unknown) => error,
        )
        expect(outcome === null || outcome instanceof WattfeedError).toBeTrue()
      }),
    )
  })
})

describe('JsonRpcError', () => {
  const codes: [number, boolean][] = [
    [-32700, false],
    [-32600, false],
    [-32601, false],
    [-32602, false],
    [-32603, true],
    [-32000, true],
    [-32001, false],
    [-32002, false],
    [-32003, false],
    [-32012, true],
    [0, true],
  ]
  test.each(codes)('behavior: %p can be tried again: %p', (code, retryable) => {
    expect(new JsonRpcError(code, '', '').retryable).toBe(retryable)
  })
})

describe('isRecord', () => {
  test('default', () => {
    expect([{}, { a: 1 }].map(isRecord)).toEqual([true, true])
    expect([null, undefined, [], 7, 'text', true].map(isRecord)).toEqual(Array(6).fill(false))
  })
})
