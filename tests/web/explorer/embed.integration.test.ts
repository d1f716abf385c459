import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import type { Frame, Page } from 'playwright-core'
import { casperTest, type FeedProof } from 'wattfeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { SOURCE_HASH, WTI } from 'wattfeed/testing/world'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import { drawChart } from '../../../src/web/chart/drawChart.ts'
import { embedUrl } from '../../../src/web/cite/addresses.ts'
import { EMBED_HEIGHT, formatEmbedCode } from '../../../src/web/cite/embedCode.ts'
import { type RunningServer, startServer } from '../../operator/verify/runningServer.ts'
import { tamperWith } from '../../operator/verify/tamperedProofs.ts'
import { chartOf, look } from '../chart/chartOf.ts'
import { hostileText } from '../chart/hostileText.ts'
import { startLyingServer } from './support/lyingServer.ts'
import { type OpenedPage, openPage } from './support/openPage.ts'

/** All that the first view may load, in bytes before compression. */
const MAX_BYTES = 40_000

const PERIODS = [20_261_102, 20_261_103, 20_261_104, 20_261_109, 20_261_110, 20_261_111, 20_261_117]

async function attestPeriods({ world }: VerifiedWorld): Promise<void> {
  for (const [index, period] of PERIODS.entries()) {
    const value = {
      feed_id: WTI,
      period,
      amount: BigInt(60_000_000 + index * 700_000),
      source_hash: SOURCE_HASH,
    }
    const registry = world.packages.AttestationRegistry
    const refused = await world.call(world.owner, registry, 'attest', attestArguments(value))
    if (refused !== null) throw new Error(refused)
  }
}

/** A site of somebody else, on an origin of its own. */
function startOuterSite(body: string, own: Readonly<Record<string, string>> = {}) {
  const page = `<!doctype html><html lang="en"><title>Article</title><body style="margin:0">${body}</body></html>`
  const headers = { 'content-type': 'text/html;charset=utf-8', ...own }
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(page, { headers }) })
  return { url: `http://localhost:${server.port}/`, [Symbol.dispose]: () => void server.stop(true) }
}

async function frameIn(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('iframe')).contentFrame()
  if (frame === null) throw new Error('the frame has no page')
  await frame.waitForLoadState()
  return frame
}

/** Clicks twice: the first click says what the second one downloads. */
async function verify(frame: Frame): Promise<string> {
  await frame.getByRole('button', { name: 'Verify the newest value' }).click()
  await frame.getByRole('button', { name: 'Download and verify' }).click()
  await frame.locator('[role=status] :is(.is-proven, .is-old, .is-broken)').first().waitFor()
  return (await frame.locator('[role=status]').textContent()) ?? ''
}

