import { describe, expect, test } from 'bun:test'
import { createRandom } from '@wattfeed/testing/random'
import type { LiveItem } from '../../src/live/items.ts'
import { type ReconnectEvent, type WatchServerOptions, watchServer } from '../../src/live/watchServer.ts'
import {
  answer,
  attested,
  begin,
  dataOf,
  type Exchange,
  end,
  itemOf,
  positionOf,
  send,
  startScriptedServer,
  stream,
} from './streamScript.ts'

const quick = { minPauseMs: 1, maxPauseMs: 2 } as const

/** The first items of a stream. With `cutAt`, the connection breaks after this number of items. */
async function take(
  url: string,
  count: number,
  { cutAt = {}, ...options }: WatchServerOptions & { cutAt?: Record<number, () => void> } = {},
): Promise<LiveItem[]> {
  const items: LiveItem[] = []
  for await (const item of watchServer(url, { ...quick, ...options })) {
    if (items.push(item) === count) break
    cutAt[items.length]?.()
  }
  return items
}

/** The error of a stream without items. */
const failureOf = (url: string, options: WatchServerOptions = {}): Promise<unknown> =>
  take(url, 1, options).then(
    (items) => items,
    (error: unknown) => error,
  )

const items = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => itemOf(from + index))

/** Collects the reasons for reconnecting. */
function observed() {
  const reconnects: ReconnectEvent[] = []
  return { reconnects, observe: { reconnect: (event: ReconnectEvent) => void reconnects.push(event) } }
}

/** Captures the timers of this length; they fire on demand. */
function catchTimers(length: number) {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  const running = new Map<unknown, () => void>()
  let set = 0
  const setTimer = (run: () => void, ms?: number) => {
    if (ms !== length) return real.setTimeout(run, ms)
    running.set(++set, run)
    return set
  }
  const clearTimer = (timer: number) => void (running.delete(timer) || real.clearTimeout(timer))
  Object.assign(globalThis, { setTimeout: setTimer, clearTimeout: clearTimer })
  return {
    /** Number of timers set so far. */
    set: () => set,
    /** Callbacks of the timers that have neither fired nor been cleared. */
    running: () => [...running.values()],
    [Symbol.dispose]: () => void Object.assign(globalThis, real),
  }
}

