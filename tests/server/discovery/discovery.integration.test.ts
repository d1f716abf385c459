import { describe, expect, test } from 'bun:test'
import { casperTest } from 'wattfeed'
import { describeFeed } from '../../../src/server/pages/describeFeed.ts'
import { readPage } from '../../support/snippets.ts'
import { createFakeClient, type FakeChain, readingOf } from '../fakeClient.ts'
import { ask, createTestApp, type TestAppOptions, TestChainError } from '../testApp.ts'

const publicUrl = 'https://feeds.example.com'
const development = { ...casperTest, chainName: 'wattfeed-demo' }
const files = ['/datapackage.json', '/dcat.jsonld', '/sitemap.xml']

const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

const appOf = (chain: FakeChain = {}, options: TestAppOptions = {}) =>
  createTestApp({ publicUrl, client: createFakeClient(chain), ...options })

const readJson = async (path: string, app = appOf()) => (await ask(app, path)).json()

/** The addresses and times of a sitemap that has nothing else. */
function pagesIn(xml: string): { url: string; lastmod: string | undefined }[] {
  const [, pages = ''] =
    /^<\?xml version="1.0" encoding="UTF-8"\?><urlset xmlns="http:\/\/www.sitemaps.org\/schemas\/sitemap\/0.9">(.*)<\/urlset>$/.exec(
      xml,
    ) ?? []
  const page = /<url><loc>([^<]+)<\/loc>(?:<lastmod>([^<]+)<\/lastmod>)?<\/url>/g
  expect(pages.replaceAll(page, '')).toBe('')
  return [...pages.matchAll(page)].map(([, url = '', lastmod]) => ({ url, lastmod }))
}

