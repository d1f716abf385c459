import { describe, expect, test } from 'bun:test'
import { movedPages } from '../../../src/web/docs/movedPages.ts'
import { ask, createTestApp } from '../testApp.ts'

const app = createTestApp()
const page = await (await ask(app, '/docs')).text()

describe('GET /docs', () => {
  test.each(['/docs', '/docs/', '/docs/errors', '/docs/errors/'])('default: %s is a page', async (path) => {
    const { status, headers } = await ask(app, path)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html;charset=utf-8',
      'no-cache',
    ])
    expect(headers.get('content-security-policy')).toStartWith("default-src 'self'")
  })

  test('behavior: If-None-Match with the ETag of a page is a 304', async () => {
    const etag = (await ask(app, '/docs')).headers.get('etag') ?? ''
    expect((await ask(app, '/docs', { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('behavior: assets may be cached forever', async () => {
    const [, asset = ''] = /href="(\/docs\/assets\/[^"]+)"/.exec(page) ?? []
    const { status, headers } = await ask(app, asset)
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  })

  test.each([...movedPages])(
    'behavior: /docs/%s, which an old link may name, leads to %s',
    async (from, to) => {
      const { status, headers } = await ask(app, `/docs/${from}`)
      expect([status, headers.get('location')]).toEqual([301, `/docs/${to}`])
      const [path = '', fragment] = to.split('#')
      const target = await ask(app, `/docs/${path}`)
      expect(target.status).toBe(200)
      if (fragment !== undefined) expect(await target.text()).toContain(` id="${fragment}"`)
    },
  )

  test.each(['/docs/nope', '/docs/assets/nope.js', '/docs/a/b'])('error: %s is a 404', async (path) => {
    const { status, headers } = await ask(app, path)
    expect([status, headers.get('x-wattfeed-error')]).toEqual([404, 'unknown_path'])
  })

  test('behavior: the notice is above the page, as text', async () => {
    const noticed = createTestApp({ notice: 'Invented <b>figures</b>' })
    expect(await (await ask(noticed, '/docs/errors')).text()).toContain(
      '<body><aside class="server-notice">Invented &lt;b&gt;figures&lt;/b&gt;</aside>',
    )
  })
})

test('behavior: an error links to its explanation', async () => {
  const { headers } = await ask(app, '/v1/feeds/NOPE')
  expect(headers.get('link')).toBe('</docs/errors#feed_not_found>; rel="help"')
  expect(await (await ask(app, '/docs/errors')).text()).toContain('<tr id="feed_not_found">')
})
