import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RecordedNode, startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { hasBrowser, launchBrowser } from '@wattfeed/testing/browser'
import type { Browser, Page } from 'playwright-core'
import type { FeedProof, FeedProofTrust } from 'wattfeed'
import { WTI } from 'wattfeed/testing/world'
import { createServedProof } from './operator/verify/runningServer.ts'
import { tamperWith } from './operator/verify/tamperedProofs.ts'

/** Serves a page, the files of the package and the node's RPC under one origin. */
async function startSite(node: RecordedNode) {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../packages/wattfeed/src/client/index.ts')],
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'browser',
  })
  const files = new Map(outputs.map((output) => [output.path.replace(/^\.?\/?/, '/'), output]))
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/': new Response('<!doctype html><title>wattfeed</title>', {
        headers: { 'content-type': 'text/html' },
      }),
      '/rpc': async (request) =>
        fetch(node.url, { method: 'POST', headers: request.headers, body: await request.text() }),
    },
    fetch(request) {
      const file = files.get(new URL(request.url).pathname)
      if (file === undefined) return new Response('not found', { status: 404 })
      return new Response(file, { headers: { 'content-type': 'text/javascript' } })
    },
  })
}

describe.skipIf(!hasBrowser)('the client library in Chromium', () => {
  let node: RecordedNode
  let site: Awaited<ReturnType<typeof startSite>>
  let browser: Browser

  beforeAll(async () => {
    node = await startRecordedNode()
    site = await startSite(node)
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await site?.stop(true)
    await node?.stop()
  })

  async function openPage(): Promise<Page> {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(site.url.href)
    return page
  }

  test('default: reads a feed and the list', async () => {
    const page = await openPage()
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = node
    const network = { chainName, feedRegistryPackageHash, attestationRegistryPackageHash }
    const seen = await page.evaluate(async (options) => {
      // The specifier is the page's, not this file's.
      const specifier = '/index.js'
      const { createClient } = (await import(
        specifier
      )) as typeof import('../packages/wattfeed/src/client/index.ts')
      const client = createClient({ rpcUrls: [`${location.origin}/rpc`], ...options })
      const reading = await client.getReading('TEST.HUGE.MONTHLY')
      return { amount: String(reading?.amount), feeds: (await client.listReadings()).length }
    }, network)
    expect(seen).toEqual({ amount: String(2n ** 512n - 1n), feeds: 42 })
  })

  test('default: a page may call a node of another origin', async () => {
    const page = await openPage()
    const { url } = node
    const ask = async (rpcUrl: string): Promise<unknown> => {
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"chain_get_state_root_hash"}',
      })
      return response.json()
    }
    expect(new URL(url).origin).not.toBe(site.url.origin)
    expect(await page.evaluate(ask, url)).toMatchObject({ result: { state_root_hash: node.stateRootHash } })
  })

  describe('a proof that a running server has served', () => {
    let proof: FeedProof
    let trust: FeedProofTrust

    beforeAll(async () => {
      ;({ proof, trust } = await createServedProof())
    })

    /** The value of each, or null, and the last link. */
    const verifyIn = (page: Page, proofs: readonly unknown[], by = trust): Promise<unknown[]> =>
      page.evaluate(
        async ([proofs, trust]) => {
          const specifier = '/index.js'
          const { verifyFeedProof } = (await import(
            specifier
          )) as typeof import('../packages/wattfeed/src/client/index.ts')
          const checks = []
          for (const proof of proofs) {
            const { reading, links } = await verifyFeedProof(proof, trust)
            checks.push([reading?.value ?? null, links.at(-1)])
          }
          return checks
        },
        [proofs, by] as const,
      )

    const detail = expect.any(String)

    test('default: is verified offline, and a tampered copy refused with the link named', async () => {
      const page = await openPage()
      const proven = [
        59.91,
        { link: 'reading', holds: true, detail: expect.stringContaining(`${WTI} = 59.91`) },
      ]
      // The verifier loads with the first proof.
      expect(await verifyIn(page, [proof])).toEqual([proven])
      await page.context().setOffline(true)
      const tampered = tamperWith(proof)
      expect(await verifyIn(page, [proof, ...tampered.map((each) => each.proof)])).toEqual([
        proven,
        ...tampered.map(({ link }) => [null, { link: expect.stringContaining(link), holds: false, detail }]),
      ])
    })

    test('error: another trusted block', async () => {
      const other = { ...trust, trustedBlockHash: 'ab'.repeat(32) }
      expect(await verifyIn(await openPage(), [proof], other)).toEqual([
        [null, { link: 'trusted block', holds: false, detail }],
      ])
    })
  })
})
