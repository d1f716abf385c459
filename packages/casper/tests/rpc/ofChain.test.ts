import { describe, expect, test } from 'bun:test'
import { type Call, JsonRpcError, TransportError } from '../../src/rpc/jsonRpc.ts'
import { createChainCheck, ofChain } from '../../src/rpc/layers.ts'
import { ChainNameMismatchError } from '../../src/rpc/nodeStatus.ts'
import { nodeCall } from './nodeCall.ts'

/** A node of this chain whose answers come from a function. */
function asking(chainName: string, answer: () => Promise<unknown>, failingChecks = 0) {
  const methods: string[] = []
  const isCheck = (method: string) => method === 'info_get_status'
  const next: Call = async ({ method }) => {
    methods.push(method)
    if (!isCheck(method)) return answer()
    if (methods.filter(isCheck).length <= failingChecks) throw new TransportError('HTTP 500', 500)
    return { chainspec_name: chainName }
  }
  const statuses: unknown[] = []
  const chain = createChainCheck(next, { chainName: 'test', onStatus: (status) => statuses.push(status) })
  const call = nodeCall()
  const begin = () => ofChain(next, chain)
  const ask = (request = begin()) => request(call).catch((error) => error)
  return { begin, ask, forget: () => chain.forget(call.node), methods, statuses }
}

const refusal = new JsonRpcError(-32003, 'no', '')

describe('ofChain', () => {
  test('default: the result, with one check of the chain beside', async () => {
    const { ask, methods, statuses } = asking('test', async () => 'fine')
    expect([await ask(), await ask()]).toEqual([{ result: 'fine' }, { result: 'fine' }])
    expect(methods).toEqual(['read', 'info_get_status', 'read'])
    expect(statuses).toEqual([{ chainspec_name: 'test' }])
  })

  test('behavior: a refusal is an answer', async () => {
    expect(await asking('test', () => Promise.reject(refusal)).ask()).toEqual({ refusal })
  })

  test('behavior: a node that was forgotten is checked again', async () => {
    const { ask, forget, methods } = asking('test', async () => 'fine')
    await ask()
    forget()
    await ask()
    expect(methods).toEqual(['read', 'info_get_status', 'read', 'info_get_status'])
  })

  test('behavior: an answer is kept for the next attempt if only the check failed', async () => {
    const { begin, ask, methods } = asking('test', async () => 'fine', 3)
    const request = begin()
    expect(await ask(request)).toEqual(new TransportError('HTTP 500', 500))
    expect(await ask(request)).toEqual({ result: 'fine' })
    expect(methods).toEqual(['read', ...Array(4).fill('info_get_status')])
  })

  test.each([
    ['answers', async () => 'fine'],
    ['refuses', () => Promise.reject(refusal)],
  ])('error: a node of another chain that %s', async (_, answer) => {
    expect(await asking('other', answer).ask()).toEqual(new ChainNameMismatchError('test', 'other'))
  })

  test('error: no answer', async () => {
    const broken = new TransportError('HTTP 500', 500)
    expect(await asking('test', () => Promise.reject(broken)).ask()).toBe(broken)
  })
})
