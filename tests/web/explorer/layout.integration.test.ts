import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import type { Page } from 'playwright-core'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const TITLE = 'Electricity from natural gas, Lower 48'

/** An element that has the focus, in pixels of the page. */
interface Focused {
  name: string
  left: number
  right: number
  top: number
  bottom: number
}

/** Presses Tab through the whole page. Returns the elements inside of `main` that get the focus, in order. */
async function tabThrough(page: Page): Promise<Focused[]> {
  const focused: Focused[] = []
  await page.evaluate(() => scrollTo(0, 0))
  for (;;) {
    await page.keyboard.press('Tab')
    const next = await page.evaluate((): Focused | null => {
      const element = document.activeElement
      if (!element?.closest('main')) return null
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const name = `${element.tagName} ${element.textContent?.slice(0, 40) || element.getAttribute('aria-label')}`
      return { name, left, right, top: top + scrollY, bottom: bottom + scrollY }
    })
    if (next !== null) focused.push(next)
    else if (focused.length > 0) return focused
  }
}

describe.skipIf(!hasBrowser)('the layout in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    const chain = await createRegistryChain()
    chain.register('GRID', {
      title: TITLE,
      frequency: 'hourly',
      route: 'electricity/rto/fuel-type-data',
      description: 'eia:value;megawatthours;fueltype=NG',
    })
    for (const [hour, amount] of [1n, 2n, 3n].entries()) {
      chain.attest('GRID', { period: 1_795_345_200 + hour * 3_600, amount })
      await chain.advance()
    }
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  async function openFeed(width: number) {
    const opened = await openPage(`${site.origin}/explorer/feeds/GRID`, { width })
    await opened.page.locator('.values tbody tr').nth(2).waitFor()
    await opened.page.getByRole('button', { name: 'Find it' }).waitFor()
    await opened.page.getByRole('heading', { name: 'The row at EIA' }).waitFor()
    return opened
  }

  test('default: on a narrow screen a feed’s values come before its proof and provenance', async () => {
    await using opened = await openFeed(390)
    const { page } = opened
    const topOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN
    const order = ['.headline-value', 'figure', '.values', '#proof', '.provenance', '.use']
    const tops = await Promise.all(order.map(topOf))
    expect(tops).toEqual(tops.toSorted((one, other) => one - other))
    expect(new Set(tops).size).toBe(order.length)
  })

  test.each([
    [390, false],
    [1280, true],
  ])('default: the keyboard follows the eye, %d wide', async (width, hasColumns) => {
    await using opened = await openFeed(width)
    const focused = await tabThrough(opened.page)
    expect(focused.length).toBeGreaterThan(25)
    const backwards = focused.flatMap((next, index) => {
      const last = focused[index - 1]
      if (last === undefined || next.top >= last.bottom - 1) return []
      // On the same line to the right, or at the top of the second column.
      const isBeside = next.bottom > last.top || (hasColumns && next.left >= width / 2)
      return isBeside && next.left >= last.left ? [] : [`${last.name} → ${next.name}`]
    })
    expect(backwards).toEqual([])
  })

  test('behavior: the list shows an hour whole at every width', async () => {
    await using opened = await openPage(site.origin)
    const { page } = opened
    const period = page.locator('.feeds td .period')
    await page.locator('.feeds td .badge').waitFor()
    expect(await period.textContent()).toBe('hour ending 22 Nov 2026, 13:00 UTC')
    const row = page.locator('.feeds tbody tr')
    for (const width of [320, 390, 800, 1000, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      for (const part of [period, row])
        expect([
          width,
          await part.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [
            scrollWidth > clientWidth,
            scrollHeight > clientHeight,
          ]),
        ]).toEqual([width, [false, false]])
    }
  })

  test('behavior: on a narrow screen a title of the status takes the room that there is', async () => {
    await using opened = await openPage(`${site.origin}/explorer/status`, { width: 390 })
    const title = opened.page.locator('.lateness th a')
    await title.waitFor()
    const { width = 0 } = (await title.boundingBox()) ?? {}
    expect(width).toBeGreaterThan(230)
  })

  test('default: an unknown address is a page that fits and is accessible at every width in both color schemes', async () => {
    await using opened = await openPage(`${site.origin}/no/such/${'page'.repeat(40)}`)
    const { page } = opened
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    await page.getByRole('main').getByRole('link', { name: 'Calendar' }).click()
    await page.waitForURL(`${site.origin}/explorer/calendar`)
  })

  test('default: a feed’s short address leads to its page', async () => {
    await using opened = await openPage(`${site.origin}/feeds/GRID?from=2026-11-01`)
    await opened.page.getByRole('heading', { name: TITLE }).waitFor()
    expect(opened.page.url()).toBe(`${site.origin}/explorer/feeds/GRID?from=2026-11-01`)
    expect(opened.faults).toEqual([])
  })
})
