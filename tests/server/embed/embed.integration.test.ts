import { describe, expect, test } from 'bun:test'
import { formatDay } from '@wattfeed/eia'
import fc from 'fast-check'
import { casperTest } from 'wattfeed'
import { formatEmbedPage } from '../../../src/server/embed/embedPage.ts'
import { HistoryBusyError, HistoryFillingError } from '../../../src/server/readers/historyWalks.ts'
import { comparedText } from '../../../src/web/cite/embedFacts.ts'
import { chartOf } from '../../web/chart/chartOf.ts'
import { hostileText } from '../../web/chart/hostileText.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { ask, createTestApp, createTestLog, TestChainError } from '../testApp.ts'

const ID = 'EIA.NG.PRICE.HENRYHUB.DAILY'
const HASH = 'ab'.repeat(32)
const DAY_MS = 86_400_000
const PATH = `/embed/feeds/${ID}`

const app = createTestApp()
const pageOf = async (path: string, from = app): Promise<string> => (await ask(from, path)).text()

const styleHash = (html: string): string[] => [
  ...new Set(
    [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, style = '']) => `'sha256-${new Bun.CryptoHasher('sha256').update(style).digest('base64')}'`,
    ),
  ),
]

describe('GET /embed/feeds/:id', () => {
  test('default: a page with the chart, a table, and a link to the feed in a new tab', async () => {
    const response = await ask(app, PATH)
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8'])
    expect(html.match(/<svg /g)).toHaveLength(5)
    expect(html).toContain('<td>3.04938</td>')
    expect(html).toContain(`<a href="/explorer/feeds/${ID}" target="_blank" rel="noopener">`)
    expect(html).toContain('its embed code names no trusted block hash')
    expect(html).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|https?:(?!\/\/www\.w3\.org\/2000\/svg)/)
  })

  test('default: its policy is its own: any page may show it, and it loads from this server only', async () => {
    const response = await ask(app, PATH)
    const html = await response.text()
    const headers = response.headers.toJSON()
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src ${styleHash(html).join(' ')}; connect-src 'self'; base-uri 'none'; form-action 'none'`,
    )
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' })
    expect(Object.keys(headers)).not.toContain('set-cookie')
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  test('behavior: an unchanged page is a 304', async () => {
    const etag = (await ask(app, PATH)).headers.get('etag') ?? ''
    expect((await ask(app, PATH, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  /** What the page's script reads. */
  const factsOf = (html: string) =>
    JSON.parse((/data-facts="([^"]*)"/.exec(html)?.[1] ?? 'null').replaceAll('&quot;', '"'))

  test('behavior: with a hash it can verify, from the registries of the code and never from those of the server', async () => {
    const own = createTestApp({ network: { ...casperTest, chainName: 'lying-chain' } })
    const html = await pageOf(`${PATH}?trust=${HASH.toUpperCase()}`, own)
    expect(factsOf(html)).toMatchObject({
      trust: {
        blockHash: HASH,
        chainName: 'casper-test',
        feedRegistry: casperTest.feedRegistryPackageHash,
        attestationRegistry: casperTest.attestationRegistryPackageHash,
      },
      shown: { feedId: ID, amount: '3049380', period: 20_261_120 },
    })
    expect(html).toContain(`/explorer/feeds/${ID}#proof&amp;trust=${HASH}&amp;chain-name=casper-test`)
    const named = await pageOf(
      `${PATH}?trust=${HASH}&chain-name=x&feed-registry=${HASH}&attestation-registry=${HASH}`,
    )
    expect(factsOf(named).trust).toEqual({
      blockHash: HASH,
      chainName: 'x',
      feedRegistry: HASH,
      attestationRegistry: HASH,
    })
  })

  /** All that the first view loads: the page and its script, in bytes before compression. */
  async function bytesOf(html: string): Promise<number> {
    const script = /<script type="module" src="([^"]+)">/.exec(html)?.[1] ?? ''
    return Buffer.byteLength(html) + Buffer.byteLength(await pageOf(script))
  }

  test('default: texts of any length leave the page below 40 kB, and are compared as far as it has them', async () => {
    const title = '\u202e'.repeat(100_000)
    const readings = [readingOf({ title, unit: title, decimals: 255 })]
    const html = await pageOf(
      `${PATH}?trust=${HASH}`,
      createTestApp({ client: createFakeClient({ readings }) }),
    )
    expect(await bytesOf(html)).toBeWithin(10_000, 40_000)
    expect(factsOf(html).shown).toMatchObject({ title: comparedText(title), unit: comparedText(title) })
    expect([comparedText(title).length, comparedText('WTI')]).toEqual([200, 'WTI'])
  })

  test.each([
    [2, DAY_MS, 5],
    [120, DAY_MS, 5],
    [1_000, DAY_MS, 2],
    // Each value is between two gaps.
    [1_000, 9 * DAY_MS, 1],
  ])(
    'default: %d values, one each %d ms, leave it below 40 kB, with %d drawings',
    async (count, stepMs, drawings) => {
      const points = Array.from({ length: count }, (_, index) => ({
        at: index * stepMs,
        value: `${1_000_000 + ((index * 7_919) % 1_000)}.123456`,
        period: formatDay(index * stepMs),
      }))
      const chart = chartOf({ points, maxStepMs: 5 * DAY_MS })
      const trust = {
        blockHash: HASH,
        chainName: 'casper-test',
        feedRegistry: HASH,
        attestationRegistry: HASH,
      }
      const start = factsOf(await pageOf(`${PATH}?trust=${HASH}`)).scripts.start
      const html = formatEmbedPage({
        chart: {
          ...chart,
          href: `/explorer/feeds/${ID}`,
          attestedAt: readingOf().updated_at,
          shown: { feedId: ID, amount: '1', period: 1, decimals: 0, title: '', unit: '' },
          proof: `/v1/feeds/${ID}/proof`,
        },
        theme: 'auto',
        chainName: 'casper-test',
        isPublicChain: false,
        verification: { trust, scripts: { start, verify: start, verifyBytes: 1 } },
      })
      expect([html.match(/<svg /g)?.length, html.match(/@media all/g)?.length]).toEqual([drawings, drawings])
      expect(await bytesOf(html)).toBeWithin(10_000, 40_000)
    },
  )

  test('behavior: texts of strangers reach the script unchanged, and never the page as HTML', async () => {
    const title = '</script><img src=x onerror=alert(1)>"\u202e&quot;'
    const hostile = createTestApp({
      client: createFakeClient({ readings: [readingOf({ title, unit: '</p>' })] }),
    })
    const html = await pageOf(`${PATH}?trust=${HASH}`, hostile)
    expect(html).not.toMatch(/<img|\u202e/)
    const raw = /data-facts="([^"]*)"/.exec(html)?.[1] ?? ''
    const text = raw
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&#x27;', "'")
      .replaceAll('&amp;', '&')
    expect(JSON.parse(text).shown).toMatchObject({ title, unit: '</p>' })
  })

  test('default: hostile texts change no element and no attribute name of the page', async () => {
    const skeletonOf = (html: string) =>
      html
        .replaceAll(/(?<=<(title|desc)>)[\s\S]*?(?=<\/\1>)/g, '')
        .replaceAll(/(?<=>)[^<]+/g, '')
        .replaceAll(/(?<==")[^"]*/g, '')
    const expected = skeletonOf(await pageOf(`${PATH}?trust=${HASH}`))
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (title, unit) => {
        const client = createFakeClient({ readings: [readingOf({ title, unit })] })
        const html = await pageOf(`${PATH}?trust=${HASH}`, createTestApp({ client }))
        expect(skeletonOf(html)).toBe(expected)
      }),
      { numRuns: 40 },
    )
  })

  test('default: on a development chain it says that the figures are invented', async () => {
    const dev = createTestApp({ network: { ...casperTest, chainName: 'casper-devnet' } })
    expect(await pageOf(PATH, dev)).toContain('Invented figures')
    expect(await pageOf(PATH)).not.toContain('Invented')
  })

  test('default: search engines do not list it', async () => {
    expect(await pageOf(PATH)).toContain('<meta name="robots" content="noindex">')
  })

  const failing = (error: Error) =>
    createTestApp({ client: createFakeClient({ snapshot: () => Promise.reject(error) }) })
  const busy = new HistoryBusyError({ feedId: 'A', waiting: 16 })
  const filling = new HistoryFillingError({ feedId: 'A', known: 1, needed: 2, retryAfterMs: 1 })

  test.each([
    ['/embed/feeds/NOPE', 404, 'There is no such feed', app],
    ['/embed/nothing', 404, 'There is no such feed', app],
    [`${PATH}?theme=<b>`, 400, 'not valid', app],
    [`${PATH}?trust=abc`, 400, '64 hex digits', app],
    ['/embed/feeds/%ff', 400, 'not valid', app],
    [PATH, 429, 'The server is busy', failing(busy)],
    [PATH, 503, 'still reading', failing(filling)],
    [PATH, 502, 'cannot read the blockchain', failing(new TestChainError('all_nodes_failed', true))],
  ])('error: %s is a small page with %d', async (path, status, sentence, from) => {
    const response = await ask(from, path)
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html;charset=utf-8',
    ])
    expect(html).toContain(sentence)
    expect(html).not.toContain('<b>')
    expect(response.headers.get('content-security-policy')).toEndWith("base-uri 'none'; form-action 'none'")
    expect(response.headers.has('retry-after')).toBe([429, 502, 503].includes(status))
    expect(html.length).toBeLessThan(4_000)
  })

  test('error: the log has its status', async () => {
    const { log, lines } = createTestLog()
    await ask(createTestApp({ log }), '/embed/feeds/NOPE')
    expect(lines.map(({ fields }) => fields.status)).toEqual([404])
  })
})

