import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'bun'
import { createMetrics } from '../../../src/server/metrics.ts'
import { inventDataset, inventLeaves, ROUTE } from '../series/inventedDataset.ts'
import { ask, createTestApp } from '../testApp.ts'

const app = createTestApp()

/** Chromium's headers for a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

const askPage = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(app, path, { method, headers: { accept: BROWSER, ...headers } })

const page = await (await askPage('/')).text()
const assets = [...page.matchAll(/(?:src|href)="(\/explorer\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')

const POLICY =
  "default-src 'self'; connect-src 'self' https://api.eia.gov; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('GET /', () => {
  test.each([
    [BROWSER, 'text/html;charset=utf-8'],
    ['text/html', 'text/html;charset=utf-8'],
    ['text/*', 'text/html;charset=utf-8'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html;q=0.5, application/json', 'application/json'],
    ['', 'application/json'],
    ['nonsense', 'application/json'],
  ])('default: Accept: %p gets %s, and caches store both separately', async (accept, type) => {
    const { status, headers } = await ask(app, '/', { headers: { accept } })
    expect([status, headers.get('content-type'), headers.get('vary')?.split(',')[0]]).toEqual([
      200,
      type,
      'Accept',
    ])
  })
})

test('default: every page has its content for browsers without JavaScript', async () => {
  for (const [path, words] of [
    ['/', 'All feeds with their newest values'],
    ['/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY', '<span class="number">3.04938</span>'],
    ['/explorer/nowhere', 'There is no page at this address.'],
  ] as const) {
    const html = await (await askPage(path)).text()
    expect(html).toMatch(/<div id="explorer"><\/div>\s*<noscript><header/)
    expect(html).toContain(words)
  }
})

describe('NOTICE', () => {
  test('default: it stands above the page, as text', async () => {
    const noticed = createTestApp({ notice: 'Invented <b>figures</b> & $& texts' })
    const text = await (await ask(noticed, '/explorer/how', { headers: { accept: BROWSER } })).text()
    expect(text).toContain(
      '<aside class="server-notice">Invented &lt;b&gt;figures&lt;/b&gt; &amp; $&amp; texts</aside>',
    )
    expect(page).not.toContain('<aside')
  })
})

describe('a page of the explorer', () => {
  test.each([
    '/',
    '/explorer',
    '/explorer/',
    '/explorer/feeds',
    '/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY',
    '/explorer/datasets',
    '/explorer/how/',
  ])('default: %s is the page, with its policy', async (path) => {
    const { status, headers } = await askPage(path)
    expect([status, Object.fromEntries(headers)]).toEqual([
      200,
      expect.objectContaining({
        'cache-control': 'no-cache',
        'content-security-policy': POLICY,
        'content-type': 'text/html;charset=utf-8',
        etag: expect.stringMatching(/^"[0-9a-f]{16}"$/),
        'referrer-policy': 'no-referrer',
        vary: 'Accept, Accept-Encoding',
        'x-content-type-options': 'nosniff',
      }),
    ])
  })

  test.each([
    ['/explorer/a/b/c', 'unknown_path'],
    ['/explorer/stats', 'unknown_path'],
    ['/explorer/feeds/a/b', 'unknown_path'],
    ['/explorer/feeds/a%2Fb', 'feed_not_found'],
  ])('error: %s is a 404 as the page, with its policy, which no cache keeps', async (path, code) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await askPage(path, { 'if-none-match': '*' }, method)
      expect([status, Object.fromEntries(headers)]).toEqual([
        404,
        expect.objectContaining({
          'cache-control': 'no-store',
          'content-security-policy': POLICY,
          'content-type': 'text/html;charset=utf-8',
          'access-control-allow-origin': '*',
          'x-robots-tag': 'noindex',
          'x-wattfeed-error': code,
        }),
      ])
      expect(headers.get('etag')).toBeNull()
    }
    expect(await (await askPage(path)).text()).toContain('<div id="explorer"></div>')
  })

  test('behavior: nothing in it but text and links to assets', () => {
    expect(page).not.toMatch(/<style|<script(?! type="module" crossorigin src=")|\son\w+=|style=|https?:/)
    expect(assets.map((path) => path.replace(/-[0-9a-z]{8}\./, '-HASH.')).toSorted()).toEqual([
      '/explorer/assets/favicon-HASH.svg',
      '/explorer/assets/index-HASH.css',
      '/explorer/assets/index-HASH.js',
    ])
  })

  test.each([
    ['/', ['/v1/feeds']],
    ['/explorer/feeds/', ['/v1/feeds']],
    ['/explorer/feeds/a%2Fb', ['feedPage', 'index', 'plot']],
    ['/explorer/datasets', ['datasetsPage', 'index']],
    ['/explorer/calendar', ['calendarPage', 'index']],
    ['/explorer/status/', ['statusPage', 'index']],
    ['/explorer/how', ['howPage', 'index']],
    ['/explorer/nowhere', []],
  ])('behavior: the Link header of %s preloads its next files, which exist', async (path, names) => {
    const link = (await askPage(path)).headers.get('link') ?? ''
    const asked = [...link.matchAll(/<([^>]+)>; rel=(?:modulepreload|preload; as=fetch; crossorigin)/g)]
    const paths = asked.map(([, each = '']) => each)
    // The number of shared chunks depends on the bundler.
    const found = new Set(paths.map((each) => each.replace(/^\/explorer\/assets\/(\w+)-.*/, '$1')))
    expect(found).toEqual(new Set(names))
    for (const each of paths) expect((await ask(app, each)).status).toBe(200)
  })

  test('behavior: If-None-Match is a 304; HEAD has no body; other methods are 405', async () => {
    const etag = (await askPage('/explorer')).headers.get('etag') ?? ''
    expect((await askPage('/explorer', { 'if-none-match': etag })).status).toBe(304)
    expect((await askPage('/explorer', {}, 'HEAD')).headers.get('etag')).toBe(etag)
    expect((await askPage('/explorer', {}, 'POST')).status).toBe(405)
    expect((await askPage('/explorer/%ff')).status).toBe(400)
  })
})

