import { afterAll, describe, expect, test } from 'bun:test'
import { listen } from '../../../src/server/listen.ts'
import { places } from '../../../src/web/site/places.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { type RawAnswer, sendLine } from '../rawRequest.ts'
import { createTestApp, createTestLog } from '../testApp.ts'

/** Chromium's header for a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const ID = 'EIA.X'
const { log, lines } = createTestLog()
const client = createFakeClient({ readings: [readingOf({ feed_id: ID })] })
const { fetch: answer } = createTestApp({ client, log, notice: 'Invented <b>figures</b>' })
const listener = listen({ fetch: answer, port: 0, host: '127.0.0.1', deadlineMs: 10_000 })
afterAll(() => listener.close())

/** Sends a request over HTTP; without `accept`, it has no such header. */
const send = (target: string, accept: string | null = BROWSER, method = 'GET') =>
  sendLine(
    listener.port,
    `${method} ${target}`,
    `Host: localhost\r\n${accept === null ? '' : `Accept: ${accept}\r\n`}`,
  )

const withoutDate = ({ date: _, ...headers }: RawAnswer['headers']) => headers

const locationOf = async (target: string): Promise<string | number> => {
  const { status, headers } = await send(target)
  return status === 302 ? (headers.location ?? '') : status
}

describe('a page’s path without /explorer, in a browser', () => {
  test.each([
    ['/status', '/explorer/status'],
    ['/calendar', '/explorer/calendar'],
    ['/datasets', '/explorer/datasets'],
    ['/how', '/explorer/how'],
    ['/feeds', '/'],
    ['/feeds/', '/'],
    ['/status/', '/explorer/status'],
    ['/feeds?q=wti&sort=title', '/?q=wti&sort=title'],
    [`/feeds/${ID}`, `/explorer/feeds/${ID}`],
    [`/feeds/${ID}/?compare=a%26b#proof`, `/explorer/feeds/${ID}?compare=a%26b`],
    ['/feeds/nope', '/explorer/feeds/nope'],
    ['/feeds/a%2Fb', '/explorer/feeds/a%2Fb'],
    ['/feeds/a%2fb%20%3F%23%25', '/explorer/feeds/a%2Fb%20%3F%23%25'],
    ['/feeds/%C3%A9', '/explorer/feeds/%C3%A9'],
    ['/feeds/é?q=é', '/explorer/feeds/%C3%A9?q=%C3%A9'],
    ['/feeds/%252e%252e', '/explorer/feeds/%252e%252e'],
    ['/feeds/%0d%0aX:1', '/explorer/feeds/%0D%0AX%3A1'],
  ])('default: %s leads to %s, which is a page', async (target, location) => {
    const { status, headers, body } = await send(target)
    expect([status, headers.location, headers.vary, headers['cache-control'], body]).toEqual([
      302,
      location,
      'Accept',
      'no-cache',
      '',
    ])
    const page = await send(location)
    // The server need not know the feed: its page says that it does not exist.
    const isKnown = !location.startsWith('/explorer/feeds/') || location.includes(ID)
    expect([page.status, page.headers['content-type']]).toEqual([
      isKnown ? 200 : 404,
      'text/html;charset=utf-8',
    ])
  })

  test('behavior: no redirect leads elsewhere', async () => {
    for (const target of ['/feeds//evil.example', '//evil.example/feeds', '/feeds/a/b', '/Status'])
      expect([target, await locationOf(target)]).toEqual([target, 404])
  })

  test('behavior: HEAD is answered as GET, without a body', async () => {
    const { status, headers, body } = await send(`/feeds/${ID}`, BROWSER, 'HEAD')
    expect([status, headers.location, headers.vary, body]).toEqual([
      302,
      `/explorer/feeds/${ID}`,
      'Accept',
      '',
    ])
  })
})

