import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const WHOLE = '/usr/bin/chromium'
/** The same engine without windows and profiles. A new session costs half as much. */
const SHELL = '/usr/bin/chromium-headless-shell'

const shellOrWhole = existsSync(SHELL) ? SHELL : WHOLE
const executablePath = process.env.CHROMIUM_PATH ?? shellOrWhole

/** Whether tests in a real browser can run here; `REQUIRE_CHROMIUM=1` makes them mandatory. */
export const hasBrowser = existsSync(executablePath) || process.env.REQUIRE_CHROMIUM === '1'

if (!hasBrowser) console.warn(`skipped: tests in a browser, because ${executablePath} does not exist`)

/** Starts the Chromium of the tests, headless; it connects only to loopback. */
export const launchBrowser = (): Promise<Browser> => launch(executablePath)

/** Starts the Chromium that people use, headless, to measure its cost. */
export const launchWholeBrowser = (): Promise<Browser> => launch(process.env.CHROMIUM_PATH ?? WHOLE)

const launch = (path: string): Promise<Browser> =>
  chromium.launch({
    executablePath: path,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
