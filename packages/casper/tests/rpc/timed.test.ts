import { describe, expect, test } from 'bun:test'
import type { Fetch } from '@wattfeed/base'
import { elapse, stopClock } from '../../../../tests/support/clock.ts'
import { type Call, postJson, TransportError } from '../../src/rpc/jsonRpc.ts'
import { timed } from '../../src/rpc/layers.ts'
import { nodeCall } from './nodeCall.ts'

const call: Call = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('timed', () => {
  test('default: the result of a call that ends in time', async () => {
    expect(await timed(async ({ method }) => method, 500)(nodeCall())).toBe('read')
  })

  test('error: a call that does not', async () => {
    using _ = stopClock()
    const seen: unknown[] = []
    timed(call, 500)(nodeCall()).catch((error) => seen.push(error))
    await elapse(499)
    expect(seen).toEqual([])
    await elapse(1)
    expect(seen).toEqual([new TransportError('timed out after 500 ms')])
  })

  test('error: the limit holds for the body of the answer, too', async () => {
    using _ = stopClock()
    const fetch: Fetch = async (_, init) => {
      const stream = new ReadableStream({
        start(controller) {
          init.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
        },
      })
      return new Response(stream)
    }
    const options = { fetch, headers: {}, maxBodyBytes: 100, retryAfterMaxMs: 0 }
    const posting: Call = ({ node, signal }) => postJson(node.url, '{}', { ...options, signal })
    const outcome = timed(posting, 500)(nodeCall()).catch((error) => error)
    await elapse(500)
    expect(await outcome).toEqual(new TransportError('timed out after 500 ms'))
  })

  test('error: the reason of the abort', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const outcome = timed(call, 500)(nodeCall({ signal: controller.signal })).catch((error) => error)
    controller.abort(reason)
    expect(await outcome).toBe(reason)
  })
})