describe('an unknown path, in a browser', () => {
  test.each(['/nope', '/v2/feeds', '/docs/nope', '/v1x', '/healthy'])(
    'default: %s is a 404 as a page with links',
    async (target) => {
      const { status, headers, body } = await send(target)
      expect([status, headers]).toEqual([
        404,
        expect.objectContaining({
          'content-type': 'text/html;charset=utf-8',
          vary: 'Accept',
          'cache-control': 'no-store',
          'x-wattfeed-error': 'unknown_path',
          'access-control-allow-origin': '*',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        }),
      ])
      expect(body).toContain(`<code>${target}</code>`)
      for (const [href, name] of places) expect(body).toContain(`<dt><a href="${href}">${name}</a></dt><dd>`)
      expect(body).not.toContain('<dd></dd>')
      expect(body).toContain('<aside class="server-notice">Invented &lt;b&gt;figures&lt;/b&gt;</aside>')
    },
  )

  test.each([
    ['/stats', '/explorer/status', 'Status'],
    ['/feeds/a/b', '/', 'Feeds'],
    ['/Docs/nope', '/docs', 'Docs'],
  ])('behavior: %s suggests the nearest page', async (target, href, name) => {
    expect((await send(target)).body).toContain(`<p>Did you mean <a href="${href}">${name}</a>?</p>`)
  })

  test('behavior: the links lead to pages', async () => {
    const { body } = await send('/nope')
    const addresses = new Set([...body.matchAll(/<a[^>]* href="([^"]+)"/g)].map(([, href = '']) => href))
    expect(addresses.size).toBe(places.length)
    for (const href of addresses) expect([href, (await send(href)).status]).toEqual([href, 200])
  })

  test('behavior: HEAD has the headers without the body', async () => {
    const [head, get] = [await send('/nope', BROWSER, 'HEAD'), await send('/nope')]
    expect([head.status, withoutDate(head.headers), head.body]).toEqual([404, withoutDate(get.headers), ''])
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.body)))
  })

  test('behavior: the path is shown as text, and no longer than 200 characters', async () => {
    expect((await send("/<b>'&")).body).toContain('<code>/%3Cb%3E&#x27;&amp;</code>')
    expect((await send(`/${'a'.repeat(5_000)}`)).body).toContain(`<code>/${'a'.repeat(199)}…</code>`)
  })

  test('behavior: its style is allowed by its policy, and nothing else is inline', async () => {
    const { headers, body } = await send('/nope')
    const [, css = ''] = /<style>(.*)<\/style>/s.exec(body) ?? []
    const hash = new Bun.CryptoHasher('sha256').update(css).digest('base64')
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'sha256-${hash}'`)
    expect(body).not.toMatch(/<script|\son\w+=|\sstyle=/)
  })

  test('behavior: requests are logged with the status that was sent', async () => {
    await send('/seen')
    await send('/feeds/seen')
    await send('/seen', null)
    const seen = lines.filter(({ fields }) => String(fields.path).endsWith('/seen'))
    expect(seen.map(({ fields }) => fields.status)).toEqual([404, 302, 404])
  })
})

const unknown = (path: string) => JSON.stringify({ error: `unknown path ${path}; GET / lists all endpoints` })

describe('programs', () => {
  const accepts: [accept: string | null, isPage: boolean][] = [
    [null, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['application/*', false],
    ['text/plain', false],
    ['image/png', false],
    ['nonsense', false],
    ['application/json, text/html;q=0.9', false],
    ['text/html;q=0.5, application/json', false],
    ['text/html;q=0.8, */*', false],
    ['text/html;q=0', false],
    ['text/html;q=0, */*;q=0.1', false],
    ['text/html;q=0.3, application/json;q=0.4, */*;q=0.9', false],
    ['text/html', true],
    ['TEXT/HTML', true],
    ['text/*', true],
    ['text/html;q=0.001', true],
    ['application/json;q=0.5, text/html;q=0.6', true],
    ['text/html, */*;q=0.9', true],
    [BROWSER, true],
  ]
  for (const [accept, isPage] of accepts)
    test(`behavior: Accept: ${accept} gets ${isPage ? 'pages' : 'JSON'}`, async () => {
      for (const target of ['/nope', '/status', '/feeds', `/feeds/${ID}`]) {
        const { status, headers, body } = await send(target, accept)
        expect([target, headers.vary]).toEqual([target, 'Accept'])
        if (isPage) expect([target, status]).toEqual([target, target === '/nope' ? 404 : 302])
        else
          expect([status, headers['content-type'], headers.location, body]).toEqual([
            404,
            'application/json',
            undefined,
            unknown(target),
          ])
      }
    })

  test.each([
    '/v1',
    '/v1/',
    '/v1/nope',
    '/v1/feeds/a/b',
    '/v1//feeds',
    '/%76%31/nope',
    '/health/x',
    '/explorer/assets/x.js',
  ])('behavior: %s is JSON, whatever the client prefers', async (target) => {
    const [asked, plain] = [await send(target), await send(target, null)]
    expect([asked.status, asked.body]).toEqual([404, unknown(target)])
    expect([withoutDate(asked.headers), asked.body]).toEqual([withoutDate(plain.headers), plain.body])
    expect(asked.headers.vary).toBeUndefined()
  })

  test.each([
    '/v1/feeds',
    `/v1/feeds/${ID}`,
    '/v1/feeds/nope',
    '/v1/datasets?q=cushing',
    '/health',
    '/health/',
  ])('behavior: %s is the same for browsers, byte for byte', async (target) => {
    const [asked, plain] = [await send(target), await send(target, null)]
    const { date: _, ...headers } = asked.headers
    const { date: __, ...plainHeaders } = plain.headers
    expect([asked.status, headers, asked.body]).toEqual([plain.status, plainHeaders, plain.body])
    expect(headers['content-type']).toBe('application/json')
  })

  test('behavior: other methods and malformed paths get JSON', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, body } = await send('/status', BROWSER, method)
      expect([method, status, body]).toEqual([method, 404, unknown('/status')])
    }
    expect((await send('/', BROWSER, 'POST')).status).toBe(405)
    const malformed = await send('/feeds/%zz')
    expect([malformed.status, malformed.headers['content-type']]).toEqual([400, 'application/json'])
  })
})
