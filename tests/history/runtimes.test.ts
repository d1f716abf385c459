import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { answerRpcText } from '../../src/devnet/rpcAnswer.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { createSyntheticChain, syntheticFeedId } from '../support/syntheticChain.ts'

const chain = createSyntheticChain({ feeds: 1 })
for (let index = 0; index < 150; index++)
  chain.attest(syntheticFeedId(0), { period: 20_261_101 + (index % 30), amount: 10n ** 30n + BigInt(index) })
chain.advance()

const network = {
  chainName: chain.chainName,
  feedRegistryPackageHash: chain.feedRegistryPackageHash,
  attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
}

/** Reads each period's latest value, page by page. */
const program = `
import { createClient } from './client/index.js'
import { createHistory } from './history/index.js'
export async function read(origin) {
  const client = createClient({ ...${JSON.stringify(network)}, rpcUrls: [origin + '/rpc'] })
  const rows = []
  const items = createHistory(client).items('${syntheticFeedId(0)}', { vintages: 'latest', limit: 20 })
  for await (const { index, period_start, revision, amount } of items) rows.push([index, period_start, revision, String(amount)])
  return rows
}`

const expected = Array.from({ length: 30 }, (_, day) => {
  const date = `2026-11-${String(day + 1).padStart(2, '0')}`
  // The chain's first value, of another amount, is of 20 November.
  return [121 + day, date, date === '2026-11-20' ? 5 : 4, String(10n ** 30n + 120n + BigInt(day))]
})

let folder: string
let site: ReturnType<typeof serve>

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
  folder = await mkdtemp(join(tmpdir(), 'wattfeed-history-'))
  for (const name of ['client', 'history'])
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
}, 60_000)

afterAll(async () => {
  await site.stop(true)
  await rm(folder, { recursive: true, force: true })
})

describe('wattfeed/history', () => {
  test('default: reads a past in Bun', async () => {
    const { read } = await import(join(folder, 'read.js'))
    expect(await read(site.url.origin)).toEqual(expected)
  })

  test('default: reads a past in Node.js', async () => {
    const script = `import { read } from './read.js'\nconsole.log(JSON.stringify(await read('${site.url.origin}')))`
    await Bun.write(join(folder, 'main.js'), script)
    expect(await $`node main.js`.cwd(folder).json()).toEqual(expected)
  })

  test.skipIf(!hasBrowser)(
    'default: reads a past in Chromium',
    async () => {
      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(site.url.href)
        const rows = await page.evaluate(async () => {
          const path = '/read.js'
          const { read } = await import(path)
          return read(location.origin)
        })
        expect(rows).toEqual(expected)
      } finally {
        await browser.close()
      }
    },
    300_000,
  )
})
