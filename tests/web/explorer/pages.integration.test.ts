import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { casperTest } from 'wattfeed'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const DIESEL = 'EIA.PET.PRICE.DIESEL_RETAIL.WEEKLY'
const HOSTILE = '<img src=x onerror=alert(1)>'

async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain({ feeds: 5 })
  const diesel = { title: 'US retail diesel price', unit: '$/gal', decimals: 3, route: 'petroleum/pri/gnd' }
  chain.register(DIESEL, { ...diesel, frequency: 'weekly' })
  chain.attest(DIESEL, { amount: 3755n, period: 20261116 })
  const texts = { title: `${HOSTILE}\u202egnp.exe\u0000`, unit: `"'>${'x'.repeat(300)}` }
  chain.register(HOSTILE, { ...texts, route: 'javascript:alert(1)', frequency: HOSTILE, decimals: 255 })
  chain.attest(HOSTILE, { amount: 2n ** 512n - 1n, period: Number.MAX_SAFE_INTEGER })
  for (const id of ['.', '..', ' ', 'a/b?c#d%25', '\u202e'.repeat(50), '💡'.repeat(20)]) {
    chain.register(id, { title: id, frequency: 'monthly', unit: 'short tons', decimals: 0 })
    chain.attest(id, { period: 202610, amount: 529_790_784n })
  }
  await chain.advance()
  return chain
}

