import { launchWholeBrowser } from '@wattfeed/testing/browser'
import type { Browser, Page } from 'playwright-core'
import { syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { longHistory, serveHistory } from '../../tests/web/explorer/support/longHistory.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import { type Plan, someFeeds } from '../plan.ts'
import type { Row } from '../table.ts'

const MOST_LOADS = 10

/** Measures the explorer in Chromium: its first view, a keystroke in a long list, and a chart of a long history. */
export async function measureExplorer(plan: Plan): Promise<Row[]> {
  const browser = await launchWholeBrowser()
  try {
    return [
      await measureFirstView(browser, plan),
      await measureKeystroke(browser, plan),
      await measureDrawing(browser, plan),
    ]
  } finally {
    await browser.close()
  }
}

/** Milestones of the first view, in milliseconds after the navigation started. */
interface FirstView {
  html: number
  /** The script and the values have arrived. */
  loaded: number
  /** The first rows are visible. */
  rows: number
  /** The list has been filtered by a search word. */
  reacted: number
}

async function measureFirstView(browser: Browser, { rounds }: Plan): Promise<Row> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: 0 })
  await using server = await startBenchServer(chain)
  // Builds the explorer and reads the list.
  await loadOnce(browser, server.url)
  const views: FirstView[] = []
  for (let round = 0; round < Math.min(rounds, MOST_LOADS); round++)
    views.push(await loadOnce(browser, server.url))
  const msOf = (step: keyof FirstView, share: number): number =>
    percentile(
      views.map((view) => view[step]),
      share,
    )
  const p50Ms = msOf('reacted', 0.5)
  const steps = (['html', 'loaded', 'rows'] as const).map(
    (step) => `${step} ${Math.round(msOf(step, 0.5))} ms`,
  )
  return {
    name: `explorer, from a new session's first request to a list of ${someFeeds} feeds that can be searched`,
    p50Ms,
    p99Ms: msOf('reacted', 0.99),
    other: `at best ${Math.round(msOf('reacted', 0))} ms; ${steps.join(', ')}`,
    target: '300 ms',
    reached: p50Ms <= 300,
  }
}

async function loadOnce(browser: Browser, url: string): Promise<FirstView> {
  await using context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(observeFirstView)
  await page.goto(url, { waitUntil: 'commit' })
  // Awaited here, because the session ends on return.
  return await page.evaluate(() => (globalThis as unknown as { firstView: Promise<FirstView> }).firstView)
}

/** Runs in the page before the page's own scripts. */
function observeFirstView(): void {
  const loadedAt = (): number =>
    Math.max(
      ...performance
        .getEntriesByType('resource')
        .filter(({ name }) => /\.js$|\/v1\/feeds$/.test(name))
        .map((entry) => (entry as PerformanceResourceTiming).responseEnd),
    )
  const view: FirstView = { html: 0, loaded: 0, rows: 0, reacted: 0 }
  const firstView = new Promise<FirstView>((resolve) => {
    const observer = new MutationObserver(() => {
      const input = document.querySelector<HTMLInputElement>('input[type=search]')
      if (view.rows === 0 && input !== null && document.querySelector('.feeds tbody tr') !== null) {
        const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
        Object.assign(view, { html: navigation?.responseEnd, loaded: loadedAt(), rows: performance.now() })
        input.value = 'matches no feed'
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }
      if (view.rows === 0 || document.querySelector('.is-empty') === null) return
      observer.disconnect()
      resolve({ ...view, reacted: performance.now() })
    })
    observer.observe(document, { childList: true, subtree: true })
  })
  Object.assign(globalThis, { firstView })
}

async function measureKeystroke(browser: Browser, { manyFeeds, rounds }: Plan): Promise<Row> {
  await using chain = await startChainProcess({ feeds: manyFeeds, delayMs: 0 })
  await using server = await startBenchServer(chain)
  await using context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  const page = await context.newPage()
  await page.goto(server.url)
  await page.locator('.feeds tbody tr').first().waitFor()
  const times: number[] = []
  // Each key leaves fewer matches; clearing the search restores all feeds.
  for (const words of Array.from(
    { length: Math.min(rounds, MOST_LOADS) },
    (_, index) => ['1', '12', ''][index % 3],
  ))
    times.push(await untilDrawn(page, 'input[type=search]', { value: words ?? '' }))
  const p50Ms = percentile(times, 0.5)
  return {
    name: `explorer, a keystroke in the search over ${manyFeeds.toLocaleString('en-US')} feeds, until its frame is drawn`,
    p50Ms,
    p99Ms: percentile(times, 0.99),
    target: '50 ms',
    reached: p50Ms <= 50,
  }
}

async function measureDrawing(browser: Browser, { manyValues, rounds }: Plan): Promise<Row> {
  await using chain = await startChainProcess({ feeds: 1, delayMs: 0 })
  await using server = await startBenchServer(chain)
  await using context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  const page = await context.newPage()
  await serveHistory(page, syntheticFeedId(0), longHistory(manyValues))
  // A view that starts before the newest values needs all of them.
  await page.goto(`${server.url}/explorer/feeds/${syntheticFeedId(0)}?from=1990-01-01&to=2030-01-01`)
  await page
    .getByText(`${manyValues.toLocaleString('en-US')} values, by period`)
    .waitFor({ timeout: 120_000 })
  const times: number[] = []
  for (let round = 0; round < Math.min(rounds, MOST_LOADS); round++) {
    await untilDrawn(page, 'figure', { key: '+' })
    times.push(await untilDrawn(page, 'figure', { key: 'Escape' }))
  }
  const p50Ms = percentile(times, 0.5)
  return {
    name: `explorer, a chart of ${manyValues.toLocaleString('en-US')} values, from the key that shows all until its frame is drawn`,
    p50Ms,
    p99Ms: percentile(times, 0.99),
    target: '100 ms',
    reached: p50Ms <= 100,
  }
}

/** Returns the milliseconds from a key press or an input to the end of the frame that shows its effect. */
function untilDrawn(
  page: Page,
  selector: string,
  input: { key: string } | { value: string },
): Promise<number> {
  return page.evaluate(
    async ([selector, input]) => {
      const element = document.querySelector<HTMLInputElement>(selector)
      if (element === null) throw new Error(`no ${selector}`)
      // Starts with a fresh frame.
      await new Promise(requestAnimationFrame)
      await new Promise((resolve) => setTimeout(resolve))
      const start = performance.now()
      if ('value' in input) element.value = input.value
      element.dispatchEvent(
        'value' in input
          ? new Event('input', { bubbles: true })
          : new KeyboardEvent('keydown', { key: input.key, bubbles: true }),
      )
      // The effect is rendered before the frame, which ends before the next message.
      await new Promise((resolve) => setTimeout(resolve))
      await new Promise(requestAnimationFrame)
      await new Promise<void>((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => resolve()
        port2.postMessage(null)
      })
      return performance.now() - start
    },
    [selector, input] as const,
  )
}
