import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasBrowser, launchBrowser } from '@wattfeed/testing/browser'
import { EventSource } from 'eventsource'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { watchServer } from '../../../packages/wattfeed/src/live/watchServer.ts'
import { listen } from '../../../src/server/listen.ts'
import { executablePath, hasPython } from '../../python/python.ts'
import { createStreamServer } from '../../server/stream/streamWorld.ts'
import { hasNginx, startNginx } from '../../support/nginx.ts'
import { startCuttingProxy } from './cuttingProxy.ts'

/** Shortens all of the server's intervals: it polls every 10 ms, and sends a heartbeat every 150 ms. */
const SPEED = 100

const chain = createSyntheticChain({ feeds: 1 })
const server = createStreamServer(chain, {
  now: Date.now,
  advance: () => {},
  schedule: (run, ms) => void setTimeout(run, ms / SPEED),
})
const here = { port: 0, host: '127.0.0.1', deadlineMs: 10_000 }
const listener = listen({ ...here, fetch: server.app.fetch })
const hurrying = listen({ ...here, fetch: withShortRetry })
let proxy: Awaited<ReturnType<typeof startCuttingProxy>>
let hurryingProxy: typeof proxy

beforeAll(async () => {
  proxy = await startCuttingProxy(listener.port)
  hurryingProxy = await startCuttingProxy(hurrying.port)
})
afterAll(async () => {
  server.streams.stop()
  await hurryingProxy[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await hurrying.close()
  await listener.close()
})

/** Before its stream, tells an EventSource to connect again after 20 ms, instead of 3 s. */
async function withShortRetry(request: Request): Promise<Response> {
  const response = await server.app.fetch(request)
  const encoder = new TextEncoder()
  const body = response.body?.pipeThrough(
    new TransformStream({ start: (controller) => controller.enqueue(encoder.encode('retry: 20\n\n')) }),
  )
  return new Response(body, response)
}

/** The events that a client has received so far, by their index in the log. */
function createSeen() {
  const indexes: number[] = []
  let onMore = Promise.withResolvers<void>()
  return {
    indexes,
    add(...more: number[]): void {
      indexes.push(...more)
      onMore.resolve()
      onMore = Promise.withResolvers()
    },
    async reach(count: number): Promise<void> {
      while (indexes.length < count) await onMore.promise
    },
  }
}

/** Attests this number of values, each in a separate block. Returns their indexes in the log. */
async function attest(count: number): Promise<number[]> {
  const first = logLength
  for (; logLength < first + count; logLength++) {
    chain.attest(syntheticFeedId(0), { period: 20_261_101, amount: BigInt(logLength) })
    await chain.advance()
  }
  return Array.from({ length: count }, (_, index) => first + index)
}

/** The feed's first value exists already. */
let logLength = 1

/** The present end of the log. */
async function endOfLog(): Promise<string> {
  for await (const item of watchServer(`http://127.0.0.1:${listener.port}`))
    if (item.event === 'position') return item.position
  throw new Error('the stream ended')
}

/** Attests while a client listens, and disconnects it from time to time. */
async function attestAndCut(
  seen: ReturnType<typeof createSeen>,
  cut: () => void,
  cuts = 2,
): Promise<number[]> {
  const attested = await attest(2)
  for (let round = 0; round < cuts; round++) {
    await seen.reach(attested.length)
    // The server may have sent these, but the client has not received them.
    attested.push(...(await attest(2)))
    cut()
    attested.push(...(await attest(2)))
  }
  await seen.reach(attested.length)
  return attested
}

describe('a client that is cut off resumes exactly', () => {
  test('default: watchServer', async () => {
    const seen = createSeen()
    const from = await endOfLog()
    const controller = new AbortController()
    const { signal } = controller
    const following = (async () => {
      for await (const item of watchServer(proxy.url, { from, signal, minPauseMs: 1, maxPauseMs: 20 }))
        if (item.event === 'attested') seen.add(item.data.log_index)
    })()
    const attested = await attestAndCut(seen, proxy.cut, 20)
    controller.abort('done')
    await expect(following).rejects.toBe('done')
    expect(seen.indexes).toEqual(attested)
  })

  test('behavior: the package eventsource', async () => {
    const seen = createSeen()
    const source = new EventSource(`${hurryingProxy.url}/v1/stream?from=${await endOfLog()}`)
    source.addEventListener('attested', ({ data }) => seen.add(JSON.parse(data).log_index))
    const attested = await attestAndCut(seen, hurryingProxy.cut)
    source.close()
    expect(seen.indexes).toEqual(attested)
  })

  test.skipIf(!hasPython)("behavior: Python's httpx with httpx-sse", async () => {
    const seen = createSeen()
    const url = `${proxy.url}/v1/stream?from=${await endOfLog()}`
    const command = [executablePath, join(import.meta.dir, 'stream.py'), url]
    const child = Bun.spawn(command, { env: { NO_PROXY: '*' }, stderr: 'pipe' })
    const reading = (async () => {
      const lines = child.stdout.pipeThrough(new TextDecoderStream())
      let rest = ''
      for await (const text of lines) {
        const [last = '', ...whole] = `${rest}${text}`.split('\n').toReversed()
        seen.add(...whole.toReversed().map(Number))
        rest = last
      }
      throw new Error(await new Response(child.stderr).text())
    })()
    const attested = await Promise.race([attestAndCut(seen, proxy.cut, 20), reading])
    reading.catch(() => {})
    child.kill()
    expect(seen.indexes).toEqual(attested)
  })

  test.skipIf(!hasBrowser)("behavior: Chromium's EventSource, from a page of another origin", async () => {
    const seen = createSeen()
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${listener.port}/health`)
      await page.exposeFunction('seen', (index: number) => seen.add(index))
      await page.evaluate(
        (url) => {
          const source = new EventSource(url)
          const { seen } = window as unknown as { seen: (index: number) => void }
          source.addEventListener('attested', ({ data }) => seen(JSON.parse(data).log_index))
        },
        `${hurryingProxy.url}/v1/stream?from=${await endOfLog()}`,
      )
      expect(await attestAndCut(seen, hurryingProxy.cut)).toEqual(seen.indexes)
    } finally {
      await browser.close()
    }
  })
})

describe.skipIf(!hasNginx)('behind nginx with the settings of a proxy', () => {
  const READ_TIMEOUT_MS = 1_500
  let nginx: Awaited<ReturnType<typeof startNginx>>
  /** Between nginx and the server, and between the client and nginx. */
  let back: typeof proxy
  let front: typeof proxy

  beforeAll(async () => {
    back = await startCuttingProxy(listener.port)
    // Debian's default for a proxy: it buffers answers, and disconnects a server that is silent.
    nginx = await startNginx(
      (listen) => `server {
        listen ${listen};
        location / {
          proxy_pass http://127.0.0.1:${back.port};
          proxy_read_timeout ${READ_TIMEOUT_MS}ms;
        }
      }`,
    )
    front = await startCuttingProxy(nginx.socket)
  })
  afterAll(async () => {
    await front[Symbol.asyncDispose]()
    await nginx[Symbol.asyncDispose]()
    await back[Symbol.asyncDispose]()
  })

  test('default: events arrive immediately, and heartbeats keep the stream open', async () => {
    const response = await fetch(`${front.url}/v1/stream`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const read = async (end: () => boolean) => {
      while (!end()) {
        const { done, value = '' } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`nginx ended the stream after: ${text}`)
        text += value
      }
    }
    await read(() => text.startsWith('id: ') && text.endsWith('\n\n'))
    const [index] = await attest(1)
    await read(() => text.includes(`"log_index":${index},`))
    const beats = () => text.split('\n:').length - 1
    const beatsInTimeout = READ_TIMEOUT_MS / (15_000 / SPEED)
    await read(() => beats() > beatsInTimeout)
    expect(back.connections()).toBe(1)
    expect(response.headers.get('content-encoding')).toBeNull()
    await reader?.cancel()
  })

  test('behavior: a client resumes exactly when nginx or the server is cut off', async () => {
    const seen = createSeen()
    const controller = new AbortController()
    const { signal } = controller
    const from = await endOfLog()
    const following = (async () => {
      for await (const item of watchServer(front.url, { from, signal, minPauseMs: 1, maxPauseMs: 20 }))
        if (item.event === 'attested') seen.add(item.data.log_index)
    })()
    let turn = 0
    const attested = await attestAndCut(seen, () => (turn++ % 2 === 0 ? front : back).cut(), 20)
    controller.abort('done')
    await expect(following).rejects.toBe('done')
    expect(seen.indexes).toEqual(attested)
  })
})
