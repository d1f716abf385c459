import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@wattfeed/testing/browser'
import type axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/**
 * Widths in pixels, of a small phone, a tablet and a desktop. A color scheme changes nothing but colors (`tokens.css`,
 * `chart.css`), so the widest layout, which hides nothing, is enough to compare both.
 */
const looks = [
  [320, 'dark'],
  [800, 'light'],
  [1440, 'light'],
  [1440, 'dark'],
] as const

export interface PageOptions extends BrowserContextOptions {
  /** @default 1440 */
  width?: number
  /** @default 900 */
  height?: number
}

/** A page, and its errors. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page
  /** Errors of the console and of scripts, and violations of the Content-Security-Policy. */
  readonly faults: readonly string[]
  /** Requests to other origins. */
  readonly foreign: readonly string[]
  /** The sum of the layout shifts, which is 0 if nothing moved. */
  shifts(): Promise<number>
  /** How many pixels the page is wider than the screen. */
  overflow(): Promise<number>
  /** Calls `check` at every width and in both color schemes, with the name of the look: '320 dark'. */
  look(check: (look: string) => Promise<void>): Promise<void>
  /** Describes what axe-core finds against WCAG 2.2 AA and good practice. */
  violations(): Promise<string[]>
}

// All test files share it. It ends with the process.
let browser: Promise<Browser> | null = null

/**
 * Opens an address in a fresh session of the shared browser.
 *
 * @example
 * ```ts
 * await using opened = await openPage(`${site.origin}/`, { width: 360, colorScheme: 'dark' })
 * await opened.page.getByRole('link', { name: 'Diesel' }).click()
 * expect(opened.faults).toEqual([])
 * ```
 */
export async function openPage(url: string, options: PageOptions = {}): Promise<OpenedPage> {
  const { width = 1440, height = 900, ...rest } = options
  browser ??= launchBrowser()
  const context = await (await browser).newContext({ viewport: { width, height }, ...rest })
  // For a machine ten times slower.
  context.setDefaultTimeout(240_000)
  const page = await context.newPage()
  const faults: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`${message.text()} (${message.location().url})`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) foreign.push(request.url())
  })
  // The clock runs normally, and a test can advance it: `page.clock.fastForward(5_000)`.
  await page.clock.install()
  await page.addInitScript(observe)
  await page.goto(url)
  return {
    page,
    faults,
    foreign,
    shifts: () => page.evaluate(() => (globalThis as unknown as Observed).layoutShifts),
    overflow: () => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth)),
    async look(check) {
      for (const [width, colorScheme] of looks) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme })
        await check(`${width} ${colorScheme}`)
      }
    },
    violations: () => findViolations(page),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

interface Observed {
  layoutShifts: number
}

/** Runs in the page, before its own scripts. */
function observe(): void {
  const observed = globalThis as unknown as Observed
  observed.layoutShifts = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
    })[])
      if (!entry.hadRecentInput) observed.layoutShifts += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error(`the policy refused ${violatedDirective}: ${blockedURI}`),
  )
}

/** Minified, which the browser reads in half the time. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

async function findViolations(page: Page): Promise<string[]> {
  // The debugger's evaluation is not subject to the page's policy.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // Run every rule, but describe only violations.
    const { violations } = await run(document, { resultTypes: ['violations'], selectors: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
    )
  })
}
