import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { casperTest } from '../../../src/client/index.ts'
import { hostileText } from '../../chart/hostileText.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { ask, createTestApp, TestChainError } from '../testApp.ts'

const ID = 'EIA.NG.PRICE.HENRYHUB.DAILY'
const HASH = 'ab'.repeat(32)
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
      `default-src 'none'; script-src 'self'; style-src ${styleHash(html).join(' ')}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
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

  const failing = (code: string, retryable = false) =>
    createTestApp({
      client: createFakeClient({
        snapshot: async () => {
          throw new TestChainError(code, retryable)
        },
      }),
    })

  test.each([
    ['/embed/feeds/NOPE', 404, 'There is no such feed', app],
    ['/embed/nothing', 404, 'There is no such feed', app],
    [`${PATH}?theme=<b>`, 400, 'not valid', app],
    [`${PATH}?trust=abc`, 400, '64 hex digits', app],
    ['/embed/feeds/%ff', 400, 'not valid', app],
    [PATH, 429, 'The server is busy', failing('history_busy', true)],
    [PATH, 503, 'still reading', failing('history_filling', true)],
    [PATH, 502, 'cannot read the blockchain', failing('all_nodes_failed', true)],
  ])('error: %s is a small page with %d', async (path, status, sentence, from) => {
    const response = await ask(from, path)
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html;charset=utf-8',
    ])
    expect(html).toContain(sentence)
    expect(html).not.toContain('<b>')
    expect(response.headers.get('content-security-policy')).toEndWith('frame-ancestors *')
    expect(response.headers.has('retry-after')).toBe([429, 502, 503].includes(status))
    expect(html.length).toBeLessThan(4_000)
  })
})

describe('frame-ancestors', () => {
  const headers = { accept: 'text/html' }

  test.each([
    '/',
    '/explorer',
    '/explorer/nowhere',
    '/explorer/feeds/A',
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
})
