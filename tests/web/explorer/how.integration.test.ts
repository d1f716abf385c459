import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

describe.skipIf(!hasBrowser)('how it works, in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite(await createRegistryChain({ feeds: 1 }))
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('default: it fits and is accessible at every width in both color schemes', async () => {
    await using opened = await openPage(`${site.origin}/explorer/how`)
    await opened.page.getByRole('heading', { name: 'What you trust' }).waitFor()
    expect(await opened.shifts()).toBe(0)
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect([...opened.faults, ...opened.foreign]).toEqual([])
  })

  test('default: every link leads to a page, and each fragment to a part of it', async () => {
    await using opened = await openPage(`${site.origin}/explorer/how`)
    await opened.page.getByRole('heading', { name: 'Documentation' }).waitFor()
    const links = await opened.page
      .locator('main a')
      .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href))
    expect(links.filter((link) => link.startsWith(`${site.origin}/docs`)).length).toBeGreaterThan(10)
    for (const link of new Set(links)) {
      const answer = await fetch(link)
      expect([link, answer.status]).toEqual([link, 200])
      const { hash } = new URL(link)
      if (hash !== '') expect(await answer.text()).toContain(` id="${hash.slice(1)}"`)
    }
  })
})
