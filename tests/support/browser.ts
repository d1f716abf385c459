import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Whether tests in a real browser can run here; `REQUIRE_CHROMIUM=1` makes them mandatory. */
export const hasBrowser = existsSync(executablePath) || process.env.REQUIRE_CHROMIUM === '1'

if (!hasBrowser) console.warn(`skipped: tests in a browser, because ${executablePath} does not exist`)

/** Starts a headless Chromium that talks to loopback only. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
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
}
