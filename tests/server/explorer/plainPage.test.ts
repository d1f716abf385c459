import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { withPlainPage } from '../../../src/server/explorer/plainPage.ts'
import { readPageFacts } from '../../../src/server/pages/pageFacts.ts'
import { describeSite } from '../../../src/server/publicSite.ts'
import { hostileText } from '../../web/chart/hostileText.ts'
import { createFakeClient, type FakeChain, readingOf } from '../fakeClient.ts'
import { TestChainError } from '../testApp.ts'

const PAGE = '<body><div id="explorer"></div><noscript></noscript></body>'
const ID = 'EIA.NG.PRICE.HENRYHUB.DAILY'
const FEED = `/explorer/feeds/${ID}`
const site = describeSite(null, 'casper-test')

const factsOf = (path: string, fields: FakeChain = {}, maxWaitMs = 60_000) =>
  readPageFacts(
    { client: createFakeClient(fields), site, series: null },
    { path, query: new URLSearchParams() },
    maxWaitMs,
  )

/** What the page shows without JavaScript. */
async function plain(path: string, fields: FakeChain = {}, maxWaitMs?: number): Promise<string> {
  const html = withPlainPage(PAGE, await factsOf(path, fields, maxWaitMs))
  const [before, content = '', after] = html.split(/<\/?noscript>/)
  expect([before, after]).toEqual(['<body><div id="explorer"></div>', '</body>'])
  return content
}

const addressesIn = (html: string) =>
  [...html.matchAll(/<main>.*/gs)].flatMap(([main]) =>
    [...main.matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
  )

/** The text of a page, one line per element. */
const linesOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, '\n')
    .split(/\s*\n+\s*/)
    .filter(Boolean)

describe('a feed’s page without JavaScript', () => {
  test('default: value, unit, period, picture and links', async () => {
    const html = await plain(FEED)
    expect(linesOf(html)).toEqual(
      expect.arrayContaining(['NG PRICE HENRYHUB DAILY', '3.04938', '$/MMBtu', '20 Nov 2026', ID, 'daily']),
    )
    expect(html).toContain('<time datetime="2026-11-20">20 Nov 2026</time>, attested 20 Nov 2026, 09:58 UTC')
    const api = `/v1/feeds/${ID}`
    expect(html).toContain(
      `<source media="(max-width: 44rem)" srcset="${api}/chart.svg?width=360" width="360" height="212"><img src="${api}/chart.svg?width=720" width="720" height="335" alt="Chart of NG PRICE HENRYHUB DAILY in $/MMBtu">`,
    )
    expect(addressesIn(html)).toEqual([
      api,
      `${api}/status`,
      `${api}/history.csv`,
      `${api}/history.parquet`,
      `${api}/history`,
      `${api}/chart.png`,
      `${api}/proof`,
      '/explorer/wattfeed-verifier.html',
      `${api}/provenance`,
      '/docs/read-a-feed',
      '/docs/verify',
      '/openapi',
    ])
  })

  test('behavior: it has the value of the head, from one read of the feed', async () => {
    const reads: string[] = []
    const readings = [readingOf()]
    await plain(FEED, {
      readings,
      snapshot: async () => void reads.push('snapshot'),
      getReading: async (feedId) => {
        reads.push(feedId)
        return readings[0] ?? null
      },
      listReadings: () => Promise.reject(new Error('the page of a feed reads no list')),
    })
    expect(reads).toEqual(['snapshot', ID])
  })

  test('behavior: hostile texts of the chain are texts: they add no element and end none', async () => {
    const elementsOf = (html: string) => html.match(/<\/?[a-z][\w-]*/gi)
    const texts = fc.oneof(
      hostileText,
      fc.constantFrom('</noscript><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '$& $1 <!--'),
    )
    const expected = elementsOf(await plain(FEED))
    const ofList = elementsOf(await plain('/explorer/feeds'))
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, async (title, unit, source) => {
        const readings = [readingOf({ title, unit, source, route: source, description: `x${title}` })]
        const html = await plain(FEED, { readings })
        expect(elementsOf(html)).toEqual(expected)
        expect(html).not.toMatch(/(?!\n)\p{Cc}|[\u202e\u2028\u2029]/u)
        expect(elementsOf(await plain('/explorer/feeds', { readings }))).toEqual(ofList)
      }),
      { numRuns: 40 },
    )
    const id = `"><img src=x>'</noscript>`
    const html = await plain(`/explorer/feeds/${encodeURIComponent(id)}`, {
      readings: [readingOf({ feed_id: id, title: '' })],
    })
    expect(elementsOf(html)).toEqual(expected)
    expect(addressesIn(html)[0]).toBe('/v1/feeds/%22%3E%3Cimg%20src%3Dx%3E&#x27;%3C%2Fnoscript%3E')
  })

  test('behavior: the value of a dataset is a number of values', async () => {
    const description = 'Prices.\neia-dataset:1;value;all;duoarea,process,product,series'
    const readings = [readingOf({ description, amount: 9_876n, decimals: 0, unit: 'values' })]
    expect(linesOf(await plain(FEED, { readings }))).toEqual(
      expect.arrayContaining(['9,876', 'values in the dataset', 'Prices.']),
    )
  })

  test('error: if the node fails or hangs, the page says so and is no 404', async () => {
    const failing = () => Promise.reject(new TestChainError('rpc_timeout'))
    const hanging = () => new Promise<never>(() => {})
    for (const fields of [{ snapshot: failing }, { getReading: failing }, { snapshot: hanging }]) {
      expect(await factsOf(FEED, fields, 1)).toEqual({ kind: 'unread', feedId: ID })
      expect(await plain(FEED, fields, 1)).toContain('could not be read from the chain in time')
    }
  })
})

