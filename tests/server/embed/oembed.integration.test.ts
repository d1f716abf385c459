import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { hostileText } from '../../web/chart/hostileText.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const ID = 'EIA.NG.PRICE.HENRYHUB.DAILY'
const ORIGIN = 'https://feeds.example.com'
const app = createTestApp({ publicUrl: ORIGIN })

const pathOf = (url: string, more = ''): string => `/oembed?url=${encodeURIComponent(url)}${more}`

const PAGE = `${ORIGIN}/explorer/feeds/${ID}`

describe('GET /oembed', () => {
  test('default: a rich answer with the code of the chart and its picture', async () => {
    const { status, body } = await answerOf(app, pathOf(PAGE))
    expect([status, body]).toEqual([
      200,
      {
        version: '1.0',
        type: 'rich',
        title: 'NG PRICE HENRYHUB DAILY',
        provider_name: 'wattfeed',
        provider_url: `${ORIGIN}/`,
        html: `<iframe src="${ORIGIN}/embed/feeds/${ID}" title="NG PRICE HENRYHUB DAILY" width="640" height="440" loading="lazy" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" style="border:0"></iframe>`,
        width: 640,
        height: 440,
        thumbnail_url: `${ORIGIN}/v1/feeds/${ID}/chart.png`,
        thumbnail_width: 1_200,
        thumbnail_height: 630,
      },
    ])
  })

  test.each([`${PAGE}/`, `${PAGE}?range=1#proof`, `${ORIGIN}/embed/feeds/${ID}?theme=dark`])(
    'behavior: %s is the same feed',
    async (url) => {
      expect((await answerOf(app, pathOf(url))).body.html).toContain(`/embed/feeds/${ID}"`)
    },
  )

  test('behavior: maxwidth and maxheight limit the code, and leave out a larger picture', async () => {
    const { body } = await answerOf(app, pathOf(PAGE, '&maxwidth=300&maxheight=200'))
    expect(body).toMatchObject({
      width: 300,
      height: 200,
      html: expect.stringContaining('width="300" height="200"'),
    })
    expect(body).not.toHaveProperty('thumbnail_url')
  })

  test('behavior: parameters that editors add are ignored, as those of WordPress', async () => {
    const { status, body } = await answerOf(
      app,
      pathOf(PAGE, '&maxwidth=500&maxheight=750&dnt=1&format=json'),
    )
    expect([status, body.width]).toEqual([200, 500])
  })

  test('behavior: format=xml, with the texts of strangers escaped', async () => {
    const client = createFakeClient({ readings: [readingOf({ title: ']]></title><x>&\u0001' })] })
    const hostile = createTestApp({ publicUrl: ORIGIN, client })
    const response = await ask(hostile, pathOf(PAGE, '&format=xml'))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/xml;charset=utf-8'])
    const xml = await response.text()
    expect(xml).toStartWith(
      '<?xml version="1.0" encoding="utf-8" standalone="yes"?><oembed><version>1.0</version>',
    )
    expect(xml).toContain('<title>]]&gt;&lt;/title&gt;&lt;x&gt;&amp;\\u{1}</title>')
    expect(xml).toContain('<html>&lt;iframe src=&quot;')
    expect([...xml.matchAll(/<(?!\/|\?)([a-z_]+)/g)].map(([, name]) => name)).toEqual([
      'oembed',
      'version',
      'type',
      'title',
      'provider_name',
      'provider_url',
      'html',
      'width',
      'height',
      'thumbnail_url',
      'thumbnail_width',
      'thumbnail_height',
    ])
  })

  test('default: hostile texts change no element of the XML, which has no forbidden character', async () => {
    const elementsOf = (xml: string) => xml.match(/<[^>]*>/g)
    const askXml = async (title: string) => {
      const client = createFakeClient({ readings: [readingOf({ title })] })
      return (await ask(createTestApp({ publicUrl: ORIGIN, client }), pathOf(PAGE, '&format=xml'))).text()
    }
    const expected = elementsOf(await askXml('A'))
    await fc.assert(
      fc.asyncProperty(hostileText, async (title) => {
        const xml = await askXml(title)
        expect(elementsOf(xml)).toEqual(expected)
        expect(xml).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]|&(?!(amp|lt|gt|quot|#x27);)/u)
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ['https://other.example.com/explorer/feeds/A', 404, 'oembed_url'],
    [`${ORIGIN}/`, 404, 'oembed_url'],
    [`${ORIGIN}/explorer/status`, 404, 'oembed_url'],
    ['no address', 404, 'oembed_url'],
    [`${ORIGIN}.evil.example/explorer/feeds/A`, 404, 'oembed_url'],
    [`${ORIGIN}/explorer/feeds/NOPE`, 404, 'feed_not_found'],
  ])('error: %s is a %d', async (url, status, code) => {
    const response = await ask(app, pathOf(url))
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([status, code])
  })

  test.each([
    ['&format=yaml', 501, 'oembed_format'],
    ['&maxwidth=0', 400, 'query'],
    ['&format=json&format=json', 400, 'query'],
  ])('error: %s is a %d', async (more, status, code) => {
    const response = await ask(app, pathOf(PAGE, more))
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([status, code])
  })

  test('error: without PUBLIC_URL it is a 404 that names the setting, whatever the Host is', async () => {
    const { status, body } = await answerOf(createTestApp(), pathOf(PAGE), {
      headers: { host: 'feeds.example.com' },
    })
    expect([status, body.error]).toEqual([404, expect.stringContaining('PUBLIC_URL')])
  })
})

describe('the page of a feed', () => {
  const headers = { accept: 'text/html' }

  test('default: its head names the answers for editors, which exist', async () => {
    const html = await (await ask(app, `/explorer/feeds/${ID}`, { headers })).text()
    const links = [...html.matchAll(/type="([^"]+oembed)"[^>]*href="([^"]+)"/g)]
    expect(links.map(([, type]) => type)).toEqual(['application/json+oembed', 'text/xml+oembed'])
    for (const [, , href = ''] of links)
      expect((await ask(app, href.replaceAll('&amp;', '&').replace(ORIGIN, ''))).status).toBe(200)
  })

  test('behavior: without PUBLIC_URL it names none', async () => {
    expect(await (await ask(createTestApp(), `/explorer/feeds/${ID}`, { headers })).text()).not.toContain(
      'oembed',
    )
  })
})
