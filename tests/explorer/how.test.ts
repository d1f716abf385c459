import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { hasBrowser } from '../support/browser.ts'
import { createRegistryChain } from '../support/registryChain.ts'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

describe.skipIf(!hasBrowser)('how it works, in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite(await createRegistryChain({ feeds: 1 }))
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('default: it fits and is accessible at every width in both colour schemes', async () => {
    await using opened = await openPage(`${site.origin}/explorer/how`)
    await opened.page.getByRole('heading', { name: 'Whom you trust' }).waitFor()
    expect(await opened.shifts()).toBe(0)
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect([...opened.faults, ...opened.foreign]).toEqual([])
  })

  test('default: every document that it names is in the repository, and every link leads somewhere', async () => {
    await using opened = await openPage(`${site.origin}/explorer/how`)
    await opened.page.getByRole('heading', { name: 'Read on' }).waitFor()
    const files = await opened.page.locator('.docs code').allTextContents()
    expect(files.length).toBeGreaterThan(5)
    for (const file of files)
      expect([file, existsSync(new URL(`../../${file}`, import.meta.url))]).toEqual([file, true])
    const links = await opened.page
      .locator('main a')
      .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href))
    for (const link of new Set(links)) expect([link, (await fetch(link)).status]).toEqual([link, 200])
  })
})
