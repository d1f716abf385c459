import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { answerRpcText } from '../../src/devnet/rpcAnswer.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { createSyntheticChain, syntheticFeedId } from '../support/syntheticChain.ts'
import {
  answer,
  attested,
  type Exchange,
  positionOf,
  send,
  startScriptedServer,
  stream,
} from './streamScript.ts'

const chain = createSyntheticChain({ feeds: 2 })
for (let index = 0; index < 5; index++)
  chain.attest(syntheticFeedId(0), { period: 20_261_101 + index, amount: 10n ** 30n + BigInt(index) })
chain.advance()

const network = {
  chainName: chain.chainName,
  feedRegistryPackageHash: chain.feedRegistryPackageHash,
  attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
}
const shortHash = (packageHash: string): string => packageHash.replace('hash-', '').slice(0, 8)
const begin = `${shortHash(network.feedRegistryPackageHash)}-${shortHash(network.attestationRegistryPackageHash)}-00000000.f0.a0`

/** Watches the chain from its beginning, and a server whose stream breaks after each item. */
const program = `
import { createClient } from './client/index.js'
import { watch, watchServer } from './live/index.js'
const rowOf = ({ event, data }) => [event, data?.log_index, String(data?.amount)]
export async function fromNode(origin) {
  const client = createClient({ ...${JSON.stringify(network)}, rpcUrls: [origin + '/rpc'] })
  const rows = []
  for await (const item of watch(client, { from: '${begin}', ids: ['${syntheticFeedId(0)}'] })) {
    if (item.event !== 'position') rows.push(rowOf(item))
    if (item.data?.amount === ${10n ** 30n + 4n}n) return rows
  }
}
export async function fromServer(url) {
  const rows = []
  for await (const item of watchServer(url, { from: '${positionOf(0)}', minPauseMs: 1 })) {
    if (rows.push(rowOf(item)) === 4) return rows
    await fetch(url + '/cut')
  }
}`

const attestedRows = Array.from({ length: 4 }, (_, index) => ['attested', index, String(index)])

/** Streams one event and half the next, and breaks off when told to. */
function startBreakingServer() {
  let streaming: Exchange | null = null
  const headers = { 'access-control-allow-origin': '*' }
  return startScriptedServer((exchange) => {
    if (exchange.target === '/cut') {
      if (streaming !== null) send(streaming, attested(99).slice(0, 50))
      streaming?.socket.end()
      return answer(200, headers)(exchange)
    }
    streaming = exchange
    stream(attested(Number(/\.a(\d+)$/.exec(exchange.target)?.[1])))(exchange)
  })
}

let folder: string
let site: ReturnType<typeof serve>
let server: Awaited<ReturnType<typeof startBreakingServer>>

function serve() {
  const type = (text: string) => ({ headers: { 'content-type': text } })
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/rpc') return new Response(await answerRpcText(await request.text(), chain.answer))
      if (pathname === '/') return new Response('<!doctype html><title>wattfeed</title>', type('text/html'))
      const file = Bun.file(join(folder, pathname))
      return (await file.exists())
        ? new Response(file, type('text/javascript'))
        : new Response('', { status: 404 })
    },
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wattfeed-live-'))
  for (const name of ['client', 'live'])
    await Bun.build({
      entrypoints: [join(import.meta.dir, `../../src/${name}/index.ts`)],
      outdir: join(folder, name),
      target: 'browser',
      format: 'esm',
      throw: true,
    })
  await Bun.write(join(folder, 'read.js'), program)
  await Bun.write(join(folder, 'package.json'), '{ "type": "module" }')
  site = serve()
  server = await startBreakingServer()
}, 60_000)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await site.stop(true)
  await rm(folder, { recursive: true, force: true })
})

describe('wattfeed/live', () => {
  let chainRows: unknown[]

  test('default: watches a node and a server in Bun', async () => {
    const { fromNode, fromServer } = await import(join(folder, 'read.js'))
    expect(await fromServer(server.url)).toEqual(attestedRows)
    chainRows = await fromNode(site.url.origin)
    expect(chainRows.slice(0, 1)).toEqual([['feed', 0, 'null']])
    expect(chainRows.at(-1)).toEqual(['attested', expect.any(Number), String(10n ** 30n + 4n)])
    expect(chainRows.length).toBeGreaterThan(5)
  })

  test('default: watches both in Node.js', async () => {
    const script = `import { fromNode, fromServer } from './read.js'
console.log(JSON.stringify([await fromServer('${server.url}'), await fromNode('${site.url.origin}')]))`
    await Bun.write(join(folder, 'main.js'), script)
    expect(await $`node main.js`.cwd(folder).json()).toEqual([attestedRows, chainRows])
  })

  test.skipIf(!hasBrowser)(
    'default: watches both in Chromium, the server of another origin without asking it for leave',
    async () => {
      const before = server.exchanges.length
      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(site.url.href)
        const rows = await page.evaluate(async (url) => {
          const path = '/read.js'
          const { fromNode, fromServer } = await import(path)
          return [await fromServer(url), await fromNode(location.origin)]
        }, server.url)
        expect(rows).toEqual([attestedRows, chainRows])
        const asked = server.targets().slice(before)
        expect(asked.filter((target) => target !== '/cut')).toEqual(
          [0, 1, 2, 3].map((count) => `/v1/stream?from=${positionOf(count)}`),
        )
      } finally {
        await browser.close()
      }
    },
    300_000,
  )
})
