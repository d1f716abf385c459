import { expect, test } from 'bun:test'
import { listen } from '../../src/server/listen.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { createTestApp } from './testApp.ts'

test.skipIf(!hasBrowser)(
  'default: the page shows every operation and asks no other origin',
  async () => {
    const host = '127.0.0.1'
    const listener = listen({ fetch: createTestApp().fetch, port: 0, host, deadlineMs: 10_000 })
    const origin = `http://${host}:${listener.port}`
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      const asked: string[] = []
      const faults: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      page.on('pageerror', (error) => faults.push(String(error)))
      await page.goto(`${origin}/openapi/`)
      await page.locator('.opblock-summary').nth(11).waitFor()
      const shown = await page.locator('.opblock-summary-path').allTextContents()
      expect(shown.map((path) => path.replaceAll('\u200b', '')).toSorted()).toEqual(
        [
          '/',
          '/health',
          '/metrics',
          '/ready',
          '/v1/datasets',
          '/v1/feeds',
          '/v1/feeds.csv',
          '/v1/feeds/{id}',
          '/v1/feeds/{id}/history',
          '/v1/feeds/{id}/proof',
          '/v1/feeds/{id}/provenance',
          '/v1/readings',
        ].toSorted(),
      )
      expect(asked).toContain(`${origin}/openapi/json`)
      expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([])
      expect(faults).toEqual([])
    } finally {
      await browser.close()
      await listener.close()
    }
  },
  60_000,
)
