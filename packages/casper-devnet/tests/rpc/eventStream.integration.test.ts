import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { EventStream, type EventStreamOptions } from '../../src/rpc/eventStream.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** By default, a connection begins with new events. */
async function serve(options: EventStreamOptions = {}): Promise<{ stream: EventStream; port: number }> {
  const stream = new EventStream({ recentMs: -1, ...options })
  stream.push({ ApiVersion: '2.0.0' })
  const server = createServer((request, response) => stream.serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return { stream, port: typeof address === 'object' && address !== null ? address.port : 0 }
}

const expire = (stream: EventStream, hash: string): void =>
  stream.push({ TransactionExpired: { transaction_hash: { Version1: hash } } })

/** Reads a stream until it has a text, or until its end. */
async function readUntil(response: Response, text: string): Promise<string> {
  const decoder = new TextDecoder()
  let read = ''
  for await (const chunk of response.body ?? []) {
    read += decoder.decode(chunk, { stream: true })
    if (read.includes(text)) break
  }
  return read
}

const greeting = 'data:{"ApiVersion":"2.0.0"}\n\n'
const eventOf = (hash: string, id: number): string =>
  `data:{"TransactionExpired":{"transaction_hash":{"Version1":"${hash}"}}}\nid:${id}\n\n`

describe('the event stream', () => {
  test('default: the version without an id, then each new event with its id', async () => {
    const { stream, port } = await serve()
    expire(stream, 'before')
    const response = await fetch(`http://127.0.0.1:${port}/events`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expire(stream, 'new')
    expect(await readUntil(response, 'new"')).toBe(`${greeting}${eventOf('new', 1)}`)
  })

  test.each([
    ['start_from=1', ['b', 'c']],
    ['start_from=0', ['a', 'b', 'c']],
    ['start_from=4294967295', []],
    ['', []],
  ])('behavior: ?%s sends %p before new events', async (query, hashes) => {
    const { stream, port } = await serve()
    for (const hash of ['a', 'b', 'c']) expire(stream, hash)
    const response = await fetch(`http://127.0.0.1:${port}/events?${query}`)
    expire(stream, 'd')
    const ids = { a: 0, b: 1, c: 2, d: 3 }
    const expected = [...hashes, 'd'].map((hash) => eventOf(hash, ids[hash as keyof typeof ids]))
    expect(await readUntil(response, '"d"')).toBe(greeting + expected.join(''))
  })

  test('behavior: without a query, a connection begins with the events of the last 5 seconds', async () => {
    let now = 0
    const { stream, port } = await serve({ recentMs: 5_000, now: () => now })
    expire(stream, 'old')
    now += 1
    expire(stream, 'recent')
    now += 5_000
    const response = await fetch(`http://127.0.0.1:${port}/events`)
    expire(stream, 'new')
    expect(await readUntil(response, '"new"')).toBe(greeting + eventOf('recent', 1) + eventOf('new', 2))
  })

  test('behavior: more than is kept is not sent', async () => {
    const { stream, port } = await serve({ maxEvents: 2 })
    for (const hash of ['a', 'b', 'c']) expire(stream, hash)
    const response = await fetch(`http://127.0.0.1:${port}/events?start_from=0`)
    expect(await readUntil(response, '"c"')).toBe(greeting + eventOf('b', 1) + eventOf('c', 2))
  })

  test('behavior: after a revert, readers connect again and get no event from before', async () => {
    const { stream, port } = await serve()
    const response = await fetch(`http://127.0.0.1:${port}/events`)
    expire(stream, 'a')
    stream.push({ Reverted: { block_hash: '00', block_height: 0 } })
    const end = 'data:"Shutdown"\nid:1\n\n'
    expect(await response.text()).toBe(`${greeting}${eventOf('a', 0)}${end}`)
    expire(stream, 'b')
    const again = await fetch(`http://127.0.0.1:${port}/events?start_from=0`)
    expect(await readUntil(again, '"b"')).toBe(`${greeting}${eventOf('b', 2)}`)
  })

  test('default: a comment keeps a silent connection open', async () => {
    const { port } = await serve({ keepAliveMs: 1 })
    const response = await fetch(`http://127.0.0.1:${port}/events`)
    expect(await readUntil(response, ':\n\n:\n\n')).toStartWith(`${greeting}:\n\n`)
  })

  test.each(['start_from=-1', 'start_from=x', 'start_from=4294967296', 'other=1', 'start_from=1&other=1'])(
    'error: ?%s',
    async (query) => {
      const { port } = await serve()
      const response = await fetch(`http://127.0.0.1:${port}/events?${query}`)
      expect([response.status, await response.text()]).toEqual([
        422,
        "invalid query: expected single field 'start_from=<EVENT ID>'\n",
      ])
    },
  )

  test('error: another method, and too many readers', async () => {
    const { port } = await serve({ maxSubscribers: 1 })
    const url = `http://127.0.0.1:${port}/events`
    const posted = await fetch(url, { method: 'POST' })
    expect([posted.status, await posted.text()]).toEqual([404, "invalid path: expected '/events'\n"])
    const reader = await fetch(url)
    const refused = await fetch(url)
    expect([refused.status, await refused.text()]).toEqual([503, 'server has reached limit of subscribers'])
    await reader.body?.cancel()
  })

  test('default: the end is Shutdown', async () => {
    const { stream, port } = await serve()
    const response = await fetch(`http://127.0.0.1:${port}/events`)
    const text = response.text()
    await stream.close()
    expect(await text).toBe(`${greeting}data:"Shutdown"\nid:0\n\n`)
  })

  test('error: a reader that falls behind is disconnected, and holds no events', async () => {
    const { stream, port } = await serve({ maxEvents: 4 })
    const socket = await openStalled(port)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const hash = 'f'.repeat(1_000_000)
    let pushed = 0
    // The system's buffers take some megabytes first. Then the reader falls behind.
    while (stream.readers === 1 && pushed < 1_000) {
      expire(stream, hash)
      pushed += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(stream.readers).toBe(0)
    expect(pushed).toBeGreaterThan(4)
    socket.resume()
    await closed
  })

  test('behavior: the end does not wait for a reader that does not read', async () => {
    const { stream, port } = await serve()
    const socket = await openStalled(port)
    for (let pushed = 0; pushed < 20; pushed++) expire(stream, 'f'.repeat(1_000_000))
    await stream.close()
    expect(stream.readers).toBe(0)
    socket.destroy()
  })
})

/** Opens a connection that reads nothing after the greeting. */
async function openStalled(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  return socket
}
