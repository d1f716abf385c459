import { expect, test } from 'bun:test'
import { listen } from '../../src/server/listen.ts'
import { openPage } from '../explorer/support/openPage.ts'
import { hasBrowser } from '../support/browser.ts'
import { createTestApp } from './testApp.ts'

test.skipIf(!hasBrowser)(
  'default: the page shows every operation, asks no other origin, and keeps to its policy',
  async () => {
    const host = '127.0.0.1'
    const listener = listen({ fetch: createTestApp().fetch, port: 0, host, deadlineMs: 10_000 })
    const origin = `http://${host}:${listener.port}`
    try {
      await using opened = await openPage(`${origin}/openapi/`)
      const { page, faults, foreign } = opened
      await page.locator('.opblock-summary').nth(22).waitFor()
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
          '/v1/feeds.csv-metadata.json',
          '/v1/feeds/{id}',
          '/v1/feeds/{id}/history',
          '/v1/feeds/{id}/history.csv',
          '/v1/feeds/{id}/history.csv-metadata.json',
          '/v1/feeds/{id}/history.parquet',
          '/v1/feeds/{id}/history/{index}/proof',
          '/v1/feeds/{id}/proof',
          '/v1/feeds/{id}/provenance',
          '/v1/feeds/{id}/status',
          '/v1/history.csv',
          '/v1/history.csv-metadata.json',
          '/v1/history.parquet',
          '/v1/readings',
          '/v1/status',
          '/v1/stream',
        ].toSorted(),
      )
      // The contents stay closed until requested, and may need more of the policy.
      expect(await opened.violations()).toEqual([])
      await page.locator('#operations-feeds-listFeeds .opblock-summary-control').click()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByRole('button', { name: 'Execute' }).click()
      await page.getByText('Response headers').waitFor()
      await opened.look(async (look) => {
        expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
      })
      expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
        'Feeds',
        'Datasets',
        'Status',
        'How it works',
        'API',
      ])
      expect(foreign.filter((url) => !url.startsWith('data:'))).toEqual([])
      expect(faults).toEqual([])
      const policy = (await fetch(`${origin}/openapi`)).headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/script-src 'self' 'sha256-[^']+'; style-src 'self';/)
      expect(policy).not.toContain('unsafe')
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      await page.emulateMedia({ colorScheme: 'light' })
      expect(await background()).toBe('rgb(252, 252, 250)')
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await background()).toBe('rgb(18, 21, 23)')
    } finally {
      await listener.close()
    }
  },
)