describe.skipIf(!hasBrowser)('a chart in another page, in Chromium', () => {
  let world: VerifiedWorld
  let server: RunningServer

  beforeAll(async () => {
    world = await createVerifiedWorld({ nodes: 1 })
    await attestPeriods(world)
    world.endEras(1)
    server = await startServer(world)
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  const codeOf = (changes: Partial<Parameters<typeof formatEmbedCode>[0]> = {}): string =>
    formatEmbedCode({
      page: embedUrl(server.url, WTI),
      title: 'WTI',
      theme: 'auto',
      trust: world.genesisHash,
      network: { ...casperTest, ...world.network },
      width: null,
      height: EMBED_HEIGHT,
      ...changes,
    })

  /** Opens the code in a page of another origin. */
  async function openCode(code: string, options = {}): Promise<OpenedPage & { frame: Frame }> {
    using outer = startOuterSite(code)
    const opened = await openPage(outer.url, options)
    return { ...opened, frame: await frameIn(opened.page) }
  }

  test.each([
    [240, 'dark', 'rgb(18, 21, 23)'],
    [600, 'light', 'rgb(252, 252, 250)'],
  ] as const)('default: %d pixels wide and %s, without scrolling sideways', async (width, theme, color) => {
    await using opened = await openCode(codeOf({ width, theme }), { width: 800 })
    const { frame, faults } = opened
    const shown = frame.locator('.drawing:visible')
    expect(await shown.count()).toBe(1)
    expect((await shown.boundingBox())?.width).toBe(width)
    const found = await frame.evaluate(() => ({
      color: getComputedStyle(document.body).backgroundColor,
      isWide: document.documentElement.scrollWidth > innerWidth,
      isHigh: document.documentElement.scrollHeight > innerHeight,
    }))
    expect([found, faults]).toEqual([{ color, isWide: false, isHigh: false }, []])
  })

  test('behavior: the theme `auto` follows the reader', async () => {
    const colors: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await openCode(codeOf(), { width: 600, colorScheme })
      colors.push(await opened.frame.evaluate(() => getComputedStyle(document.body).backgroundColor))
    }
    expect(colors).toEqual(['rgb(252, 252, 250)', 'rgb(18, 21, 23)'])
  })

  test('default: the first view loads at most 40 kB, from its own server, and stores nothing', async () => {
    using outer = startOuterSite(codeOf({ width: 600 }))
    await using opened = await openPage('about:blank', { width: 800 })
    const { page } = opened
    const bodies: Promise<Buffer>[] = []
    const paths: string[] = []
    page.on('response', (response) => {
      if (new URL(response.url()).origin === new URL(outer.url).origin) return
      paths.push(response.url())
      bodies.push(response.body())
    })
    await page.goto(outer.url, { waitUntil: 'networkidle' })
    const sizes = (await Promise.all(bodies)).map((body) => body.length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(paths.map((path) => new URL(path).origin)).toEqual([server.url, server.url])
    expect(total).toBeWithin(5_000, MAX_BYTES)
    const { cookies, origins } = await page.context().storageState()
    expect([cookies, origins, opened.faults]).toEqual([[], [], []])
  })

  test('default: a click says what it downloads, the next one verifies from the hash of the code, and nothing before', async () => {
    await using opened = await openCode(codeOf({ width: 600 }), { width: 800 })
    const { frame, page, faults } = opened
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await frame.getByRole('button', { name: 'Verify the newest value' }).click()
    await frame.getByRole('button', { name: 'Download and verify' }).waitFor()
    expect(requests).toEqual([`HEAD /v1/feeds/${WTI}/proof`])
    expect(await frame.locator('[role=status]').textContent()).toMatch(
      /^This downloads \d+ kB of code and a proof of \d+ kB from 127\.0\.0\.1:\d+, both before compression\./,
    )
    await frame.getByRole('button', { name: 'Download and verify' }).click()
    await frame.locator('.is-proven').waitFor()
    const text = await frame.locator('[role=status]').textContent()
    expect(text).toStartWith('Verified from the hash that this page names: 64.2 $/bbl, 17 Nov 2026.')
    expect(text).toContain(`the hash ${world.genesisHash.slice(0, 12)}…`)
    expect(await frame.locator('li', { hasText: ': holds' }).count()).toBe(7)
    expect(faults).toEqual([])
  })

  test('error: a tampered proof shows the broken link', async () => {
    const answer = await fetch(`${server.url}/v1/feeds/${WTI}/proof?from=${world.genesisHash}`)
    const proof = (await answer.json()) as FeedProof
    for (const { proof: tampered, link } of tamperWith(proof).slice(1, 4)) {
      await using opened = await openCode(codeOf({ width: 600 }), { width: 800 })
      const { frame, page } = opened
      const headers = { 'access-control-allow-origin': '*' }
      await page.route(/\/proof\?/, (route) =>
        route.request().method() === 'HEAD' ? route.continue() : route.fulfill({ json: tampered, headers }),
      )
      const text = await verify(frame)
      expect(text).toStartWith('Refuted. The proof breaks at the link below. Do not use the value.')
      expect(await frame.locator('li.is-broken').textContent()).toContain(link)
    }
  })

  test('error: a proof of another value than the shown one is not passed off as it', async () => {
    const page = await fetch(
      `${server.url}/embed/feeds/${WTI}${/\?[^"]*/.exec(codeOf().replaceAll('&amp;', '&'))?.[0]}`,
    )
    const html = (await page.text()).replace('&quot;amount&quot;:&quot;642', '&quot;amount&quot;:&quot;992')
    using liar = startLyingServer(server.url)
    liar.lieWith((path) =>
      path.startsWith('/embed/') ? new Response(html, { headers: { 'content-type': 'text/html' } }) : null,
    )
    await using opened = await openCode(codeOf({ page: embedUrl(liar.origin, WTI) }), { width: 800 })
    expect(await verify(opened.frame)).toContain('The page shows another value. Reload it.')
  })

  test('error: a proof of another network is neither verified nor refuted', async () => {
    const network = { ...casperTest, ...world.network, feedRegistryPackageHash: 'ab'.repeat(32) }
    await using opened = await openCode(codeOf({ network, width: 600 }), { width: 800 })
    expect(await verify(opened.frame)).toStartWith(
      'Not verified. The proof is for a chain or for registries other',
    )
  })

  test('error: without a proof from the hash it says so, and downloads nothing', async () => {
    await using opened = await openCode(codeOf({ trust: 'ab'.repeat(32), width: 600 }), { width: 800 })
    const { frame } = opened
    await frame.getByRole('button', { name: 'Verify the newest value' }).click()
    await frame.getByText('Nothing was checked.').waitFor()
    expect(await frame.locator('[role=status]').textContent()).toStartWith(
      'The server has no proof that starts at',
    )
  })

  test('error: a proof whose download fails after its size was known is neither verified nor refuted', async () => {
    await using opened = await openCode(codeOf({ width: 600 }), { width: 800 })
    await opened.page.route(/\/proof\?/, (route) =>
      route.request().method() === 'HEAD' ? route.continue() : route.abort(),
    )
    expect(await verify(opened.frame)).toBe(
      'Not verified. The server cannot be reached, or the connection closed before the proof was complete.',
    )
  })

  test('behavior: behind a proxy that removes the length, it says that the size is unknown', async () => {
    await using opened = await openCode(codeOf({ width: 600 }), { width: 800 })
    const { frame, page } = opened
    const headers = { 'access-control-allow-origin': '*' }
    await page.route(/\/proof\?/, (route) =>
      route.request().method() === 'HEAD' ? route.fulfill({ headers }) : route.continue(),
    )
    await frame.getByRole('button', { name: 'Verify the newest value' }).click()
    await frame.getByText('a proof whose size the server does not tell').waitFor()
    await frame.getByRole('button', { name: 'Download and verify' }).click()
    await frame.locator('.is-proven').waitFor()
  })

  test('behavior: without a hash there is no button, and the page says why', async () => {
    await using opened = await openCode(codeOf({ trust: null, width: 240 }), { width: 800 })
    const { frame } = opened
    expect(await frame.getByRole('button').count()).toBe(0)
    expect(await frame.getByText('names no trusted block hash').count()).toBe(1)
  })

  test('default: its link opens the feed in a new tab, which can verify from the same hash', async () => {
    await using opened = await openCode(codeOf({ width: 600 }), { width: 800 })
    const { frame, page } = opened
    const popup = page.waitForEvent('popup')
    await frame.getByRole('link', { name: 'All values and proofs' }).click()
    const tab = await popup
    await tab.getByRole('heading', { name: 'PET PRICE WTI DAILY' }).waitFor()
    expect(await tab.getByLabel('Trusted block hash').inputValue()).toBe(world.genesisHash)
    expect(await tab.evaluate(() => opener)).toBeNull()
  })

  test('default: axe finds nothing, at any width and in both color schemes, and paper has no button', async () => {
    const path = `/embed/feeds/${WTI}?trust=${world.genesisHash}&chain-name=${world.network.chainName}`
    await using opened = await openPage(`${server.url}${path}`)
    await opened.page.getByText('Values as a table').click()
    await opened.look(async (seen) => {
      expect([seen, await opened.violations(), await opened.overflow()]).toEqual([seen, [], 0])
    })
    expect(await opened.page.getByRole('button').count()).toBe(1)
    await opened.page.emulateMedia({ media: 'print' })
    expect(await opened.page.getByRole('button').count()).toBe(0)
    expect(opened.faults).toEqual([])
  })

  test('behavior: a page that its author opens from a disk shows it, too', async () => {
    using folder = createFolder()
    const file = `${folder.path}/article.html`
    await Bun.write(file, codeOf({ width: 600 }))
    await using opened = await openPage(`file://${file}`)
    const frame = await frameIn(opened.page)
    await frame.getByText('All values and proofs').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('error: frames of other pages stay empty', async () => {
    const paths = [
      '/',
      `/explorer/feeds/${WTI}`,
      '/explorer/status',
      '/docs',
      '/openapi',
      '/v1/feeds',
      '/v1/nope',
    ]
    const frames = paths.map((path) => `<iframe src="${server.url}${path}" title="x"></iframe>`)
    using outer = startOuterSite(frames.join(''))
    await using opened = await openPage(outer.url)
    const found = await opened.page.locator('iframe').elementHandles()
    for (const [index, path] of paths.entries()) {
      const frame = await found[index]?.contentFrame()
      await frame?.waitForLoadState()
      expect([path, frame?.url()]).toEqual([path, expect.stringMatching(/^chrome-error:/)])
    }
    const refused = opened.faults.filter((fault) => fault.includes("frame-ancestors 'none'"))
    expect(refused).toHaveLength(paths.length)
  })

  test('default: a page that is cross-origin isolated shows pictures, and the chart in a frame', async () => {
    const pictures = ['chart.svg', 'chart.png'].map(
      (name) => `<img src="${server.url}/v1/feeds/${WTI}/${name}">`,
    )
    using outer = startOuterSite(`${codeOf({ width: 600 })}${pictures.join('')}`, {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    })
    await using opened = await openPage(outer.url)
    const { page } = opened
    const shown = await page.evaluate(() => ({
      isIsolated: crossOriginIsolated,
      widths: [...document.images].map(({ naturalWidth }) => naturalWidth > 0),
    }))
    expect(shown).toEqual({ isIsolated: true, widths: [true, true] })
    expect(await (await frameIn(page)).locator('.drawing:visible').count()).toBe(1)
    expect(opened.faults).toEqual([])
  })

  test('default: the picture for previews, from the binary', async () => {
    const response = await fetch(`${server.url}/v1/feeds/${WTI}/chart.png`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    await using opened = await openPage(`${server.url}/v1/feeds/${WTI}/chart.png`)
    const size = await opened.page.evaluate(() => {
      const [image] = document.images
      return [image?.naturalWidth, image?.naturalHeight]
    })
    expect(size).toEqual([1_200, 630])
  })

  test('default: the explorer offers an embed code that works, and citations', async () => {
    await using opened = await openPage(`${server.url}/explorer/feeds/${encodeURIComponent(WTI)}`)
    const { page } = opened
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Embed and cite' }) })
    await section.getByText('Embed this chart').click()
    const code = section.locator('pre').first()
    await code.waitFor()
    expect(await code.textContent()).not.toContain('trust=')
    await section.getByText('from the newest switch block').click()
    await section.getByLabel('Colors').selectOption('dark')
    await section.getByLabel('Width').selectOption('600')
    const text = (await code.textContent()) ?? ''
    expect(text).toMatch(
      /theme=dark&amp;trust=[0-9a-f]{64}&amp;chain-name=casper-devnet&amp;feed-registry=[0-9a-f]{64}/,
    )
    await using embedded = await openCode(text, { width: 800 })
    expect(await verify(embedded.frame)).toStartWith(
      'Verified from the hash that this page names: 64.2 $/bbl',
    )
    await section.getByText('Cite this value').click()
    const [apa = '', bibtex = ''] = await section.locator('details[open] pre').allTextContents()
    expect(apa).toMatch(
      /^PET PRICE WTI DAILY: 64\.2 \$\/bbl for 17 Nov 2026 \[Invented data set\]\. \(\d{4}\)\. wattfeed; attested .*, as of block \d+ \([0-9a-f]{64}\) of casper-devnet\. Retrieved .*, from http.* Verify: wattfeed verify http.*\/history\/\d+\/proof --trust <block hash> --chain-name/,
    )
    expect(bibtex).toStartWith(
      '@misc{wattfeed-EIA-PET-PRICE-WTI-DAILY-17-Nov-2026,\n  title = {{PET PRICE WTI DAILY}},',
    )
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })

  test('behavior: an embed code from the hash that the reader trusts is the default', async () => {
    const fragment = new URLSearchParams({
      trust: world.genesisHash,
      'chain-name': world.network.chainName,
      'feed-registry': world.network.feedRegistryPackageHash.replace('hash-', ''),
      'attestation-registry': world.network.attestationRegistryPackageHash.replace('hash-', ''),
    })
    await using opened = await openPage(
      `${server.url}/explorer/feeds/${encodeURIComponent(WTI)}#proof&${fragment}`,
    )
    const { page } = opened
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.locator('.verdict.is-checked').waitFor()
    await page.getByText('Embed this chart').click()
    const code = page
      .locator('section', { has: page.locator('#share-title') })
      .locator('pre')
      .first()
    expect(await code.textContent()).toContain(`trust=${world.genesisHash}`)
  })

  test('default: a browser reads hostile texts as texts, in SVG and in embed codes', async () => {
    const titles = fc.sample(hostileText, 200)
    const documents = titles.map((title) => drawChart(chartOf({ title, unit: title, caption: title }), look))
    const codes = titles.map((title) => codeOf({ title }))
    await using opened = await openPage('about:blank')
    const found = await opened.page.evaluate(
      ({ documents, codes }) => ({
        broken: documents.filter((svg) => {
          const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml')
          return parsed.querySelector('parsererror, script, image, a') !== null
        }),
        titles: codes.map((code) => {
          const { body } = new DOMParser().parseFromString(code, 'text/html')
          const [frame, ...others] = body.querySelectorAll('*')
          return others.length === 0 && frame?.attributes.length === 8 ? frame.getAttribute('title') : null
        }),
      }),
      { documents, codes },
    )
    // A parser of HTML normalizes line breaks, and replaces what is no character.
    const normalized = (text: string | null) =>
      text?.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')
    expect([found.broken, found.titles.map(normalized)]).toEqual([[], titles.map(normalized)])
  })
})
