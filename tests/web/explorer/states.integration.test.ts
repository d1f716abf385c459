import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

/** Each page: its link in the header, what it shows when it has everything, and whether it follows the server. */
const pages = [
  { path: '/', link: 'Feeds', shown: '.feeds tbody tr', isFollowing: true },
  { path: '/explorer/feeds/DIESEL', link: null, shown: '.headline .number', isFollowing: true },
  { path: '/explorer/datasets', link: 'Datasets', shown: '.catalog summary', isFollowing: false },
  { path: '/explorer/calendar', link: 'Calendar', shown: '.day summary', isFollowing: true },
  { path: '/explorer/status', link: 'Status', shown: '.lateness tbody tr', isFollowing: true },
  { path: '/explorer/how', link: 'How it works', shown: '.picture', isFollowing: false },
] as const

const OFFLINE = 'Offline: you see old values'
const GONE = 'No answer from the server: you see old values'

describe.skipIf(!hasBrowser)('states of every page, in Chromium', () => {
  let chain: RegistryChain
  let site: Site

  beforeAll(async () => {
    chain = await createRegistryChain({ feeds: 2 })
    chain.register('DIESEL', { title: 'Diesel', frequency: 'monthly' })
    chain.attest('DIESEL', { period: 202610 })
    await chain.advance()
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const open = async (path: string, shown: string) => {
    const opened = await openPage(`${site.origin}${path}`)
    await opened.page.locator(shown).first().waitFor()
    return opened
  }

  test.each(pages)(
    'behavior: $path shows that it is offline, or that the server is down, keeps its values, and resumes',
    async ({ path, shown, isFollowing }) => {
      await using opened = await open(path, shown)
      const { page } = opened
      await page.context().setOffline(true)
      await page.getByText(OFFLINE).waitFor()
      await page.clock.fastForward(65_000)
      if (isFollowing)
        await page
          .getByText(/These values were read/)
          .first()
          .waitFor()
      expect(await page.locator(shown).count()).toBeGreaterThan(0)
      expect(await opened.violations()).toEqual([])
      await page.context().setOffline(false)
      await page.getByText(OFFLINE).waitFor({ state: 'detached' })
      await page.clock.fastForward(65_000)
      await page.waitForFunction(() => document.querySelector('.stale') === null)

      // A page that polls nothing else notices it, too.
      const gone = isFollowing ? /The server does not answer.*These values were read/ : GONE
      await site.stop()
      try {
        await page.clock.fastForward(isFollowing ? 65_000 : 30_000)
        await page.getByText(gone).first().waitFor()
        expect(await page.locator(shown).count()).toBeGreaterThan(0)
        if (!isFollowing) expect(await opened.violations()).toEqual([])
      } finally {
        site.restart()
      }
      await page.clock.fastForward(isFollowing ? 65_000 : 10_000)
      await page.waitForFunction(() => document.querySelector('.stale') === null)
      await page.getByText(GONE).waitFor({ state: 'detached' })
      if (!isFollowing) expect(await opened.shifts()).toBe(0)
    },
  )

  test('behavior: each page of the header shows that it is offline, and loads when the network is back', async () => {
    await using opened = await open('/', '.feeds tbody tr')
    const { page } = opened
    for (const { link, shown } of pages) {
      if (link === null || link === 'Feeds') continue
      await page.context().setOffline(true)
      await page.getByRole('navigation').getByRole('link', { name: link }).click()
      await page.getByRole('alert').getByText('You are offline').waitFor()
      expect([link, ...(await opened.violations())]).toEqual([link])
      await page.context().setOffline(false)
      await page.locator(shown).first().waitFor()
    }
  })

  test('behavior: the status warns of a newest block of an hour ago, not of one of just now or of an unknown age', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    let age: number | null = null
    await page.route('**/ready', async (route) => {
      const response = await route.fetch()
      const body: { measured: object } = await response.json()
      await route.fulfill({
        response,
        json: { ...body, measured: { ...body.measured, block_age_ms: age } },
      })
    })
    for (const [given, words] of [
      [null, []],
      [4_000, []],
      [3_600_000, [expect.stringMatching(/^The newest block is old.*60 min ago/)]],
    ] as const) {
      age = given
      await page.goto(`${site.origin}/explorer/status`)
      await page.locator('.lateness tbody tr').first().waitFor()
      expect([age, await page.locator('.old-block').allTextContents()]).toEqual([age, [...words]])
      expect(await opened.shifts()).toBe(0)
    }
    expect(await opened.violations()).toEqual([])
  })

  test('behavior: a page appears whose code an earlier visit has requested', async () => {
    await using opened = await open('/', '.feeds tbody tr')
    const { page } = opened
    const go = (name: string) => page.getByRole('banner').getByRole('link', { name }).click()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\.js$/, async (route) => {
      await released
      await route.continue()
    })
    const requested = page.waitForRequest(/\.js$/)
    await go('Calendar')
    const code = (await requested).url()
    // Until the clock runs again, the second visit is drawn, but requests nothing.
    await page.clock.pauseAt(Date.now() + 60_000)
    await go('Feeds')
    await go('Calendar')
    release()
    await page.evaluate((url) => import(url), code)
    await page.clock.resume()
    await page.locator('.day summary').first().waitFor()
    expect(opened.faults).toEqual([])
  })

  /** What the API answers with, or that it does not yet, and what the page then says. */
  const answers = [
    [null, /^Loading/],
    [502, 'The chain cannot be read'],
    [503, 'The server is busy'],
  ] as const

  test.each(pages.slice(0, 4))(
    'behavior: $path says that it loads, that the chain cannot be read, that the server is busy',
    async ({ path }) => {
      await using opened = await openPage('about:blank')
      const { page } = opened
      for (const [status, words] of answers) {
        await page.route(/\/(v1\/|ready|metrics)/, (route) =>
          status === null ? undefined : route.fulfill({ status, json: { error: 'a word of the server' } }),
        )
        await page.goto(`${site.origin}${path}`)
        await page.locator('main').getByText(words).first().waitFor({ state: 'attached' })
        // A busy server differs from the one before by its words alone.
        if (status !== 503) expect(await opened.violations()).toEqual([])
      }
    },
  )

  test('behavior: each page shows that a registry has no feeds', async () => {
    await using empty = await startSite(await createRegistryChain({ feeds: 0 }))
    await using opened = await openPage('about:blank')
    for (const [path, words] of [
      ['/', 'No feed is registered yet'],
      ['/explorer/feeds/DIESEL', 'This feed does not exist.'],
      ['/explorer/calendar', 'No release is known.'],
      ['/explorer/status', 'No feed'],
    ] as const) {
      await opened.page.goto(`${empty.origin}${path}`)
      await opened.page.locator('main').getByText(words).first().waitFor()
      expect([path, ...(await opened.violations())]).toEqual([path])
    }
  })

  test.each(pages)(
    'default: $path on paper has no controls, and is black on white',
    async ({ path, shown }) => {
      const hasChart = path === '/explorer/feeds/DIESEL'
      await using opened = await openPage(`${site.origin}${path}`, { colorScheme: 'dark', width: 718 })
      const { page } = opened
      await page.locator(shown).first().waitFor()
      // The chart appears after the headline, when the history is read.
      if (hasChart) await page.locator('canvas').waitFor()
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      const colors = await page.evaluate(() => {
        const { backgroundColor, color } = getComputedStyle(document.documentElement)
        return [backgroundColor, color]
      })
      expect(colors).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)'])
      const controls = page
        .locator('nav, input, select, textarea, figure + .chart-tools')
        .filter({ visible: true })
      expect([await controls.count(), await opened.overflow()]).toEqual([0, 0])
      expect(await page.locator('canvas').filter({ visible: true }).count()).toBe(hasChart ? 1 : 0)
    },
  )
})