describe('frame-ancestors', () => {
  const headers = { accept: 'text/html' }

  test.each([
    '/',
    '/explorer',
    `/explorer/feeds/${ID}`,
    '/explorer/status',
    '/explorer/datasets',
    '/explorer/how',
    '/explorer/wattfeed-verifier.html',
    '/docs',
    '/docs/errors',
    '/openapi',
    `/v1/feeds/${ID}/chart.svg`,
  ])('default: no other page may show %s', async (path) => {
    const response = await ask(app, path, { headers })
    const policy = response.headers.get('content-security-policy')
    expect([response.status, policy]).toEqual([200, expect.stringContaining("frame-ancestors 'none'")])
  })

  test.each([
    ['/v1/feeds', 200],
    ['/v1/feeds.csv', 200],
    ['/calendar.ics', 200],
    ['/metrics', 200],
    ['/robots.txt', 200],
    ['/favicon.ico', 200],
    ['/embed', 404],
    ['/v1/feeds/NOPE', 404],
    ['/docs/nope', 404],
    ['/explorer/assets/nope', 404],
    ['/explorer/nowhere', 404],
    ['/explorer/feeds/A', 404],
    ['/v1/feeds?q=', 400],
  ])('default: nor %s, a %d', async (path, expected) => {
    const { status, headers: found } = await ask(app, path, { headers })
    const policy = found.get('content-security-policy')
    expect([status, policy]).toEqual([expected, expect.stringContaining("frame-ancestors 'none'")])
  })

  test('error: nor a response to another method', async () => {
    for (const path of ['/v1/feeds', '/explorer', '/mcp']) {
      const { status, headers: found } = await ask(app, path, { method: 'DELETE' })
      expect([path, status, found.get('content-security-policy')]).toEqual([
        path,
        405,
        "frame-ancestors 'none'",
      ])
    }
  })
})
