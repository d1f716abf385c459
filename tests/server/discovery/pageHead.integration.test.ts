import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { casperTest } from 'wattfeed'
import { describeFeed } from '../../../src/server/pages/describeFeed.ts'
import { formatTag } from '../../../src/server/pages/pageHead.ts'
import { describeSite } from '../../../src/server/publicSite.ts'
import { hostileText } from '../../web/chart/hostileText.ts'
import { createFakeClient, type FakeChain, readingOf } from '../fakeClient.ts'
import { ask, createTestApp, type TestAppOptions, TestChainError } from '../testApp.ts'

const development = { ...casperTest, chainName: 'wattfeed-demo' }
const publicUrl = 'https://feeds.example.com'
const FEED = '/explorer/feeds/EIA.NG.PRICE.HENRYHUB.DAILY'

const pageOf = async (path: string, options: TestAppOptions = {}) => {
  const response = await ask(createTestApp({ publicUrl, ...options }), path, {
    headers: { accept: 'text/html' },
  })
  const html = await response.text()
  return { robots: response.headers.get('x-robots-tag'), html, head: readHead(html) }
}

/** Reads the elements of a page's head as a browser does. */
function readHead(html: string) {
  const metas: Record<string, string> = {}
  const links: Record<string, string>[] = []
  const scripts: string[] = []
  let title = ''
  new HTMLRewriter()
    .on('head > title', {
      text({ text }) {
        title += text
      },
    })
    .on('head > meta[content]', {
      element(meta) {
        metas[meta.getAttribute('property') ?? meta.getAttribute('name') ?? ''] =
          meta.getAttribute('content') ?? ''
      },
    })
    .on('head > link', { element: (link) => void links.push(Object.fromEntries(link.attributes)) })
    .on('head > script[type="application/ld+json"]', { text: ({ text }) => void scripts.push(text) })
    .transform(html)
  return {
    title,
    metas,
    links,
    canonical: links.find(({ rel }) => rel === 'canonical')?.href,
    data: scripts.join(''),
  }
}

const chain = (fields: FakeChain) => ({ client: createFakeClient(fields) })

describe('a page of a feed', () => {
  test('default: its title, its newest value and its picture', async () => {
    const { head, robots } = await pageOf(FEED)
    expect(robots).toBeNull()
    expect(head).toMatchObject({ title: 'NG PRICE HENRYHUB DAILY · wattfeed', canonical: publicUrl + FEED })
    const newest =
      '3.04938 $/MMBtu for 20 Nov 2026. Attested on the Casper blockchain: verify it in your own browser.'
    expect(head.metas).toMatchObject({
      description: newest,
      'og:type': 'website',
      'og:site_name': 'wattfeed',
      'og:title': 'NG PRICE HENRYHUB DAILY',
      'og:description': newest,
      'og:url': publicUrl + FEED,
      'og:image': `${publicUrl}/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/chart.png`,
      'og:image:width': '1200',
      'og:image:height': '630',
      'og:image:alt': 'Chart of NG PRICE HENRYHUB DAILY in $/MMBtu',
      'twitter:card': 'summary_large_image',
    })
  })

  test('default: its data as a dataset of schema.org', async () => {
    const { head } = await pageOf(FEED)
    const files = `${publicUrl}/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/history`
    const agency = {
      '@type': 'GovernmentOrganization',
      name: 'U.S. Energy Information Administration',
      url: 'https://www.eia.gov/',
    }
    expect(JSON.parse(head.data)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Dataset',
      '@id': `${publicUrl}${FEED}#dataset`,
      name: 'NG PRICE HENRYHUB DAILY',
      description:
        'NG PRICE HENRYHUB DAILY, in $/MMBtu, frequency daily. Each value is attested on the Casper blockchain, with its revisions, and can be verified. Series series=RNGWHHD of natural-gas/pri/fut, column value',
      identifier: 'EIA.NG.PRICE.HENRYHUB.DAILY',
      url: publicUrl + FEED,
      isAccessibleForFree: true,
      includedInDataCatalog: {
        '@type': 'DataCatalog',
        '@id': `${publicUrl}/#catalog`,
        name: 'wattfeed',
        url: `${publicUrl}/`,
      },
      variableMeasured: { '@type': 'PropertyValue', name: 'NG PRICE HENRYHUB DAILY', unitText: '$/MMBtu' },
      measurementTechnique:
        'Statistics of the publisher, attested on the Casper blockchain by signed transactions',
      distribution: [
        { '@type': 'DataDownload', encodingFormat: 'text/csv', contentUrl: `${files}.csv` },
        {
          '@type': 'DataDownload',
          encodingFormat: 'application/vnd.apache.parquet',
          contentUrl: `${files}.parquet`,
        },
        { '@type': 'DataDownload', encodingFormat: 'application/json', contentUrl: files },
      ],
      temporalCoverage: '2026-11-20/2026-11-20',
      dateModified: '2026-11-20T09:58:46.426Z',
      creator: agency,
      publisher: agency,
      license: 'https://www.eia.gov/about/copyrights_reuse.php',
      creditText: 'Source: U.S. Energy Information Administration (EIA)',
      isBasedOn: 'https://www.eia.gov/opendata/browser/natural-gas/pri/fut',
    })
  })

  test('behavior: the dataset of another source names neither EIA nor its license', async () => {
    const { head } = await pageOf(FEED, chain({ readings: [readingOf({ source: 'somebody', route: '' })] }))
    const { creator, publisher, license, creditText, isBasedOn } = JSON.parse(head.data)
    expect([creator, publisher, license, creditText, isBasedOn]).toEqual(Array(5).fill(undefined))
  })

  test('behavior: hostile texts of the chain change no element of the page, and stay texts in its data', async () => {
    // Without JavaScript, a blank description takes no paragraph.
    const elementsOf = (html: string) =>
      html.replace(/<p class="lead description">.*?<\/p>/, '').match(/<\/?[a-z][\w-]*/gi)
    const expected = elementsOf((await pageOf(FEED)).html)
    const texts = fc.oneof(
      hostileText,
      fc.constantFrom('</script><script>alert(1)</script>', '</head>', '$& $1 <!--'),
    )
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, async (title, unit, description) => {
        const { html, head } = await pageOf(
          FEED,
          chain({ readings: [readingOf({ title, unit, description })] }),
        )
        expect(elementsOf(html)).toEqual(expected)
        expect(html).not.toMatch(/(?!\n)\p{Cc}|[\u202e\u2028\u2029]/u)
        const shown = describeFeed(
          readingOf({ title, unit, description }),
          null,
          describeSite(publicUrl, 'casper-test'),
        )
        expect(JSON.parse(head.data)).toMatchObject({
          name: shown.title,
          description: shown.description,
          variableMeasured: { unitText: shown.unit },
        })
      }),
      { numRuns: 40 },
    )
  })

  test('behavior: hidden characters of an id are escapes in its data', async () => {
    const feed_id = 'a\u202e\u200b\u3164\u{e0041}b'
    const { html, head } = await pageOf(
      `/explorer/feeds/${encodeURIComponent(feed_id)}`,
      chain({ readings: [readingOf({ feed_id, title: '' })] }),
    )
    expect(JSON.parse(head.data).identifier).toBe(feed_id)
    expect(html).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
  })

  test('behavior: without PUBLIC_URL it has no absolute address', async () => {
    const { head } = await pageOf(FEED, { publicUrl: null })
    expect(head.title).toBe('NG PRICE HENRYHUB DAILY · wattfeed')
    expect([head.canonical, head.metas['og:url'], head.metas['og:image'], head.data]).toEqual([
      undefined,
      undefined,
      undefined,
      '',
    ])
  })

  test.each([
    ['/explorer/feeds/EIA.NO.SUCH.FEED', 'EIA.NO.SUCH.FEED'],
    ['/explorer/nowhere', 'No such page'],
    ['/explorer/feeds/a/b', 'No such page'],
  ])(
    'behavior: search engines leave %s out, which nobody registered; its title is %s',
    async (path, title) => {
      const { head, robots } = await pageOf(path)
      expect([robots, head.metas.robots, head.canonical]).toEqual(['noindex', 'noindex', undefined])
      expect(head.title).toBe(`${title} · wattfeed`)
    },
  )

  test('error: if the node fails, the page is served without the facts, and stays in search engines', async () => {
    const failing = () => Promise.reject(new TestChainError('rpc_timeout'))
    for (const fields of [{ snapshot: failing }, { getReading: failing }]) {
      const { head, robots } = await pageOf(FEED, chain(fields))
      expect([robots, head.title, head.canonical, head.data]).toEqual([
        null,
        'EIA.NG.PRICE.HENRYHUB.DAILY · wattfeed',
        publicUrl + FEED,
        '',
      ])
    }
  })
})

