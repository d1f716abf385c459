import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { type Listener, listen } from '../../../src/server/listen.ts'
import { type OpenedPage, openPage } from '../../web/explorer/support/openPage.ts'
import { createTestApp } from '../testApp.ts'

const host = '127.0.0.1'
const paths = [
  '/calendar.ics',
  '/feed.atom',
  '/v1/calendar',
  '/',
  '/datapackage.json',
  '/dcat.jsonld',
  '/health',
  '/metrics',
  '/oembed',
  '/ready',
  '/v1/datasets',
  '/v1/datasets/attested',
  '/v1/datasets/codes',
  '/v1/feeds',
  '/v1/feeds.csv',
  '/v1/feeds.csv-metadata.json',
  '/v1/feeds.proof',
  '/v1/feeds/{id}',
  '/v1/feeds/{id}/attester',
  '/v1/feeds/{id}/chart.png',
  '/v1/feeds/{id}/chart.svg',
  '/v1/feeds/{id}/history',
  '/v1/feeds/{id}/history.csv',
  '/v1/feeds/{id}/history.csv-metadata.json',
  '/v1/feeds/{id}/history.parquet',
  '/v1/feeds/{id}/history.proof',
  '/v1/feeds/{id}/history/{index}/proof',
  '/v1/feeds/{id}/history/{index}/transaction',
  '/v1/feeds/{id}/proof',
  '/v1/feeds/{id}/provenance',
  '/v1/feeds/{id}/status',
  '/v1/history.csv',
  '/v1/history.csv-metadata.json',
  '/v1/history.parquet',
  '/v1/readings',
  '/v1/recent',
  '/v1/series',
  '/v1/series/history',
  '/v1/series/history.csv',
  '/v1/series/history.csv-metadata.json',
  '/v1/series/history.parquet',
  '/v1/series/history/proof',
  '/v1/series/proof',
  '/v1/series/revisions',
  '/v1/series/table',
  '/v1/series/table.csv',
  '/v1/series/table.csv-metadata.json',
  '/v1/series/table.parquet',
  '/v1/status',
  '/v1/stream',
]

describe.skipIf(!hasBrowser)('the page of the API', () => {
  let listener: Listener
  let origin: string
  let opened: OpenedPage
  beforeAll(async () => {
    listener = listen({ fetch: createTestApp().fetch, port: 0, host, deadlineMs: 10_000 })
    origin = `http://${host}:${listener.port}`
    opened = await openPage(`${origin}/openapi/`)
    await opened.page
      .locator('.opblock-summary')
      .nth(paths.length - 1)
      .waitFor()
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await listener.close()
  })

  test('default: shows every operation, with the links of the site', async () => {
    const { page } = opened
    const shown = await page.locator('.opblock-summary-path').allTextContents()
    expect(shown.map((path) => path.replaceAll('\u200b', '')).toSorted()).toEqual(paths.toSorted())
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Feeds',
      'Datasets',
      'Calendar',
      'Status',
      'How it works',
      'Docs',
      'API',
    ])
  })

  // What is inside stays closed until a user opens it, and may need more of the policy.
  test('behavior: a request can be sent, and the open operation is accessible at every width', async () => {
    const { page } = opened
    expect(await opened.violations()).toEqual([])
    await page.locator('#operations-feeds-listFeeds .opblock-summary-control').click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.getByText('Response headers').waitFor()
    await opened.look(async (look) => {
      // The page is long, so not at every look.
      const violations = look === '320 dark' || look === '1440 light' ? await opened.violations() : []
      expect([look, await opened.overflow(), ...violations]).toEqual([look, 0])
    })
    expect(opened.foreign.filter((url) => !url.startsWith('data:'))).toEqual([])
    expect(opened.faults).toEqual([])
  })

  test('default: its policy allows one inline script and no inline style', async () => {
    const policy = (await fetch(`${origin}/openapi`)).headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/script-src 'self' 'sha256-[^']+'; style-src 'self';/)
    expect(policy).not.toContain('unsafe')
  })

  test.each([
    ['light', 'rgb(252, 252, 250)'],
    ['dark', 'rgb(18, 21, 23)'],
  ] as const)('behavior: its colors follow the %s color scheme', async (colorScheme, color) => {
    const { page } = opened
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(color)
  })
})