describe('an asset of the explorer', () => {
  test('default: cached forever, and compressed once', async () => {
    for (const path of assets) {
      const plain = await ask(app, path)
      expect([plain.status, plain.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
      const gzip = await ask(app, path, { headers: { 'accept-encoding': 'gzip' } })
      const text = await plain.text()
      if (gzip.headers.get('content-encoding') === null) expect(text.length).toBeLessThan(1_000)
      else expect(new TextDecoder().decode(gunzipSync(await gzip.bytes()))).toBe(text)
    }
  })

  test('default: the icon has the address that browsers guess, too', async () => {
    const { status, headers } = await ask(app, '/favicon.ico')
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  })

  test('error: an unknown one is a 404, not the page', async () => {
    const { status, headers } = await askPage('/explorer/assets/index-00000000.js')
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json'])
  })

  test('behavior: a first view loads less than 50 kB compressed', async () => {
    const sizes = ['/', ...assets].map(async (path) => {
      const answer = await askPage(path, { 'accept-encoding': 'gzip' })
      return (await answer.bytes()).length
    })
    const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
    expect(sum).toBeLessThan(50_000)
  })
})

test('behavior: requests are counted by three patterns, whatever the rest of the path', async () => {
  const metrics = createMetrics()
  const counted = createTestApp({ metrics })
  for (const path of [
    '/explorer',
    '/explorer/',
    '/explorer/how',
    '/explorer/feeds/a',
    '/explorer/assets/a.js',
    '/explorer/assets/',
  ])
    await ask(counted, path)
  const text = await (await ask(counted, '/metrics')).text()
  expect(
    [...text.matchAll(/seconds_count\{endpoint="([^"]*)"[^}]*status="(\d+)"\} (\d+)/g)].map((each) =>
      each.slice(1),
    ),
  ).toEqual([
    ['/explorer', '200', '1'],
    ['/explorer/*', '200', '2'],
    ['/explorer/*', '404', '2'],
    ['/explorer/assets/:name', '404', '1'],
  ])
})

describe('the page of a series that does not exist', () => {
  const wti = {
    route: ROUTE,
    frequency: 'weekly',
    column: 'value',
    'facet.area': 'NUS',
    'facet.product': 'EPCWTI',
  }

  test.each([
    [{}, 200, null, 'The newest values'],
    [{ column: 'price' }, 404, 'series_absent', `column=price: the columns of ${ROUTE} are value`],
    [{ 'facet.state': 'CA' }, 404, 'series_absent', `the facets of ${ROUTE} are area, product`],
    [{ frequency: 'Weekly' }, 404, 'series_absent', `the frequencies of ${ROUTE} are weekly`],
    [{ 'facet.product': 'EPCWTI2' }, 404, 'series_absent', 'did you mean EPCWTI'],
    [{ route: 'coal' }, 404, 'dataset_not_found', `attested are ${ROUTE} weekly`],
    // It may have been attested since.
    [{ as_of: '2001-01-01' }, 200, null, 'says why'],
    [{ column: '<img src=x>' }, 404, 'series_absent', 'column=&quot;&lt;img src=x&gt;&quot;'],
  ])('behavior: %j', async (changes, status, code, words) => {
    using dataset = await inventDataset([inventLeaves(['EPCBRENT', 'EPCWTI'], 3)])
    const app = createTestApp({ client: dataset.client, datasets: [dataset.place] })
    const path = `/explorer/series?${new URLSearchParams({ ...wti, ...changes })}`
    const response = await ask(app, path, { headers: { accept: BROWSER } })
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([status, code])
    const [, content = ''] = (await response.text()).split(/<\/?noscript>/)
    expect(content).toContain(words)
  })
})