describe.skipIf(!hasBrowser)('the explorer in Chromium', () => {
  let chain: RegistryChain
  let site: Site

  beforeAll(async () => {
    chain = await createChain()
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const open = (path: string, options?: Parameters<typeof openPage>[1]) =>
    openPage(`${site.origin}${path}`, options)

  test('default: the feeds are there without a jump, accessible, and whole with their units at every width', async () => {
    await using opened = await open('/')
    await opened.page.getByText('13 feeds').waitFor()
    expect([await opened.shifts(), ...opened.faults, ...opened.foreign]).toEqual([0])
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
      // A stranger's 24 digits with 24 letters behind them may be cut.
      const cut = opened.page.locator('.feeds .amount').evaluateAll((cells) =>
        cells
          .filter(
            ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
              scrollWidth > clientWidth || scrollHeight > clientHeight,
          )
          .map(({ textContent }) => textContent)
          .filter((text) => !text?.includes('xxx')),
      )
      expect([look, await cut]).toEqual([look, []])
    })
  })

  // The file of each page runs axe at every width, on feeds of no stranger.
  test('default: on a phone, each page has a heading and is accessible, and nothing jumps', async () => {
    await using opened = await open('/', { colorScheme: 'dark', width: 320 })
    const { page } = opened
    await page.getByText('13 feeds').waitFor()
    expect(await opened.shifts()).toBe(0)
    for (const name of ['datasets', 'calendar', 'status', 'how', `feeds/${DIESEL}`, 'nowhere']) {
      await page.goto(`${site.origin}/explorer/${name}`)
      await page.locator('main:not(:has(.loading)) h1').waitFor()
      // The browser reports the status of a page that does not exist, as it should.
      const faults = opened.faults.filter((fault) => name !== 'nowhere' || !fault.includes('404'))
      expect([name, await opened.shifts(), ...faults, ...opened.foreign]).toEqual([name, 0])
      expect([name, ...(await opened.violations())]).toEqual([name])
    }
  })

  test('default: every page of a development chain says that its figures are invented, and only those of a public one name EIA', async () => {
    const network = { ...casperTest, ...chain, chainName: casperTest.chainName }
    await using publicSite = await startSite(chain, { network })
    const figures: string[] = []
    for (const { origin } of [site, publicSite]) {
      await using opened = await openPage(`${origin}/`)
      const line = opened.page.locator('footer p', { hasText: '·' })
      figures.push((await line.textContent()) ?? '')
      expect(await opened.page.locator('main .lead').textContent()).not.toContain('EIA')
    }
    expect(figures.map((text) => text.replace(/^wattfeed [\d.]+ · /, ''))).toEqual([
      'Invented figures of a development chain',
      'US energy statistics of the EIA, attested on the Casper blockchain',
    ])
  })

  test('default: without JavaScript, a feed’s page has its value, picture and links, fits, and breaks no policy', async () => {
    await using opened = await open(`/explorer/feeds/${DIESEL}`, { javaScriptEnabled: false })
    const { page, faults } = opened
    const [picture, main] = [page.getByRole('img', { name: 'Chart of' }), page.getByRole('main')]
    expect(await main.textContent()).toContain('3.755 $/gal')
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      expect([await opened.overflow(), await page.locator('main').count()]).toEqual([0, 1])
      // It was loaded, for either width.
      expect(await picture.evaluate((image) => (image as HTMLImageElement).decode())).toBeUndefined()
    }
    for (const link of await main.getByRole('link').all())
      expect((await fetch(`${site.origin}${await link.getAttribute('href')}`)).status).toBe(200)
    await page.goto(`${site.origin}/explorer/feeds/${encodeURIComponent(HOSTILE)}`)
    expect([await main.locator('h1').textContent(), await main.locator('img').count()]).toEqual([
      `${HOSTILE}\\u{202e}gnp.exe\\u{0}`,
      1,
    ])
    await page.goto(`${site.origin}/explorer/feeds`)
    await page.getByRole('link', { name: 'US retail diesel price' }).click()
    await page.waitForURL(`**/explorer/feeds/${DIESEL}`)
    expect([...faults, ...opened.foreign]).toEqual([])
  })

  test('default: without JavaScript, on a phone no number or word of the list is broken', async () => {
    await using opened = await open('/explorer/feeds', { javaScriptEnabled: false, width: 360 })
    const broken = await opened.page.locator('.plain-feeds tr').evaluateAll((rows) => {
      // A stranger's unit of 300 letters and value of 155 digits may be broken.
      const honest = rows.filter(({ textContent }) => !textContent?.includes('xxx'))
      const words = honest.flatMap((row) => {
        const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
        const found: Range[] = []
        while (texts.nextNode()) {
          const node = texts.currentNode
          if (node.parentElement?.closest('a') !== null) continue
          for (const { index, 0: word } of (node.textContent ?? '').matchAll(/\S+/g)) {
            const range = document.createRange()
            range.setStart(node, index)
            range.setEnd(node, index + word.length)
            found.push(range)
          }
        }
        return found
      })
      return words.filter((range) => range.getClientRects().length > 1).map(String)
    })
    expect([await opened.page.locator('.plain-feeds tr').count(), broken, await opened.overflow()]).toEqual([
      14,
      [],
      0,
    ])
  })

  test('behavior: with JavaScript, nothing of the page without it is parsed, shown or loaded', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    const pictures: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('chart')) pictures.push(request.url())
    })
    await page.goto(`${site.origin}/explorer/feeds/${DIESEL}`)
    await page.locator('canvas').waitFor()
    expect(await page.locator('noscript').evaluate(({ childElementCount }) => childElementCount)).toBe(0)
    expect([await page.locator('main').count(), pictures, await opened.shifts()]).toEqual([1, [], 0])
  })

  test('behavior: an unknown feed or page suggests the nearest', async () => {
    await using opened = await open(`/explorer/feeds/${DIESEL.toLowerCase().replace('retail', 'tail')}`)
    const { page } = opened
    await page.getByText('Did you mean').waitFor()
    expect(await opened.violations()).toEqual([])
    await page.locator('.notice').getByRole('link', { name: DIESEL }).click()
    await page.getByRole('heading', { name: 'US retail diesel price' }).waitFor()
    await page.goto(`${site.origin}/explorer/stats`)
    // No page of the header is this one.
    expect(await page.locator('nav [aria-current]').count()).toBe(0)
    await page.locator('.notice').getByRole('link', { name: 'Status' }).click()
    await page.waitForURL(`${site.origin}/explorer/status`)
  })

  test('behavior: untrusted texts are text: nothing runs, and nothing moves', async () => {
    await using opened = await open('/?q=alert', { width: 360 })
    const { page } = opened
    await page.getByText('1 of 13 feeds').waitFor()
    const row = page.locator('.feeds tbody tr')
    expect(await row.locator('.feed-link').textContent()).toBe(`${HOSTILE}\\u{202e}gnp.exe\\u{0}`)
    expect(await row.locator('.number').textContent()).toStartWith('0.00')
    expect(await page.locator('.feeds img').count()).toBe(0)
    await row.locator('.feed-link').click()
    await page.getByText('javascript').or(page.getByText('invented')).first().waitFor()
    expect(page.url()).toBe(`${site.origin}/explorer/feeds/${encodeURIComponent(HOSTILE)}`)
    expect(opened.faults).toEqual([])
  })

  test('behavior: by the keyboard alone: skip link, search, a feed, and back to the same list', async () => {
    await using opened = await open('/')
    const { page } = opened
    await page.getByText('13 feeds').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toContain('Skip')
    await page.keyboard.press('Enter')
    // The link in the introduction, then the search.
    for (const _ of [1, 2]) await page.keyboard.press('Tab')
    await page.keyboard.type('diesel')
    await page.getByText('1 of 13 feeds').waitFor()
    await page.waitForURL(/\?q=diesel/)
    for (const _ of [1, 2, 3]) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/explorer/feeds/${DIESEL}`)
    await page.getByRole('heading', { name: 'US retail diesel price' }).waitFor()
    expect(await page.locator('h1:focus').count()).toBe(1)
    await page.goBack()
    await page.getByText('1 of 13 feeds').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('behavior: a new value appears and flashes, and moves nothing', async () => {
    await using opened = await open(`/?q=${DIESEL}`)
    const { page } = opened
    await page.getByText('3.755').waitFor()
    // It ends soon, on a busy machine before anybody outside of the page could look.
    const flash = page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const look = () => document.querySelector('.feeds .value.is-changed') && resolve()
          new MutationObserver(look).observe(document.body, {
            subtree: true,
            childList: true,
            attributes: true,
          })
        }),
    )
    chain.attest(DIESEL, { amount: 13_999n, period: 20261123 })
    await chain.advance()
    await page.clock.fastForward(5_000)
    await flash
    await page.getByText('13.999').waitFor()
    await page.getByText('on Monday 23 Nov 2026').waitFor()
    expect([await opened.shifts(), ...opened.faults]).toEqual([0])
  })

  test('behavior: a new value arrives by the stream if the server has one', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    const known = await (await fetch(`${site.origin}/v1/feeds/${DIESEL}`)).json()
    // The list that is read when the stream opens does not hold it yet.
    const feed = { ...known, amount: '77777', updated_at: known.updated_at + 1 }
    const event = `event: attested\ndata: ${JSON.stringify({ ...feed, index: 9, log: 'AttestationRegistry' })}\n\n`
    const unvalued = `event: feed\ndata: ${JSON.stringify({ ...feed, feed_id: 'NEW', value: null })}\n\n`
    await page.route(`${site.origin}/v1/stream`, (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `:\n\n${unvalued}${event}` }),
    )
    const index = await (await fetch(site.origin)).json()
    await page.route(`${site.origin}/`, (route, request) =>
      request.resourceType() === 'document'
        ? route.continue()
        : route.fulfill({ json: { ...index, version: '9.9.9' } }),
    )
    await page.goto(`${site.origin}/?q=diesel`)
    await page.getByText('77.777').waitFor()
    await page.getByText('1 of 13 feeds').waitFor()
    await page.getByText('wattfeed 9.9.9').waitFor()
  })

  test('behavior: text typed just before the address is written is also in it', async () => {
    await using opened = await open('/')
    const { page } = opened
    await page.getByText('13 feeds').waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    const search = page.getByRole('searchbox')
    // It is written 300 ms after the frame that shows it: one of these gaps ends between the two.
    for (let gap = 296; gap <= 352; gap += 8) {
      await search.fill('dies')
      await page.clock.runFor(gap)
      await search.fill('diesel')
      await page.clock.runFor(1_000)
      expect([gap, page.url()]).toEqual([gap, `${site.origin}/?q=diesel`])
    }
  })

  test('behavior: a search is not written into the address of another page', async () => {
    await using opened = await open('/')
    const { page } = opened
    await page.getByText('13 feeds').waitFor()
    await page.getByRole('searchbox').fill('diesel')
    await page.getByText('1 of 13 feeds').waitFor()
    await page.evaluate(() => history.pushState(null, '', '/explorer/how'))
    await page.clock.fastForward(1_000)
    expect(page.url()).toBe(`${site.origin}/explorer/how`)
  })

  test('behavior: a page whose code cannot be loaded appears once the server is back', async () => {
    await using opened = await open('/?q=diesel')
    const { page } = opened
    await page.getByText('1 of 13 feeds').waitFor()
    await site.stop()
    await page.locator('.feeds .feed-link').click()
    await page.getByText('The server does not answer').waitFor()
    site.restart()
    await page.clock.fastForward(5_000)
    await page.getByRole('heading', { name: 'History' }).waitFor()
  })

  test('behavior: the page shows that the server is gone or its node fails, and keeps the values', async () => {
    await using opened = await open('/?q=diesel')
    const { page } = opened
    await page.getByText('1 of 13 feeds').waitFor()
    await site.stop()
    await page.clock.fastForward(5_000)
    await page.getByText('The server does not answer').waitFor()
    expect(await page.locator('.feeds .feed-link').count()).toBe(1)
    site.restart()
    await page.clock.fastForward(2_000)
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
    site.answerWith(() => Promise.reject(new Error('down')))
    await page.clock.fastForward(5_000)
    await page.getByText('The chain cannot be read').waitFor()
    expect(await opened.violations()).toEqual([])
    await using fresh = await open('/')
    await fresh.page.getByRole('alert').getByText('The chain cannot be read').waitFor()
    expect(await fresh.violations()).toEqual([])
    site.answerWith(chain.answer)
    await fresh.page.clock.fastForward(2_000)
    await fresh.page.getByText('13 feeds').waitFor()
  })
})