describe.each(files)('GET %s', (path) => {
  test('default: it has an ETag, and says at which state root it was read', async () => {
    const { status, headers } = await ask(appOf(), path)
    expect([status, headers.get('cache-control'), headers.get('x-robots-tag')]).toEqual([
      200,
      'no-cache',
      null,
    ])
    expect(headers.get('x-casper-state-root')).toMatch(/^[0-9a-f]{64}$/)
    const etag = headers.get('etag') ?? ''
    expect((await ask(appOf(), path, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('behavior: CACHE_MAX_AGE_S applies', async () => {
    const { headers } = await ask(appOf({}, { cacheMaxAgeS: 60 }), path)
    expect(headers.get('cache-control')).toBe('public, max-age=60')
  })

  test('error: without PUBLIC_URL it is a 404 that names the setting', async () => {
    const response = await ask(appOf({}, { publicUrl: null }), path)
    expect([response.status, response.headers.get('x-wattfeed-error'), await response.json()]).toEqual([
      404,
      'public_url_unset',
      { error: expect.stringContaining('PUBLIC_URL') },
    ])
  })

  test('behavior: on a development chain, search engines leave it out', async () => {
    const { headers } = await ask(appOf({}, { network: development }), path)
    expect(headers.get('x-robots-tag')).toBe('noindex')
  })

  test('error: if the node fails, it is a 502', async () => {
    const snapshot = () => Promise.reject(new TestChainError('rpc_timeout'))
    expect((await ask(appOf({ snapshot }), path)).status).toBe(502)
  })

  test('behavior: no character of a stranger is invisible or changes the reading direction', async () => {
    const text = 'a\u202e\u200b\u3164\u{e0041}b'
    const readings = [readingOf({ feed_id: text, title: text, unit: text, description: text })]
    expect(await (await ask(appOf({ readings }), path)).text()).not.toMatch(HIDDEN)
  })

  test('behavior: a feed without a page is left out', async () => {
    const readings = ['', '.', '..', 'A/B'].map((feed_id) => readingOf({ feed_id }))
    const text = await (await ask(appOf({ readings }), path)).text()
    expect([text.includes('/feeds/.'), text.includes('/feeds//'), text.includes('A%2FB')]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('GET /datapackage.json', () => {
  test('default: the newest values and each history, with types and units', async () => {
    const { resources, ...about } = await readJson('/datapackage.json')
    expect(about).toEqual({
      $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
      name: 'wattfeed',
      title: 'wattfeed',
      description: expect.stringContaining('Casper'),
      homepage: `${publicUrl}/`,
      keywords: ['energy', 'statistics', 'United States'],
      sources: [{ title: 'U.S. Energy Information Administration', path: 'https://www.eia.gov/' }],
    })
    const [feeds, history] = resources
    expect([feeds.name, feeds.path]).toEqual(['feeds', `${publicUrl}/v1/feeds.csv`])
    expect(history).toMatchObject({
      name: 'eia.ng.price.henryhub.daily',
      path: `${publicUrl}/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/history.csv`,
      title: 'NG PRICE HENRYHUB DAILY',
      licenses: [{ name: 'other-pd', path: 'https://www.eia.gov/about/copyrights_reuse.php' }],
    })
    const value = history.schema.fields.find(({ name }: { name: string }) => name === 'value')
    expect(value).toMatchObject({ type: 'number', unit: '$/MMBtu' })
  })

  test('behavior: names are unique', async () => {
    const readings = ['a b', 'A.B', 'a.b', 'a-b', 'feeds', 'µ'].map((feed_id) => readingOf({ feed_id }))
    const { resources } = await readJson('/datapackage.json', appOf({ readings }))
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      'feeds',
      'a-b',
      'a.b',
      'a.b-2',
      'a-b-2',
      'feeds-2',
      '-',
    ])
  })
})

describe('GET /dcat.jsonld', () => {
  test('default: the dataset of a page has the address that the page names', async () => {
    const { 'dcat:dataset': datasets, ...catalog } = await readJson('/dcat.jsonld')
    const page = `${publicUrl}/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY`
    expect(catalog).toMatchObject({ '@id': `${publicUrl}/#catalog`, '@type': 'dcat:Catalog' })
    expect(datasets).toEqual([
      expect.objectContaining({
        '@id': `${page}#dataset`,
        'dct:identifier': 'EIA.NG.PRICE.HENRYHUB.DAILY',
        'dct:accrualPeriodicity': {
          '@id': 'http://publications.europa.eu/resource/authority/frequency/DAILY',
        },
        'dct:publisher': expect.objectContaining({ '@id': 'https://www.eia.gov/' }),
      }),
    ])
  })

  test('behavior: first values are read once per chain', async () => {
    const client = createFakeClient({ stateRootHash: () => crypto.randomUUID() })
    let reads = 0
    const counted: typeof client = {
      ...client,
      withSnapshot: (read) =>
        client.withSnapshot((at) =>
          read({
            ...at,
            listReadings: async () => [readingOf()],
            getValueAt(feedId, index) {
              reads++
              return at.getValueAt(feedId, index)
            },
          }),
        ),
    }
    const app = createTestApp({ publicUrl, client: counted })
    for (const path of ['/dcat.jsonld', '/dcat.jsonld', '/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY'])
      expect((await ask(app, path)).status).toBe(200)
    expect(reads).toBe(1)
  })

  test('error: a node that fails once does not fail later requests for the same list', async () => {
    const readings = [readingOf()]
    const client = createFakeClient({ readings })
    let isFailing = true
    const failing: typeof client = {
      ...client,
      withSnapshot: (read) =>
        client.withSnapshot((at) =>
          read({
            ...at,
            listReadings: async () => readings,
            logs: () => (isFailing ? Promise.reject(new TestChainError('rpc_timeout')) : at.logs()),
          }),
        ),
    }
    const app = createTestApp({ publicUrl, client: failing })
    expect((await ask(app, '/dcat.jsonld')).status).toBe(502)
    isFailing = false
    expect((await ask(app, '/dcat.jsonld')).status).toBe(200)
  })
})

test('behavior: periods may be attested in any order; a feed covers all days between the first and the newest one', () => {
  const site = { origin: publicUrl, isPublicChain: true }
  const { coverage } = describeFeed(readingOf({ period: 20_261_118 }), 20_261_120, site)
  expect(coverage).toEqual({ start: '2026-11-18', end: '2026-11-20' })
})

describe('a development chain', () => {
  test.each(['/datapackage.json', '/dcat.jsonld'])(
    'default: %s says that the figures are invented, and names neither EIA nor its license',
    async (path) => {
      const app = appOf({}, { network: development })
      const text = await (await ask(app, path)).text()
      expect(text.match(/Test data of a development chain: the figures are invented\./g)).toHaveLength(2)
      expect(text).not.toMatch(/eia\.gov|Energy Information|licen[sc]e|publisher/i)
    },
  )
})

describe('GET /sitemap.xml', () => {
  test('default: every page, feeds with the time of their newest value', async () => {
    const response = await ask(appOf(), '/sitemap.xml')
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    const pages = pagesIn(await response.text())
    const timeOf = (path: string) => pages.find(({ url }) => url === publicUrl + path)?.lastmod ?? null
    const time = '2026-11-20T09:58:46.426Z'
    expect([timeOf('/'), timeOf('/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY')]).toEqual([time, time])
    const paths = pages.map(({ url }) => url.slice(publicUrl.length))
    for (const path of [
      '/explorer/datasets',
      '/explorer/status',
      '/explorer/how',
      '/openapi',
      '/docs',
      '/docs/http',
    ])
      expect(paths).toContain(path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const path of paths) {
      const { status, headers } = await ask(appOf(), path, { headers: { accept: 'text/html' } })
      expect([path, status, headers.get('x-robots-tag')]).toEqual([path, 200, null])
    }
  })

  test('behavior: more than 50,000 pages are in several files', async () => {
    const readings = Array.from({ length: 50_001 }, (_, index) => readingOf({ feed_id: `F${index}` }))
    const app = appOf({ readings })
    const main = await (await ask(app, '/sitemap.xml')).text()
    const parts = [...main.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) =>
      url.slice(publicUrl.length),
    )
    expect(parts).toEqual(['/sitemap/0', '/sitemap/1'])
    const counts: number[] = []
    for (const part of parts) counts.push((await (await ask(app, part)).text()).split('<loc>').length - 1)
    expect(counts[0]).toBe(50_000)
    expect(counts[1]).toBeGreaterThan(1)
    expect((await ask(app, '/sitemap/2')).status).toBe(404)
  })

  test('behavior: an address with the signs of XML is escaped', async () => {
    const readings = [readingOf({ feed_id: `A&B<'">` })]
    const pages = pagesIn(await (await ask(appOf({ readings }), '/sitemap.xml')).text())
    expect(pages.at(-1)?.url).toBe(`${publicUrl}/explorer/feeds/A%26B%3C&#x27;%22%3E`)
  })

  test('behavior: a feed whose address is too long is left out', async () => {
    const readings = [readingOf({ feed_id: 'x'.repeat(2_048) })]
    expect(await (await ask(appOf({ readings }), '/sitemap.xml')).text()).not.toContain('xxx')
  })
})

describe('docs/deploy.md', () => {
  const [, section = ''] = readPage('docs/deploy.md').split('## Be found')
  const addresses = [...section.matchAll(/^\| `(\/[^`]+)` \|/gm)].map(([, path = '']) => path)
  const query: Record<string, string> = {
    '/oembed': `?url=${encodeURIComponent(`${publicUrl}/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY`)}`,
  }

  test('default: each address of its table needs PUBLIC_URL, and answers with it', async () => {
    expect(addresses).toEqual(['/sitemap.xml', '/datapackage.json', '/dcat.jsonld', '/feed.atom', '/oembed'])
    for (const address of addresses) {
      const path = `${address}${query[address] ?? ''}`
      expect([path, (await ask(appOf(), path)).status]).toEqual([path, 200])
      const without = await ask(appOf({}, { publicUrl: null }), path)
      expect([path, without.headers.get('x-wattfeed-error')]).toEqual([path, 'public_url_unset'])
    }
  })
})

describe('GET /robots.txt', () => {
  test.each([
    ['a public chain', {}, `User-agent: *\nDisallow: /v1/stream\n\nSitemap: ${publicUrl}/sitemap.xml\n`],
    ['no PUBLIC_URL', { publicUrl: null }, 'User-agent: *\nDisallow: /v1/stream\n'],
    ['a development chain', { network: development }, 'User-agent: *\nDisallow: /v1/stream\n'],
  ])('default: %s', async (_, options, text) => {
    const response = await ask(appOf({}, options), '/robots.txt')
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      text,
    ])
  })
})
