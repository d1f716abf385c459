import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createFolder } from '@wattfeed/testing/folder'
import { $ } from 'bun'
import { readAll } from './readAll.ts'

/** A tile: hashes do not become smaller. */
const tile = crypto.getRandomValues(Buffer.alloc(8_192))
const text = Buffer.from('a'.repeat(8_192))
const files = new Map([
  ['/tile', tile],
  ['/text', text],
])
const pack = new Map<string, (bytes: Uint8Array<ArrayBuffer> | string) => Buffer>([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])

/** A web server that compresses every file, whatever the request allows. Its URL has the encoding in the path. */
function startServer() {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const [, encoding = '', name = ''] = new URL(request.url).pathname.split('/')
      const packed = pack.get(encoding)?.(files.get(`/${name}`) ?? '')
      if (packed === undefined) return new Response('', { status: 404 })
      return new Response(new Uint8Array(packed), { headers: { 'content-encoding': encoding } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** What the reading of each file gives, with its size as the limit and with less. */
const expected = {
  tile: [tile.toHex(), 'tile: is larger than 8191 bytes'],
  text: [text.toHex(), 'text: is larger than 8191 bytes'],
}

test('behavior: files that come compressed, although nobody asked', async () => {
  await using server = startServer()
  for (const encoding of pack.keys())
    expect([encoding, await readAll(`${server.url}/${encoding}`)]).toEqual([encoding, expected])
})

test('behavior: the same in Node.js, which unpacks them itself', async () => {
  await using server = startServer()
  using folder = createFolder()
  const entrypoints = [join(import.meta.dir, 'readAll.ts')]
  await Bun.build({ entrypoints, outdir: folder.path, naming: 'readAll.mjs', target: 'node', throw: true })
  const program =
    "import { readAll } from './readAll.mjs'; console.log(JSON.stringify(await readAll(process.argv[1])))"
  for (const encoding of ['gzip', 'deflate', 'br']) {
    const url = `${server.url}/${encoding}`
    const read = await $`node --input-type=module -e ${program} ${url}`.cwd(folder.path).json()
    expect([encoding, read]).toEqual([encoding, expected])
  }
})
