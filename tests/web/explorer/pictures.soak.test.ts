import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { Page } from 'playwright-core'
import { explorerView, hasEncoder, recordExplorer } from '../../../scripts/recordExplorer.ts'
import { type Demo, startDemo, trustOptions } from '../../demo/demoProcess.ts'
import { listWebpDelays, MAX_ANIMATED_BYTES } from '../../support/webp.ts'
import { openPage } from './support/openPage.ts'

/**
 * Pictures of the demo for the documents: `PICTURES=1 bun test tests/web/explorer/pictures` writes them. Each shows the notice
 * that its figures are invented.
 */
const isWriting = process.env.PICTURES === '1'
const documents = fileURLToPath(new URL('../../../docs/pictures', import.meta.url))

const DIESEL = '/explorer/feeds/EIA.PET.PRICE.DIESEL_RETAIL.WEEKLY'

type Shot = readonly [
  name: string,
  path: string,
  scheme: 'light' | 'dark',
  ready: (page: Page) => Promise<unknown>,
]

const shots: readonly Shot[] = [
  ['feeds', '/', 'light', (page) => page.locator('.feeds .trend polyline').nth(8).waitFor()],
  ['feeds-dark', '/', 'dark', (page) => page.locator('.feeds .trend polyline').nth(8).waitFor()],
  ['feed', DIESEL, 'light', (page) => page.locator('canvas').first().waitFor()],
  ['datasets', '/explorer/datasets', 'light', (page) => page.getByRole('searchbox').first().waitFor()],
  [
    'status',
    '/explorer/status',
    'light',
    (page) => page.locator('main:not(:has(.loading)) table').first().waitFor(),
  ],
  ['how', '/explorer/how', 'light', (page) => page.locator('.locks .padlock').first().waitFor()],
]

describe.skipIf(!hasBrowser)('pictures of the demo', () => {
  let demo: Demo
  let announcement = ''
  let temporary: Folder
  let folder = documents

  beforeAll(async () => {
    temporary = createFolder()
    if (!isWriting) folder = temporary.path
    demo = startDemo()
    announcement = await demo.announcement
    // So that no value is missing: the agent has attested to all of them.
    await demo.until('EIA.', announcement.length)
  })
  afterAll(async () => {
    await demo?.[Symbol.asyncDispose]()
    temporary[Symbol.dispose]()
  })

  const urlOf = (path: string): string => `${/http:\S+/.exec(announcement)?.[0]}${path}`

  async function save(page: Page, name: string): Promise<void> {
    expect(await page.locator('.server-notice').textContent()).toContain('invented')
    const picture = await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' })
    expect(picture.length).toBeGreaterThan(10_000)
  }

  test.each(shots)('default: %s', async (name, path, colorScheme, ready) => {
    await using opened = await openPage(urlOf(path), { width: 1280, height: 860, colorScheme })
    await ready(opened.page)
    await save(opened.page, name)
    expect(opened.faults).toEqual([])
  })

  test('default: proof', async () => {
    await using opened = await openPage(urlOf(DIESEL), { width: 1280, height: 1000 })
    const { page } = opened
    await page.getByLabel('Trusted block hash').fill(trustOptions(announcement).join(' '))
    await page.getByRole('button', { name: 'Trust this and check' }).click()
    await page.locator('.verdict.is-checked').waitFor()
    await page.locator('#proof').evaluate((proof) => {
      proof.scrollIntoView({ block: 'start' })
      // The section above must not show below the notice.
      scrollBy(0, 16)
    })
    await save(page, 'proof')
  })

  test.skipIf(!hasEncoder)(
    'default: the explorer, animated, which scripts/recordExplorer.ts writes',
    async () => {
      const [address = ''] = /http:\S+#proof\S+/.exec(announcement) ?? []
      // With fewer pixels than the README's: 32 s instead of 50 in CI's soak.
      await using opened = await openPage(address, { ...explorerView, deviceScaleFactor: 1 })
      const picture = await recordExplorer(opened.page)
      expect(opened.faults).toEqual([])
      expect(picture.length).toBeWithin(10_000, MAX_ANIMATED_BYTES)
      expect(listWebpDelays(picture).length).toBeGreaterThan(5)
    },
  )
})
