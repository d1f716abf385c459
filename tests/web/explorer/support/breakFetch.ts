import type { Page } from 'playwright-core'

/** Makes the page's next request to a path that ends like this throw at once, as no unreachable server does. */
export const breakFetch = (page: Page, pathEnd: string): Promise<void> =>
  page.evaluate((pathEnd) => {
    const { fetch } = window
    const broken = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      if (!String(input).replace(/\?.*/, '').endsWith(pathEnd)) return fetch(input, init)
      window.fetch = fetch
      throw new Error('fetch is broken')
    }
    window.fetch = Object.assign(broken, { preconnect: () => {} })
  }, pathEnd)
