import { describe, expect, test } from 'bun:test'
import { runKeepAliveLoad } from '../../bench/keepAliveLoad.ts'

describe('runKeepAliveLoad', () => {
  test('default: counts answers and failures', async () => {
    let requests = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('x'.repeat(70_000), { status: requests++ % 2 === 0 ? 200 : 503 }),
    })
    const load = await runKeepAliveLoad({ url: server.url.href, connections: 3, seconds: 0.05 })
    await server.stop(true)
    expect(load.failures).toBe(Math.floor(requests / 2))
    expect(load.perSecond).toBeGreaterThan(0)
    expect(load.p99Ms).toBeGreaterThanOrEqual(load.p50Ms)
  })
})
