import { describe, expect, test } from 'bun:test'
import { healthFault, healthUrl } from '../../src/server/healthCheck.ts'
import { listen } from '../../src/server/listen.ts'
import { createTestApp } from './testApp.ts'

async function faultOf(fetch: (request: Request) => Response | Promise<Response>, timeoutMs?: number) {
  const listener = listen({ fetch, port: 0, host: '127.0.0.1', deadlineMs: 10_000 })
  const { port } = listener
  try {
    const fault = await healthFault({
      host: '127.0.0.1',
      port,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    return fault?.replace(String(port), 'PORT') ?? null
  } finally {
    await listener.close()
  }
}

describe('healthFault', () => {
  test('default: null if the server answers', async () => {
    expect(await faultOf(createTestApp().fetch)).toBeNull()
  })

  test('error: another status', async () => {
    expect(await faultOf(() => new Response('', { status: 500 }))).toBe(
      'http://127.0.0.1:PORT/health returned HTTP 500',
    )
  })

  test('error: another server', async () => {
    expect(await faultOf(() => Response.json({ status: 'ok' }))).toBe(
      'http://127.0.0.1:PORT/health did not return the answer of a wattfeed server',
    )
  })

  test('error: not JSON', async () => {
    expect(await faultOf(() => new Response('<html>'))).toStartWith(
      'no answer from http://127.0.0.1:PORT/health',
    )
  })

  test('error: no answer in time', async () => {
    expect(await faultOf(() => new Promise(() => {}), 1)).toBe(
      'no answer from http://127.0.0.1:PORT/health: The operation timed out.',
    )
  })

  test('error: port 0', async () => {
    expect(await healthFault({ host: '0.0.0.0', port: 0 })).toBe(
      'PORT is 0; set it to the port that the server listens on',
    )
  })
})

for (const [host, url] of [
  ['0.0.0.0', 'http://127.0.0.1:80/health'],
  ['::', 'http://[::1]:80/health'],
  ['fe80::1', 'http://[fe80::1]:80/health'],
  ['db.example', 'http://db.example:80/health'],
] as const)
  test(`default: a server on ${host} is called at ${url}`, () => expect(healthUrl(host, 80)).toBe(url))
