import { afterAll, describe, expect, test } from 'bun:test'
import { nextTask } from '@wattfeed/base'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { listen } from '../../../src/server/listen.ts'
import { createShutdown } from '../../../src/server/shutdown.ts'
import { sendLine } from '../rawRequest.ts'
import { createManualClock, createStreamServer, until } from './streamWorld.ts'

const chain = createSyntheticChain({ feeds: 1 })
const clock = createManualClock()
const server = createStreamServer(chain, clock)
const listener = listen({ fetch: server.app.fetch, host: '127.0.0.1', port: 0, deadlineMs: 10_000 })
const url = `http://127.0.0.1:${listener.port}/v1/stream`
afterAll(() => listener.close())

const openStreams = async (): Promise<number> =>
  Number(/^wattfeed_streams_open (\d+)$/m.exec(await server.metrics.registry.metrics())?.[1])

async function untilOpen(count: number): Promise<void> {
  while ((await openStreams()) !== count) await nextTask()
}

/** Reads until this number of blocks has arrived. */
async function readBlocks(response: Response, count: number): Promise<string[]> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.split('\n\n').length <= count) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader?.releaseLock()
  return text.split('\n\n').slice(0, -1)
}

describe('GET /v1/stream over a socket', () => {
  test('default: sends events at once and uncompressed, and ends when the client disconnects', async () => {
    const controller = new AbortController()
    const headers = { 'accept-encoding': 'gzip, br' }
    const response = await fetch(url, { signal: controller.signal, headers })
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(await readBlocks(response, 1)).toEqual([expect.stringMatching(/^id: .*\.f1\.a1$/)])
    chain.attest(syntheticFeedId(0), { amount: 5n })
    chain.advance()
    await untilOpen(1)
    clock.advance(1_000)
    expect((await readBlocks(response, 1)).join()).toContain(
      'event: attested\ndata: {"feed_id":"SYNTHETIC.0"',
    )
    controller.abort()
    await untilOpen(0)
    await until(() => server.lines.some(({ message }) => message === 'stream ended'))
    expect(
      server.lines.filter(({ message }) => message === 'stream ended').map(({ fields }) => fields),
    ).toEqual([{ reason: 'left', sent: 1, durationMs: expect.any(Number) }])
  })

  test('behavior: HEAD and OPTIONS open no stream, other methods are rejected', async () => {
    const head = await sendLine(listener.port, 'HEAD /v1/stream')
    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'text/event-stream', ''])
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect(await openStreams()).toBe(0)
  })

  test('behavior: a quiet stream has its own idle time, other connections 75 s or the setting', async () => {
    const asked: unknown[] = []
    const idle: number[] = []
    const real = Bun.serve
    type Options = { idleTimeout: number; fetch: (request: Request, server: unknown) => unknown }
    Bun.serve = ((options: Options) => {
      idle.push(options.idleTimeout)
      const timeout = (request: Request, seconds: number) =>
        asked.push([new URL(request.url).pathname, seconds])
      for (const path of ['/v1/stream', '/health']) options.fetch(new Request(`http://x${path}`), { timeout })
      return { port: 1 }
    }) as never
    listen({ fetch: () => new Response(), host: '', port: 0, deadlineMs: 1 })
    listen({ fetch: () => new Response(), host: '', port: 0, deadlineMs: 1, idleTimeoutS: 200 })
    Bun.serve = real
    expect(asked).toEqual([
      ['/v1/stream', 90],
      ['/v1/stream', 90],
    ])
    expect(idle).toEqual([79, 204])
  })

  test('behavior: stopping ends the streams first, so that it does not wait for them', async () => {
    const responses = [await fetch(url), await fetch(url)]
    for (const response of responses) await readBlocks(response, 1)
    const never = (): Promise<void> => new Promise(() => {})
    await createShutdown(listener, server.streams.stop, never)()
    for (const response of responses) expect((await response.body?.getReader().read())?.done).toBe(true)
  })
})