describe('a feed that has no value, or does not exist', () => {
  const ids = ['EIA.PET.PRICE.WTI.DAILY', 'EIA.PET.PRICE.BRENT.DAILY', 'EIA.NG.STORAGE', '..']
  const readings = ids.map((feed_id) => readingOf({ feed_id }))

  test('behavior: one without a value exists', async () => {
    const chain: FakeChain = { readings, getReading: async () => null }
    expect(await factsOf('/explorer/feeds/EIA.NG.STORAGE', chain)).toEqual({
      kind: 'noValue',
      feedId: 'EIA.NG.STORAGE',
    })
    expect(await plain('/explorer/feeds/EIA.NG.STORAGE', chain)).toContain('This feed has no value yet')
  })

  test('behavior: an unknown one suggests the nearest that have a page', async () => {
    const html = await plain('/explorer/feeds/eia.pet.price.wt.daily', { readings })
    expect(addressesIn(html)).toEqual([
      '/explorer/feeds/EIA.PET.PRICE.WTI.DAILY',
      '/explorer/feeds/EIA.PET.PRICE.BRENT.DAILY',
      '/explorer/feeds',
    ])
    expect(addressesIn(await plain('/explorer/feeds/%3Cb%3E', { readings }))).toEqual(['/explorer/feeds'])
  })
})

describe('other pages without JavaScript', () => {
  test('default: the home page says what the site is, links to all pages, and waits for no read', async () => {
    let reads = 0
    const snapshot = async () => void reads++
    for (const path of ['/', '/explorer']) {
      const html = await plain(path, { snapshot })
      expect(linesOf(html)).toContain(
        'US energy statistics, attested on the Casper blockchain. Read them, and verify them in your own browser.',
      )
      expect(addressesIn(html)).toEqual(
        expect.arrayContaining(['/explorer/feeds', '/v1/feeds', '/v1/feeds.csv', '/explorer/how', '/docs']),
      )
    }
    expect(reads).toBe(0)
  })

  test('default: the list has every feed, and values of one unit line up', async () => {
    const readings = [
      readingOf({ feed_id: 'WTI', title: 'WTI', unit: '$/bbl', amount: 58_400_000n }),
      readingOf({ feed_id: 'BRENT', title: '', unit: '$/bbl', amount: 1_158_460_000n }),
      readingOf({ feed_id: '..', title: 'No page', unit: 'Bcf', amount: 3_921_000_000n }),
    ]
    const html = await plain('/explorer/feeds', { readings })
    const cells = [...html.matchAll(/<tr>.*?<\/tr>/g)].map(([row]) => linesOf(row))
    expect(cells).toEqual([
      ['Feed', 'Value', 'Unit', 'Period'],
      ['WTI', '58.40', '$/bbl', '20 Nov 2026'],
      ['BRENT', '1,158.46', '$/bbl', '20 Nov 2026'],
      ['No page', '3,921', 'Bcf', '20 Nov 2026'],
    ])
    expect(addressesIn(html).filter((href) => href?.startsWith('/explorer/'))).toEqual([
      '/explorer/feeds/WTI',
      '/explorer/feeds/BRENT',
    ])
  })

  test('behavior: of a very long list, the page has the first thousand and says how many more there are', async () => {
    const readings = Array.from({ length: 1_002 }, (_, index) => readingOf({ feed_id: `F${index}` }))
    const html = await plain('/explorer/feeds', { readings })
    expect(html.match(/<tr>/g)).toHaveLength(1_001)
    expect(html).toContain('2 more are in the files.')
  })

  test('behavior: if the list cannot be read, the page links to it', async () => {
    const html = await plain('/explorer/feeds', { snapshot: () => Promise.reject(new Error('down')) })
    expect(html).not.toContain('<table')
    expect(addressesIn(html)).toContain('/v1/feeds')
  })

  test.each([
    ['/explorer/datasets', 'Datasets', '/v1/datasets'],
    ['/explorer/datasets', 'Datasets', '/v1/datasets/attested'],
    ['/explorer/calendar', 'Release calendar', '/calendar.ics'],
    ['/explorer/status/', 'Status', '/v1/status'],
    ['/explorer/how', 'How it works', '/docs/verify'],
  ])('default: %s says what it is, and what to read instead', async (path, title, href) => {
    const html = await plain(path)
    expect(linesOf(html)).toContain(title)
    expect(addressesIn(html)).toContain(href)
    expect(html).toContain(`href="${path.replace(/\/$/, '')}" aria-current="page"`)
  })

  test('behavior: an unknown page suggests the nearest', async () => {
    expect(await plain('/explorer/stats')).toContain('Did you mean <a href="/explorer/status">Status</a>?')
    expect(await plain('/explorer/zebra')).not.toContain('Did you mean')
  })
})