/** Waits for a number of turns of the event loop. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

describe('a stream in any chunks', () => {
  test('default: returns items, and requests the selected feeds', async () => {
    await using server = await startScriptedServer(stream(attested(0), attested(1)))
    const ids = ['TEST.FEED', 'A&B=C ü']
    expect(await take(`${server.url}/prefix/`, 2, { ids, from: positionOf(0) })).toEqual(items(0, 2) as never)
    const { target, headers } = server.exchanges[0] as Exchange
    const { pathname, searchParams } = new URL(target, server.url)
    expect([pathname, ...searchParams]).toEqual([
      '/prefix/v1/stream',
      ['id', 'TEST.FEED'],
      ['id', 'A&B=C ü'],
      ['from', positionOf(0)],
    ])
    expect(headers.get('accept')).toBe('text/event-stream')
    // A page of another origin would need a preflight request to send it.
    expect(headers.has('last-event-id')).toBe(false)
  })

  test('behavior: a snapshot, a feed, a position alone and a reset are items', async () => {
    const { log_index, log, index, ...reading } = dataOf(7)
    const valueless = {
      ...reading,
      value: null,
      amount: null,
      period: null,
      source_hash: null,
      updated_at: null,
    }
    const feed = { ...valueless, index: null, log: 'FeedRegistry', log_index: 4 }
    const reset = { reason: 'log', position: positionOf(3) }
    await using server = await startScriptedServer(
      stream(
        `event: snapshot\ndata: ${JSON.stringify(reading)}\n\nevent: snapshot\ndata: ${JSON.stringify(valueless)}\n\n`,
        `id: ${positionOf(8)}\n\n`,
        `event: feed\nid: ${positionOf(8)}\ndata: ${JSON.stringify(feed)}\n\n`,
        `event: of the future\nid: ${positionOf(9)}\ndata: ?\n\nevent: reset\ndata: ${JSON.stringify(reset)}\n\n`,
      ),
    )
    expect(await take(server.url, 6, { snapshot: true })).toEqual([
      { event: 'snapshot', data: { ...reading, amount: 7n } },
      { event: 'snapshot', data: valueless },
      { event: 'position', position: positionOf(8) },
      { event: 'feed', position: positionOf(8), data: feed },
      { event: 'position', position: positionOf(9) },
      { event: 'reset', data: reset },
    ] as never)
    expect(server.targets()).toEqual(['/v1/stream?snapshot=1'])
  })

  for (const [name, newline] of [
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ] as const)
    test(`behavior: lines end with ${name}, and chunks anywhere, also within a character`, async () => {
      const bytes = Buffer.from(`\ufeff: hello${newline}${attested(0, newline)}${attested(1, newline)}`)
      const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
      await using server = await startScriptedServer(stream(...single))
      expect(await take(server.url, 2)).toEqual(items(0, 2) as never)
    })

  test('behavior: an item is returned immediately, not with the next', async () => {
    for (const newline of ['\n', '\r', '\r\n']) {
      await using server = await startScriptedServer(stream(attested(0, newline)))
      expect(await take(server.url, 1)).toEqual(items(0, 1) as never)
    }
  })

  test('behavior: nothing is read before the first request for an item', async () => {
    let sent = 0
    const total = 2_000 * 65_536
    const flood = (exchange: Exchange) => {
      begin(exchange)
      const pad = `: ${'x'.repeat(65_000)}\n`
      const more = () => {
        while (sent < total && !exchange.socket.writableNeedDrain) {
          sent += pad.length
          send(exchange, pad)
        }
      }
      send(exchange, attested(0))
      exchange.socket.on('drain', more)
      more()
    }
    await using server = await startScriptedServer(flood)
    const following = watchServer(server.url, quick)
    expect((await following.next()).value).toEqual(itemOf(0) as never)
    // When a turn of the event loop changes nothing any more, the buffers of both sockets are full.
    for (let before = -1, calm = 0; calm < 50; before = sent) {
      await new Promise((resolve) => setImmediate(resolve))
      calm = before === sent ? calm + 1 : 0
    }
    expect(sent).toBeLessThan(total / 4)
    await following.return()
  })

  test('behavior: leaving the loop closes the connection', async () => {
    await using server = await startScriptedServer(stream(attested(0)))
    await take(server.url, 1)
    await server.exchanges[0]?.closed
    expect(server.exchanges).toHaveLength(1)
  })

  test('behavior: user and password of the URL go into a header', async () => {
    await using server = await startScriptedServer(stream(attested(0)))
    await take(server.url.replace('://', '://me:p%40ss@'), 1)
    expect(server.exchanges[0]?.headers.get('authorization')).toBe(`Basic ${btoa('me:p@ss')}`)
  })

  test('behavior: a redirect is followed', async () => {
    await using server = await startScriptedServer(stream(attested(0)))
    const location = `${server.url}/elsewhere?from=${positionOf(0)}`
    await using before = await startScriptedServer(answer(307, { location }))
    expect(await take(before.url, 1, { from: positionOf(0) })).toEqual(items(0, 1) as never)
    expect(server.targets()).toEqual([`/elsewhere?from=${positionOf(0)}`])
  })
})

describe('a stream that breaks', () => {
  test('default: resumes after the last item', async () => {
    const half = Buffer.from(attested(2))
    await using server = await startScriptedServer(
      stream(attested(0), attested(1), half.subarray(0, half.indexOf('価') + 1)),
      stream(attested(2)),
    )
    const cutAt = { 2: server.cut }
    expect(await take(server.url, 3, { from: positionOf(0), cutAt })).toEqual(items(0, 3) as never)
    expect(server.targets()).toEqual([0, 2].map((count) => `/v1/stream?from=${positionOf(count)}`))
  })

  test('behavior: one that the server ends in order is opened again', async () => {
    const { reconnects, observe } = observed()
    const whole = (exchange: Exchange) => {
      stream(attested(0))(exchange)
      end(exchange)
    }
    await using server = await startScriptedServer(whole, stream(attested(1)))
    expect(await take(server.url, 2, { observe })).toEqual(items(0, 2) as never)
    expect(reconnects).toEqual([{ error: null, failures: 1, waitMs: expect.any(Number) }])
  })

  test('behavior: a block without its empty line is no event', async () => {
    await using server = await startScriptedServer(
      (exchange) => {
        stream(attested(0), attested(1).slice(0, -1))(exchange)
        end(exchange)
      },
      stream(attested(1)),
    )
    expect(await take(server.url, 2)).toEqual(items(0, 2) as never)
  })

  test('behavior: a position alone counts, as filtered streams send it', async () => {
    await using server = await startScriptedServer(stream(`id: ${positionOf(5)}\n\n`), stream(attested(6)))
    const ids = ['TEST.FEED']
    expect(await take(server.url, 2, { ids, cutAt: { 1: server.cut } })).toEqual([
      { event: 'position', position: positionOf(5) },
      itemOf(6),
    ] as never)
    expect(server.targets()[1]).toBe(`/v1/stream?id=TEST.FEED&from=${positionOf(5)}`)
  })

  test('behavior: after a reset, resumes from the position that it names', async () => {
    const reset = `event: reset\ndata: ${JSON.stringify({ reason: 'registry', position: positionOf(1) })}\n\n`
    await using server = await startScriptedServer(stream(reset), stream(attested(1)))
    const cutAt = { 1: server.cut }
    const [first, second] = await take(server.url, 2, { from: positionOf(900), cutAt })
    expect([first?.event, second]).toEqual(['reset', itemOf(1) as never])
    expect(server.targets()[1]).toBe(`/v1/stream?from=${positionOf(1)}`)
  })

  test('behavior: a snapshot starts again until there is a position, even after a reset', async () => {
    const snapshot = `event: snapshot\ndata: ${JSON.stringify(dataOf(0))}\n\n`
    const reset = `event: reset\ndata: ${JSON.stringify({ reason: 'log', position: positionOf(7) })}\n\n`
    await using server = await startScriptedServer(
      stream(snapshot),
      stream(snapshot, `id: ${positionOf(1)}\n\n`),
      stream(reset, snapshot),
      stream(reset, snapshot, `id: ${positionOf(7)}\n\n`),
      stream(attested(7)),
    )
    const cutAt = { 1: server.cut, 3: server.cut, 5: server.cut, 8: server.cut }
    const events = (await take(server.url, 9, { snapshot: true, cutAt })).map(({ event }) => event)
    expect(events.join(' ')).toBe(
      'snapshot snapshot position reset snapshot reset snapshot position attested',
    )
    expect(server.targets()).toEqual([
      '/v1/stream?snapshot=1',
      '/v1/stream?snapshot=1',
      `/v1/stream?from=${positionOf(1)}&snapshot=1`,
      `/v1/stream?from=${positionOf(1)}&snapshot=1`,
      `/v1/stream?from=${positionOf(7)}&snapshot=1`,
    ])
  })

  test('behavior: silence counts as a broken connection, a heartbeat does not', async () => {
    const { reconnects, observe } = observed()
    using timers = catchTimers(44_444)
    await using server = await startScriptedServer(stream(attested(0)), stream(attested(1)))
    const options = { ...quick, silenceTimeoutMs: 44_444, observe }
    const following = watchServer(server.url, options)
    expect((await following.next()).value).toEqual(itemOf(0) as never)
    const next = following.next()
    for (const beat of [1, 2, 3]) {
      await until(() => timers.set() > beat)
      expect(timers.running()).toHaveLength(1)
      send(server.exchanges[0] as Exchange, ': beat\n\n')
    }
    await until(() => timers.set() > 4)
    for (const fire of timers.running()) fire()
    expect((await next).value).toEqual(itemOf(1) as never)
    expect(reconnects.map(({ error }) => error?.reason)).toEqual(['no data for 44444 ms'])
    // The dead connection is not kept beside the new one.
    await server.exchanges[0]?.closed
    await following.return()
    expect(timers.running()).toEqual([])
  })

  test('behavior: a server that accepts but sends nothing is called again', async () => {
    const { reconnects, observe } = observed()
    using timers = catchTimers(77_777)
    const giveUp = () => timers.running().forEach((fire) => void fire())
    await using server = await startScriptedServer(giveUp, stream(attested(0)))
    expect(await take(server.url, 1, { connectTimeoutMs: 77_777, observe })).toEqual(items(0, 1) as never)
    expect(reconnects.map(({ error }) => error?.reason)).toEqual(['no response within 77777 ms'])
  })

  test('behavior: a server that does not exist is awaited', async () => {
    const { reconnects, observe } = observed()
    const url = await (async () => {
      await using gone = await startScriptedServer()
      return gone.url
    })()
    const controller = new AbortController()
    const reconnect = (event: ReconnectEvent) => {
      observe.reconnect(event)
      if (event.failures === 3) controller.abort('enough')
    }
    expect(await failureOf(url, { observe: { reconnect }, signal: controller.signal })).toBe('enough')
    expect(reconnects.map(({ error }) => error?.reason)).toEqual(
      Array(3).fill('cannot connect to the server'),
    )
  })

  for (const status of [500, 502, 503, 504, 429, 408])
    test(`behavior: HTTP ${status} is tried again`, async () => {
      await using server = await startScriptedServer(answer(status), stream(attested(0)))
      expect(await take(server.url, 1)).toEqual(items(0, 1) as never)
    })

  test('behavior: Retry-After adds to the pause, and pauses double until data arrives', async () => {
    const { reconnects, observe } = observed()
    await using server = await startScriptedServer(
      answer(503, { 'retry-after': '1' }, '{"error":"too many streams"}'),
      answer(503),
      answer(503),
      stream(attested(0)),
      stream(attested(1)),
    )
    const options = { minPauseMs: 10, maxPauseMs: 1_000, observe, cutAt: { 1: server.cut } }
    expect(await take(server.url, 2, options)).toEqual(items(0, 2) as never)
    expect(reconnects[0]?.error).toMatchObject({
      message: 'event stream failed: HTTP 503: too many streams',
      status: 503,
      retryAfterMs: 1_000,
    })
    const least = [1_010, 20, 40, 10]
    expect(reconnects.map(({ failures }) => failures)).toEqual([1, 2, 3, 1])
    for (const [index, { waitMs }] of reconnects.entries()) {
      const jitter = waitMs - (least[index] ?? 0)
      expect(jitter).toBeWithin(0, (least[index] ?? 0) % 1_000)
    }
  })
})

describe('a stream that is rejected', () => {
  for (const status of [400, 401, 403, 404, 204])
    test(`error: HTTP ${status} is thrown, with the server’s message`, async () => {
      const body = status === 204 ? '' : '{"error":"from=x: a position"}'
      await using server = await startScriptedServer(answer(status, {}, body))
      expect(await failureOf(server.url)).toMatchObject({
        code: 'stream',
        retryable: false,
        status,
        message: `event stream failed: HTTP ${status}${status === 204 ? '' : ': from=x: a position'}`,
      })
      expect(server.exchanges).toHaveLength(1)
    })

  test('error: a response that is not an event stream', async () => {
    await using server = await startScriptedServer(answer(200, { 'content-type': 'text/html' }, '<html>'))
    expect(await failureOf(server.url)).toMatchObject({
      message: 'event stream failed: expected an event stream but got text/html; check the URL',
      retryable: false,
    })
  })

  test('error: an event that never ends', async () => {
    await using server = await startScriptedServer(stream(`data: ${'x'.repeat(1_000_001)}`))
    expect(await failureOf(server.url)).toMatchObject({
      message: 'event stream failed: an event has more than 1000000 characters',
      retryable: false,
    })
  })

  const withData = (change: object) =>
    `event: attested\nid: ${positionOf(1)}\ndata: ${JSON.stringify({ ...dataOf(0), ...change })}\n\n`
  const reset = `event: reset\ndata: ${JSON.stringify({ reason: 'log', position: positionOf(1) })}\n\n`
  for (const [name, block] of [
    ['without its position', attested(0).replace(/id: .*\n/, '')],
    ['whose position is none', attested(0).replace(/id: .*\n/, 'id: 17\n')],
    ['that is no JSON', attested(0).replace(/data: .*\n/, 'data: {\n')],
    ['that is no object', attested(0).replace(/data: .*\n/, 'data: null\n')],
    ['without an amount', withData({ amount: undefined })],
    ['with an amount of digits and more', withData({ amount: '1e3' })],
    ['of a reset without a position', 'event: reset\ndata: {"reason":"log"}\n\n'],
    ['of a reset without a known reason', reset.replace('log', 'x')],
  ])
    test(`error: an event ${name}`, async () => {
      await using server = await startScriptedServer(stream(block ?? ''))
      expect(await failureOf(server.url)).toMatchObject({
        code: 'stream',
        retryable: false,
        message: expect.stringContaining('the server sent an invalid'),
      })
      expect(server.exchanges).toHaveLength(1)
    })
})

describe('an abort', () => {
  const reason = new Error('stop')

  test('default: ends the wait for the next item, and the connection', async () => {
    const controller = new AbortController()
    await using server = await startScriptedServer(stream(attested(0)))
    const following = watchServer(server.url, { signal: controller.signal })
    await following.next()
    const next = following.next()
    controller.abort(reason)
    await expect(next).rejects.toBe(reason)
    await server.exchanges[0]?.closed
    expect(await following.next()).toEqual({ done: true, value: undefined })
  })

  test('behavior: keeps back items that came already', async () => {
    const controller = new AbortController()
    await using server = await startScriptedServer(stream(attested(0) + attested(1)))
    const following = watchServer(server.url, { signal: controller.signal })
    await following.next()
    controller.abort(reason)
    await expect(following.next()).rejects.toBe(reason)
  })

  test('behavior: ends the wait for an answer', async () => {
    const controller = new AbortController()
    await using server = await startScriptedServer(() => controller.abort(reason))
    expect(await failureOf(server.url, { signal: controller.signal })).toBe(reason)
    await server.exchanges[0]?.closed
  })

  test('behavior: ends the pause', async () => {
    const controller = new AbortController()
    await using server = await startScriptedServer(answer(503, { 'retry-after': '300' }))
    const observe = { reconnect: () => setImmediate(() => controller.abort(reason)) }
    expect(await failureOf(server.url, { signal: controller.signal, observe })).toBe(reason)
  })

  test('behavior: before the start, no request is sent for', async () => {
    await using server = await startScriptedServer(stream(attested(0)))
    expect(await failureOf(server.url, { signal: AbortSignal.abort(reason) })).toBe(reason)
    expect(server.exchanges).toEqual([])
  })
})

describe('arguments', () => {
  const url = 'http://127.0.0.1:1'
  for (const [argument, call] of [
    ['url', () => watchServer('ftp://example.com')],
    ['from', () => watchServer(url, { from: '17' })],
    ['ids', () => watchServer(url, { ids: 'TEST.FEED' as never })],
    ['ids', () => watchServer(url, { ids: [] })],
    ['feedId', () => watchServer(url, { ids: ['\ud800'] })],
    ['silenceTimeoutMs', () => watchServer(url, { silenceTimeoutMs: 0 })],
    ['minPauseMs', () => watchServer(url, { minPauseMs: -1 })],
  ] as const)
    test(`error: ${argument}, before the first item is requested`, () => {
      expect(call).toThrow(expect.objectContaining({ code: 'invalid_argument', argument }))
    })
})

test('behavior: with cuts at any place, each event arrives once and in order', async () => {
  const EVENTS = 300
  for (const seed of [1, 2, 3]) {
    const random = createRandom(seed)
    const below = (limit: number) => Math.floor(random() * limit)
    let connections = 0
    /** Replays from the requested position in random pieces, and disconnects anywhere, even before the start. */
    const breaking = (exchange: Exchange) => {
      connections += 1
      if (below(8) === 0) return answer(503)(exchange)
      if (below(8) === 0) return void exchange.socket.destroy()
      const from = Number(/from=.*\.a(\d+)$/.exec(exchange.target)?.[1])
      const newline = ['\n', '\r', '\r\n'][below(3)] ?? '\n'
      const blocks = Array.from({ length: EVENTS - from }, (_, index) => {
        const beat = below(4) === 0 ? `:${newline}${newline}` : ''
        const alone = below(4) === 0 ? `id: ${positionOf(from + index)}${newline}${newline}` : ''
        return beat + alone + attested(from + index, newline)
      })
      const bytes = Buffer.from(blocks.join(''))
      const isLast = connections > 60
      const size = isLast ? bytes.length : below(8_000)
      begin(exchange)
      for (let at = 0, step = 0; at < size; at += step) {
        step = 1 + below(900)
        send(exchange, bytes.subarray(at, Math.min(size, at + step)))
      }
      if (isLast) return
      if (below(2) === 0) end(exchange)
      else exchange.socket.end()
    }
    await using server = await startScriptedServer(breaking)
    const seen: unknown[] = []
    for await (const item of watchServer(server.url, { ...quick, from: positionOf(0) })) {
      if (item.event === 'attested') seen.push(item)
      if (seen.length === EVENTS) break
    }
    expect(seen).toEqual(items(0, EVENTS))
    expect(connections).toBeGreaterThan(20)
  }
})