describe('the other pages', () => {
  test('default: the home page is a catalog, under each of its paths', async () => {
    for (const path of ['/', '/explorer', '/explorer/feeds/']) {
      const { head } = await pageOf(path)
      expect([head.title, head.metas['og:title'], head.canonical, JSON.parse(head.data)]).toEqual([
        'Feeds · wattfeed',
        'wattfeed',
        `${publicUrl}/`,
        expect.objectContaining({
          '@type': 'DataCatalog',
          '@id': `${publicUrl}/#catalog`,
          url: `${publicUrl}/`,
        }),
      ])
      const others = head.links.filter(({ rel }) => rel === 'alternate').map(({ href }) => href)
      expect(others).toContain(`${publicUrl}/dcat.jsonld`)
      expect(others).toContain(`${publicUrl}/datapackage.json`)
    }
  })

  test.each([
    ['/explorer/datasets', 'Datasets · wattfeed'],
    ['/explorer/status/', 'Status · wattfeed'],
    ['/explorer/how', 'How it works · wattfeed'],
    ['/docs', 'Documentation · wattfeed'],
    ['/openapi', 'API · wattfeed'],
  ])('default: %s names its own address', async (path, title) => {
    const { head, robots } = await pageOf(path)
    expect([head.title, head.canonical, robots]).toEqual([title, publicUrl + path.replace(/\/$/, ''), null])
  })
})

describe('pages of a development chain', () => {
  test.each(['/', FEED, '/docs', '/docs/errors', '/openapi'])(
    'default: search engines leave %s out',
    async (path) => {
      const { robots, head } = await pageOf(path, { network: development })
      expect([robots, head.metas.robots, head.data]).toEqual(['noindex', 'noindex', ''])
    },
  )

  test('default: the preview of a feed says that the figures are invented, and does not name EIA', async () => {
    const { metas } = (await pageOf(FEED, { network: development })).head
    expect(metas['og:description']).toBe(
      '3.04938 $/MMBtu for 20 Nov 2026. Test data of a development chain: the figures are invented.',
    )
  })
})

test('behavior: any text is only the value of an attribute', () => {
  expect(formatTag('meta', { content: '"><script>&' })).toBe('<meta content="&quot;&gt;&lt;script&gt;&amp;">')
})
