import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import type { CDPSession, Page } from 'playwright-core'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

type Points = readonly (readonly [x: number, y: number])[]

/** Puts fingers down, moves them in steps, and lifts them. */
async function gesture(cdp: CDPSession, from: Points, to: Points): Promise<void> {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: Points) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) })
  const between = (part: number): Points =>
    from.map(([x, y], index) => {
      const [endX, endY] = to[index] ?? [x, y]
      return [x + (endX - x) * part, y + (endY - y) * part]
    })
  await send('touchStart', from)
  for (const part of [0.25, 0.5, 0.75, 1]) await send('touchMove', between(part))
  await send('touchEnd', [])
}

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000

const dateAt = (url: string, end: 'from' | 'to'): string => new URL(url).searchParams.get(end) ?? ''

const daysInView = (page: Page): number => daysBetween(dateAt(page.url(), 'from'), dateAt(page.url(), 'to'))

describe.skipIf(!hasBrowser)('the chart under fingers, in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    const chain = await createRegistryChain({ feeds: 0 })
    chain.register('DIESEL', { title: 'Diesel', frequency: 'monthly' })
    for (let month = 1; month <= 12; month++) {
      chain.attest('DIESEL', { period: 202500 + month, amount: BigInt(month) })
      await chain.advance()
    }
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  /** Opens the feed's page on a phone, with its chart in the middle of the screen. */
  async function openChart(query = '') {
    const options = { width: 360, height: 640, hasTouch: true, isMobile: true }
    const opened = await openPage(`${site.origin}/explorer/feeds/DIESEL${query}`, options)
    const { page } = opened
    const chart = page.locator('.u-over')
    await chart.waitFor()
    await chart.evaluate((over) => over.scrollIntoView({ block: 'center' }))
    const box = await chart.boundingBox()
    if (box === null) throw new Error('the chart has no size')
    const at = (part: number, down = 0.5): [number, number] => [
      box.x + box.width * part,
      box.y + box.height * down,
    ]
    const cdp = await page.context().newCDPSession(page)
    return {
      page,
      at,
      faults: opened.faults,
      /** Moves fingers, and lets the page's timers run. */
      async move(from: Points, to: Points): Promise<void> {
        await gesture(cdp, from, to)
        await page.clock.fastForward(1_000)
      },
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    }
  }

  const zoomed = '?from=2025-05-01&to=2025-08-01'

  test('default: two fingers that move apart zoom the chart, and not the page', async () => {
    await using chart = await openChart()
    const { page, at } = chart
    await chart.move([at(0.45), at(0.55)], [at(0.25), at(0.75)])
    await page.waitForURL(/from=2025/)
    expect(daysInView(page)).toBeLessThan(150)
    expect(await page.evaluate(() => visualViewport?.scale)).toBe(1)
    expect(chart.faults).toEqual([])
  })

  test('behavior: two fingers that move together move a zoomed chart', async () => {
    await using chart = await openChart(zoomed)
    const { page, at } = chart
    const before = page.url()
    await chart.move([at(0.5), at(0.6)], [at(0.7), at(0.8)])
    // By a fifth of what it shows, as far as the fingers moved. A busy page may write an earlier position first.
    const isMoved = (url: URL) => {
      const days = daysBetween(dateAt(url.href, 'from'), dateAt(before, 'from'))
      return days >= 18 && days < 19
    }
    await page.waitForURL(isMoved)
    expect(daysInView(page)).toBeWithin(91.9, 92.1)
    expect(chart.faults).toEqual([])
  })

  test('behavior: one finger scrolls the page and leaves a zoomed chart as it is', async () => {
    await using chart = await openChart(zoomed)
    const { page, at } = chart
    const before = page.url()
    const top = await page.evaluate(() => scrollY)
    await chart.move([at(0.5, 0.8)], [at(0.5, 0.1)])
    await page.waitForFunction((top) => scrollY > top, top)
    expect([page.url(), ...chart.faults]).toEqual([before])
  })

  test('behavior: a tap shows the value there, and another one opens its period', async () => {
    await using chart = await openChart()
    const { page, at } = chart
    const story = page.getByRole('heading', { name: 'June 2025' })
    await page.touchscreen.tap(...at(5 / 11))
    await page.locator('.readout').getByText('June 2025').waitFor()
    await page.clock.fastForward(1_000)
    expect(await story.count()).toBe(0)
    // Beside the first one: otherwise it would be a double tap.
    const [x, y] = at(5 / 11)
    await page.touchscreen.tap(x, y + 60)
    await page.clock.fastForward(1_000)
    await story.waitFor()
    await page.waitForURL(/period=202506/)
    expect(chart.faults).toEqual([])
  })
})
