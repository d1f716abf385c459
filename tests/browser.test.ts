import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { type RecordedNode, startRecordedNode } from '../src/devnet/recordedNode.ts'
import { hasBrowser, launchBrowser } from './support/browser.ts'

/** Serves a page, the bundled library and the node's RPC under one origin. */
async function startSite(node: RecordedNode) {
  const build = await Bun.build({
    entrypoints: [join(import.meta.dir, '../src/client/index.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
    throw: true,
  })
  const library = await build.outputs[0]?.text()
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/': new Response('<!doctype html><title>wattfeed</title>', {
        headers: { 'content-type': 'text/html' },
      }),
      '/wattfeed.js': new Response(library, { headers: { 'content-type': 'text/javascript' } }),
      '/rpc': async (request) =>
        fetch(node.url, { method: 'POST', headers: request.headers, body: await request.text() }),
    },
  })
}

describe.skipIf(!hasBrowser)('the client library in Chromium', () => {
  let node: RecordedNode
  let site: Awaited<ReturnType<typeof startSite>>
  let browser: Browser

  beforeAll(async () => {
    node = startRecordedNode()
    site = await startSite(node)
    browser = await launchBrowser()
  }, 30_000)

  afterAll(async () => {
    await browser?.close()
    await site?.stop(true)
    await node?.stop()
  })

  test('default: reads a feed and the list', async () => {
    const page = await browser.newPage()
    await page.goto(site.url.href)
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = node
    const network = { chainName, feedRegistryPackageHash, attestationRegistryPackageHash }
    const seen = await page.evaluate(async (options) => {
      // The specifier is the page's, not this file's.
      const specifier = '/wattfeed.js'
      const { createClient } = (await import(specifier)) as typeof import('../src/client/index.ts')
      const client = createClient({ rpcUrls: [`${location.origin}/rpc`], ...options })
      const reading = await client.getReading('TEST.HUGE.MONTHLY')
      return { amount: String(reading?.amount), feeds: (await client.listReadings()).length }
    }, network)
    expect(seen).toEqual({ amount: String(2n ** 512n - 1n), feeds: 42 })
  }, 30_000)
})
