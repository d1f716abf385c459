import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { listen } from '../../../src/server/listen.ts'
import { type OpenedPage, openPage } from '../../web/explorer/support/openPage.ts'
import { createTestApp } from '../testApp.ts'

const HOST = '127.0.0.1'

describe.skipIf(!hasBrowser)('the documentation in Chromium', () => {
  let listener: ReturnType<typeof listen>
  let origin: string

  beforeAll(() => {
    const { fetch } = createTestApp({ notice: 'The figures are invented.' })
    listener = listen({ fetch, port: 0, host: HOST, deadlineMs: 60_000 })
    origin = `http://${HOST}:${listener.port}`
  })
  afterAll(() => listener?.close())

  const search = ({ page }: OpenedPage) => page.getByRole('combobox', { name: 'Search the documentation' })

  // All have the same frame, which the first checks at every width. Axe takes long for the tables of the others.
  test.each([
    ['/docs/read-a-feed', null],
    ['/docs', '1440 dark'],
    ['/docs/errors', '320 dark'],
    ['/docs/http', '1440 light'],
    ['/docs/library/wattfeed/Reads', '800 light'],
  ])('default: %s fits at every width, and is accessible', async (path, only) => {
    await using opened = await openPage(`${origin}${path}`)
    await search(opened).waitFor()
    // On a busy machine, a large page arrives in pieces, and moves by a hair. A reader notices 0.1.
    expect(await opened.shifts()).toBeLessThan(0.01)
    await opened.look(async (look) => {
      const violations = only === null || only === look ? await opened.violations() : []
      expect([look, await opened.overflow(), ...violations]).toEqual([look, 0])
    })
    expect([...opened.faults, ...opened.foreign]).toEqual([])
  })

  test.each([320, 1440])('default: the search leads to a section by the keyboard, %d wide', async (width) => {
    await using opened = await openPage(`${origin}/docs`, { width })
    const { page } = opened
    await search(opened).fill('feed')
    const options = page.getByRole('option')
    await options.first().waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await search(opened).getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowDown')
    const chosen = page.getByRole('option', { selected: true })
    expect(await search(opened).getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    expect([await opened.overflow(), ...(await opened.violations())]).toEqual([0])
    const address = (await chosen.getAttribute('href')) ?? ''
    expect(address).toStartWith(`${origin}/docs`)
    expect(address).not.toBe(await options.first().getAttribute('href'))
    await page.keyboard.press('Enter')
    await page.waitForURL(address)
    const target = page.locator(':target')
    expect(await target.evaluate((element) => getComputedStyle(element).backgroundColor)).not.toBe(
      'rgba(0, 0, 0, 0)',
    )
    expect([...opened.faults, ...opened.foreign]).toEqual([])
  })

  test.each([
    ['an error code, as a row of its table', 'feed_not_found', '/docs/errors#feed_not_found', 'tr:target'],
    ['a function, by its name', 'getReading', '/docs/library/wattfeed/Reads#getreading', ':target'],
  ])('default: the search finds %s first', async (_, words, address, target) => {
    await using opened = await openPage(`${origin}/docs`)
    const { page } = opened
    await search(opened).fill(words)
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${address}`)
    await page.locator(target).waitFor()
  })

  test('default: the search leads to a section by the pointer', async () => {
    await using opened = await openPage(`${origin}/docs`)
    const { page } = opened
    await search(opened).fill('old trusted blocks')
    const option = page.getByRole('option').first()
    await option.hover()
    // The option's edge, beside its text.
    await option.click({ position: { x: 3, y: 3 } })
    await page.waitForURL('**/docs/verify#old-trusted-blocks')
  })

  test('behavior: Escape closes the results, ArrowDown opens them again, and leaving the search closes them', async () => {
    await using opened = await openPage(`${origin}/docs`)
    const { page } = opened
    await search(opened).fill('decimals')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    expect(await search(opened).inputValue()).toBe('decimals')
    expect(await search(opened).getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
  })

  test.each([200, 503])(
    'behavior: an index that answers %d after the field is left shows nothing',
    async (status) => {
      await using opened = await openPage(`${origin}/docs`)
      const { page } = opened
      const { promise: left, resolve: leave } = Promise.withResolvers<void>()
      await page.route(/assets\/index-/, async (route) => {
        await left
        await (status === 200 ? route.continue() : route.fulfill({ status }))
      })
      await search(opened).fill('decimals')
      await page.keyboard.press('Tab')
      leave()
      // An answer to a later request comes after the one that the search waits for.
      await page.evaluate(async () => {
        const response = await fetch(document.querySelector('search')?.dataset.index ?? '')
        await response.text()
      })
      expect(await search(opened).getAttribute('aria-expanded')).toBe('false')
      expect(await page.getByRole('status').textContent()).toBe('')
    },
  )

  test('error: a word that no section has is named', async () => {
    await using opened = await openPage(`${origin}/docs`, { width: 320, colorScheme: 'dark' })
    const { page } = opened
    await search(opened).fill('xyzzyq')
    await page.getByRole('status').getByText('No section contains "xyzzyq".').waitFor()
    await page.keyboard.press('Enter')
    expect(await search(opened).getAttribute('aria-expanded')).toBe('false')
    expect([await opened.overflow(), ...(await opened.violations()), ...opened.faults]).toEqual([0])
  })

  test('error: an index that cannot be loaded is reported, and typing again loads it', async () => {
    await using opened = await openPage(`${origin}/docs`)
    const { page } = opened
    await page.route(/assets\/index-/, (route) => route.fulfill({ status: 503 }))
    await search(opened).fill('decimal')
    await page.getByText('The search index could not be loaded').waitFor()
    await page.unroute(/assets\/index-/)
    await search(opened).fill('decimals')
    await page.getByRole('option').first().waitFor()
  })

  test('behavior: without JavaScript, the page and the contents work, and the search is hidden', async () => {
    await using opened = await openPage(`${origin}/docs/errors`, { javaScriptEnabled: false })
    const { page } = opened
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor()
    expect(await page.locator('search').isVisible()).toBe(false)
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'HTTP API' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'HTTP API' }).waitFor()
    expect([...opened.faults, ...opened.foreign]).toEqual([])
  })

  test('behavior: the tab order starts with the skip link, which leads to the text', async () => {
    await using opened = await openPage(`${origin}/docs/errors`)
    const { page } = opened
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.locator(':focus').getAttribute('id')).toBe('main')
  })
})
