import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { errorOf } from '@wattfeed/testing/errorOf'
import { secrets, spellings, withSecrets } from '@wattfeed/testing/secrets'
import type { Message } from '../../src/forward/message.ts'
import { snippetsOf } from '../support/snippets.ts'
import { createForwardFolder, secret, startReceiver, webhookTo } from './forwardWorld.ts'

const message: Message = {
  id: 'a-b-a1-c',
  type: 'reset',
  feedId: null,
  position: 'p',
  body: '{"id":"a-b-a1-c","text":"価 €"}',
}

const send = (url: string, options = {}) => webhookTo(url, options).deliver(message, 'p')

/** Answers each connection with a separate function, byte by byte. */
async function startRawServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('a webhook', () => {
  test('default: is signed according to Standard Webhooks, over the bytes that are sent', async () => {
    // Verifies each request with the library.
    await using receiver = startReceiver()
    await send(receiver.url)
    const [received] = receiver.all
    expect(received?.text).toBe(message.body)
    const headers = Object.fromEntries(received?.headers ?? [])
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signed = `${message.id}.${headers['webhook-timestamp']}.${message.body}`
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    })
  })

  test.each([200, 201, 202, 204, 299])('default: HTTP %d is delivered', async (status) => {
    await using receiver = startReceiver(() => new Response(null, { status }))
    expect(await send(receiver.url)).toBeNull()
  })

  test.each([
    [400, false],
    [401, false],
    [404, false],
    [422, false],
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
  ])('error: HTTP %d: a later attempt may help: %p', async (status, retryable) => {
    await using receiver = startReceiver(
      () => new Response('no', { status, headers: { 'retry-after': '7' } }),
    )
    expect(await errorOf(send(receiver.url))).toMatchObject({
      code: 'delivery',
      status,
      retryable,
      retryAfterMs: 7_000,
    })
  })

  test('error: Retry-After is waited for an hour at most', async () => {
    await using receiver = startReceiver(
      () => new Response('', { status: 503, headers: { 'retry-after': '999999' } }),
    )
    expect(await errorOf(send(receiver.url))).toMatchObject({ retryAfterMs: 3_600_000 })
  })

  test.each([301, 302, 303, 307, 308])(
    'error: HTTP %d is not followed, and this is reported',
    async (status) => {
      await using other = startReceiver()
      await using receiver = startReceiver(
        () => new Response('', { status, headers: { location: other.url } }),
      )
      const error = await errorOf(send(receiver.url))
      expect(error).toMatchObject({ code: 'delivery', retryable: false, status })
      expect(error.message).toContain('redirects are not followed; set --to to the final URL')
      expect(other.all).toHaveLength(0)
    },
  )

  test('error: HTTP 410 is for all messages', async () => {
    await using receiver = startReceiver(() => new Response('', { status: 410 }))
    expect(await errorOf(send(receiver.url))).toMatchObject({ code: 'target', retryable: false })
  })

  test('error: a receiver that does not answer in time', async () => {
    await using server = await startRawServer(() => {})
    expect(await errorOf(send(server.url, { timeoutMs: 50 }))).toMatchObject({
      retryable: true,
      reason: 'no answer within 50 ms',
    })
  })

  test('error: a broken connection, and a refused one', async () => {
    await using server = await startRawServer((socket) => socket.destroy())
    for (const url of [server.url, 'http://127.0.0.1:1/hook'])
      expect(await errorOf(send(url))).toMatchObject({
        retryable: true,
        status: null,
        reason: expect.stringMatching(/^the connection failed \(\w+\)$/),
      })
  })

  test('behavior: an answer that never ends is not read', async () => {
    let sent = 0
    await using server = await startRawServer((socket) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const more = (): void => {
        while (!socket.destroyed && !socket.writableNeedDrain) {
          sent += chunk.length
          socket.write(chunk)
        }
      }
      socket.on('drain', more).write('HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n')
      more()
    })
    expect(await send(server.url)).toBeNull()
    // More than the sockets' buffers hold.
    expect(sent).toBeLessThan(32 * 2 ** 20)
  })

  test('behavior: user and password go into a header, and nothing of the URL into an error', async () => {
    await using receiver = startReceiver()
    const url = withSecrets(receiver.url.replace('/hook', '/rpc'))
    await send(url)
    expect(receiver.all[0]?.headers.get('authorization')).toBe(`Basic ${btoa('reader:pa55word')}`)
    expect(receiver.all[0]?.path).toBe('/t0ken-in-path/rpc?key=qu3ry-key')
    for (const status of [301, 400, 410, 500]) {
      receiver.answerWith(() => new Response('', { status, headers: { location: url } }))
      expect(spellings(await errorOf(send(url)))).not.toMatch(secrets)
    }
    await receiver[Symbol.asyncDispose]()
    expect(spellings(await errorOf(send(url)))).not.toMatch(secrets)
  })
})

test('docs/forward.md > default: its receiver accepts each event once, and nothing else', async () => {
  using folder = createForwardFolder()
  const [snippet = ''] = snippetsOf('docs/forward.md', 'ts')
  const path = join(folder.path, 'receiver.ts')
  const key = secret.slice('whsec_'.length)
  await Bun.write(path, `${snippet.replace(/'MfKQ\w+'/, `'${key}'`)}\nexport { receive, seen }`)
  const { receive, seen } = await import(path)
  await using receiver = startReceiver()
  const body = '{"id":"a-b-a1-c","type":"attested","data":{}}'
  await webhookTo(receiver.url).deliver({ ...message, body }, 'p')
  const { headers = new Headers(), text = '' } = receiver.all[0] ?? {}
  const ask = async (changes: Record<string, string>, body = text): Promise<number> => {
    const request = { method: 'POST', headers: { ...Object.fromEntries(headers), ...changes }, body }
    return (await receive(new Request('http://localhost', request))).status
  }
  expect([await ask({}), await ask({}), [...seen]]).toEqual([200, 200, [message.id]])
  expect(await ask({}, `${text} `)).toBe(401)
  for (const name of ['id', 'timestamp', 'signature'])
    expect(await ask({ [`webhook-${name}`]: '1' })).toBe(401)
})
