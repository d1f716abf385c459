import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import type { Chain } from '../../src/chain/createChain.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { type DevnetEndpoint, DevnetPortError, startDevnet } from '../../src/rpc/startDevnet.ts'
import type { AnswerRpc } from '../../src/rpcAnswer.ts'
import { callRpc, postRpc } from '../support/callRpc.ts'
import { createTestChain } from '../support/testChain.ts'

let chain: Chain
let node: { call: AnswerRpc }
let endpoint: DevnetEndpoint
beforeEach(async () => {
  chain = createTestChain()
  node = { call: createAnswerRpc(chain) }
  endpoint = await startDevnet(node)
})
afterEach(() => endpoint.stop())

const root = async (url = endpoint.url): Promise<unknown> => callRpc(url, 'chain_get_state_root_hash')
const current = (): object => ({
  jsonrpc: '2.0',
  id: 1,
  result: { api_version: '2.0.0', state_root_hash: chain.tip().stateRootHash },
})
const attempt = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    () => 'broken',
  )

describe('startDevnet', () => {
  test('default: calls are answered over HTTP, on this machine only', async () => {
    expect(endpoint.url).toBe(`http://127.0.0.1:${endpoint.port}/rpc`)
    expect(await root()).toEqual(current())
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
    for (const { address } of others)
      expect(await attempt(fetch(`http://${address}:${endpoint.port}/rpc`))).toBe('broken')
  })

  test('error: batches and invalid requests', async () => {
    const replyTo = async (body: string): Promise<unknown> => (await postRpc(endpoint.url, body)).json()
    const batch = '[{"jsonrpc":"2.0","id":1,"method":"info_get_status"}]'
    expect(await replyTo(batch)).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await replyTo('{"jsonrpc":"2.0","id":1}')).toMatchObject({ error: { code: -32600 } })
    expect(await replyTo('{')).toMatchObject({ error: { code: -32700 } })
    const withoutId = await postRpc(endpoint.url, '{"jsonrpc":"2.0","method":"info_get_status"}')
    expect([withoutId.status, await withoutId.json()]).toEqual([
      400,
      { message: "The request is missing the 'id' field" },
    ])
  })

  test('error: only POST of JSON to /rpc, up to 2.5 MiB; each rejection has a message', async () => {
    const refusals = [
      [fetch(endpoint.url), 405],
      [fetch(endpoint.url, { method: 'OPTIONS' }), 405],
      [postRpc(endpoint.url, '{}', 'text/plain'), 415],
      [postRpc(endpoint.url.replace('/rpc', '/'), '{}'), 404],
      [postRpc(endpoint.url, ' '.repeat(2.5 * 1024 * 1024 + 1)), 413],
    ] as const
    for (const [asked, status] of refusals) {
      const response = await asked
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual({ message: expect.any(String) })
    }
    const padded = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_get_state_root_hash' })
    expect((await postRpc(endpoint.url, padded.padEnd(2.5 * 1024 * 1024))).status).toBe(200)
    expect(await root()).toEqual(current())
  })

  test('default: pages of all origins can call it', async () => {
    const origin = 'https://example.org'
    const preflight = await fetch(endpoint.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, authorization',
      },
    })
    expect(preflight.status).toBe(200)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type, authorization')
    const body = '{"jsonrpc":"2.0","id":1,"method":"info_get_status"}'
    const headers = { origin, 'content-type': 'application/json' }
    const answered = await fetch(endpoint.url, { method: 'POST', headers, body })
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin)
    // A page can also read the reason of an error.
    const refused = await fetch(endpoint.url, { headers: { origin } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([405, origin])
  })

  test.each([
    ['application/json', 200],
    ['Application/JSON', 200],
    ['application/json; charset=UTF-8', 415],
  ])('behavior: the response to the content type %s is %p, like a node’s', async (type, status) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"info_get_status"}'
    expect((await postRpc(endpoint.url, body, type)).status).toBe(status)
  })

  test('error: no content type', async () => {
    const body = new Blob(['{"jsonrpc":"2.0","id":1,"method":"info_get_status"}'])
    const headers = new Headers()
    expect((await fetch(endpoint.url, { method: 'POST', body, headers })).status).toBe(400)
  })

  test('error: a port that is in use', async () => {
    const start = startDevnet(node, { port: endpoint.port })
    await expect(start).rejects.toThrow(DevnetPortError)
    await expect(start).rejects.toThrow(`port ${endpoint.port} is in use`)
  })

  test('behavior: stopping closes open connections', async () => {
    await root()
    await endpoint.stop()
    expect(await attempt(root())).toBe('broken')
  })
})
