// cspell:ignore Jgone
import { describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { deadNodeUrl } from '@wattfeed/testing/deadNodeUrl'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import {
  type DownloadOptions,
  readProof,
  UnreadableProofError,
} from '../../../src/operator/verify/readProof.ts'

const TRUST = 'ab'.repeat(32)

/** Serves HTTP, and hands over the requested URLs. */
function serve(answer: () => Response | Promise<Response>) {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      asked.push(pathname + search)
      return answer()
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  return { origin, url: `${origin}/v1/feeds/X/proof`, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Serves a connection by hand. Returns its URL. */
async function serveRaw(onRequest: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('data', () => onRequest(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = Object(server.address())
  return {
    url: `http://127.0.0.1:${port}/proof`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

const unreadable = async (source: string, options?: DownloadOptions): Promise<string> => {
  const error = await errorOf(readProof(source, TRUST, options))
  expect(error).toBeInstanceOf(UnreadableProofError)
  return error.message
}

describe('a file', () => {
  test('error: one that is larger than an answer may be', async () => {
    using folder = createFolder()
    const path = folder.write('proof.json', JSON.stringify({ a: 'b'.repeat(1_000) }))
    expect(await unreadable(path, { maxBytes: 1_000 })).toBe(`${path} is larger than 1000 bytes`)
    expect(await readProof(path, TRUST, { maxBytes: 1_100 })).toEqual({ a: 'b'.repeat(1_000) })
  })

  test('default: its JSON', async () => {
    using folder = createFolder()
    expect(await readProof(folder.write('proof.json', '{"a":[1]}'), TRUST)).toEqual({ a: [1] })
  })

  test('behavior: a byte order mark before the JSON is no part of it', async () => {
    using folder = createFolder()
    expect(await readProof(folder.write('proof.json', '\ufeff{"a":[1]}'), TRUST)).toEqual({ a: [1] })
  })

  test('error: one that does not exist, is a folder, or holds no JSON', async () => {
    using folder = createFolder()
    const missing = `${folder.path}/missing.json`
    const help = 'cannot be read; name a file, a URL, or - for standard input'
    expect(await unreadable(missing)).toBe(`${missing} ${help}`)
    expect(await unreadable(folder.path)).toBe(`${folder.path} ${help}`)
    const text = folder.write('proof.txt', '{"a":')
    expect(await unreadable(text)).toBe(`${text} is not JSON`)
    const deep = folder.write('deep.json', '['.repeat(3_000_000))
    expect(await unreadable(deep)).toBe(`${deep} is not JSON`)
  })
})

describe('a URL', () => {
  test('default: it requests the proof from the trusted block on', async () => {
    await using server = serve(() => Response.json({ a: 1 }))
    expect(await readProof(server.url, TRUST)).toEqual({ a: 1 })
    expect(server.asked).toEqual([`/v1/feeds/X/proof?from=${TRUST}`])
  })

  test('behavior: a byte order mark before the JSON is no part of it', async () => {
    await using server = serve(() => new Response('\ufeff{"a":1}'))
    expect(await readProof(server.url, TRUST)).toEqual({ a: 1 })
  })

  test('behavior: an existing `from` is kept', async () => {
    await using server = serve(() => Response.json({}))
    await readProof(`${server.url}?from=cd&x=1`, TRUST)
    await readProof(`${server.origin.replace('http', 'HTTP')}/proof?from=`, TRUST)
    expect(server.asked).toEqual(['/v1/feeds/X/proof?from=cd&x=1', '/proof?from='])
  })

  test('error: an invalid answer, without the secrets of the URL', async () => {
    await using server = serve(() => Response.json({ error: 'no\u001b[2J such feed' }, { status: 404 }))
    const secret = `${server.url.replace('//', '//user:pa55word@')}?key=t0ken`
    expect(await unreadable(secret)).toBe(
      `${server.url} answers HTTP 404: {"error":"no\\u001b[2J such feed"}`,
    )
  })

  test('behavior: a 404 with the proof of an absence is a proof; another error with it is not', async () => {
    const body = { error: 'no such feed', absence: {} }
    await using server = serve(() => Response.json(body, { status: 404 }))
    expect(await readProof(server.url, TRUST)).toEqual(body)
    await using broken = serve(() => Response.json(body, { status: 500 }))
    expect(await unreadable(broken.url)).toStartWith(`${broken.url} answers HTTP 500`)
  })

  test('error: control characters are not repeated', async () => {
    await using server = serve(() => new Response('\u001b[2Jgone\u202e', { status: 500 }))
    expect(await unreadable(server.url)).toBe(`${server.url} answers HTTP 500: \\u{1b}[2Jgone\\u{202e}`)
  })

  test('error: a page', async () => {
    await using server = serve(() => new Response('<html>Welcome to nginx!</html>'))
    expect(await unreadable(server.url)).toBe('the answer of the server is not JSON')
  })

  test('error: a redirect is not followed', async () => {
    await using other = serve(() => new Response('{}'))
    await using server = serve(() => Response.redirect(other.url))
    expect(await unreadable(server.url)).toBe(
      `${server.url} redirects (HTTP 302), which is not followed; name the URL that it leads to`,
    )
    expect(other.asked).toEqual([])
  })

  test('error: a body that is not in its encoding', async () => {
    const headers = { 'content-encoding': 'gzip' }
    await using server = serve(() => new Response('{}', { headers }))
    expect(await unreadable(server.url)).toBe(
      `${server.url} sends what is compressed in a way that cannot be unpacked`,
    )
  })

  test('error: nothing listens at the address, and an invalid URL', async () => {
    const url = (await deadNodeUrl()).replace('/rpc', '/proof')
    expect(await unreadable(url)).toBe(`${url} does not answer, or closes the connection early`)
    expect(await unreadable('http://')).toBe('the URL is not valid')
  })

  test('error: a connection that breaks off', async () => {
    await using server = await serveRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a"'),
    )
    expect(await unreadable(server.url)).toBe(`${server.url} does not answer, or closes the connection early`)
  })

  test('error: a body without an end', async () => {
    await using server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const send = (): boolean =>
        !socket.destroyed && socket.write(`10000\r\n${'a'.repeat(0x10000)}\r\n`, () => setImmediate(send))
      send()
    })
    expect(await unreadable(server.url, { maxBytes: 1_000_000 })).toBe(
      `${server.url} sends what is larger than 1000000 bytes`,
    )
  })

  test('error: an answer that does not arrive, or is incomplete', async () => {
    await using silent = await serveRaw(() => {})
    expect(await unreadable(silent.url, { timeoutMs: 20 })).toBe(`${silent.url} does not answer within 20 ms`)
    await using stuck = await serveRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'),
    )
    expect(await unreadable(stuck.url, { timeoutMs: 20 })).toBe(`${stuck.url} does not answer within 20 ms`)
  })
})
