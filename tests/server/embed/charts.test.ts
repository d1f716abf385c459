import { beforeAll, describe, expect, test } from 'bun:test'
import type { AnyElysia } from 'elysia'
import { casperTest as network } from 'wattfeed'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { ChartBusyError, type PictureTask } from '../../../src/web/chart/renderPicture.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const DAILY = testFeedId(0)
const OTHER = 'of another; frequency'
const HOSTILE = 'hostile'

const tasks: PictureTask[] = []
const png = new Uint8Array([137, 80, 78, 71])
let app: AnyElysia

beforeAll(async () => {
  const chain = await createRegistryChain({ feeds: 1, startMs: 1_700_000_000_000 })
  chain.register(OTHER, { frequency: 'sometimes', unit: 'MWh' })
  chain.register(HOSTILE, { title: '</title><script>alert(1)</script>\u202e', unit: '"><b>' })
  chain.register('EMPTY')
  await chain.advance()
  for (const [day, amount] of [16, 17, 18, 19].entries())
    chain.attest(DAILY, { period: 20_261_100 + amount, amount: BigInt(2_000_000 + day) })
  chain.attest(OTHER, { period: 7, amount: 1n })
  chain.attest(HOSTILE, {})
  await chain.advance()
  chain.attest(OTHER, { period: 7, amount: 2n })
  await chain.advance()
  const renderPicture = async (task: PictureTask) => {
    tasks.push(task)
    return png
  }
  app = createTestApp({ client: localClient(chain).client, renderPicture })
})

const pathOf = (id: string, form: string, query = ''): string =>
  `/v1/feeds/${encodeURIComponent(id)}/chart.${form}${query}`

const svgOf = async (id: string, query = ''): Promise<string> =>
  (await ask(app, pathOf(id, 'svg', query))).text()

const countOf = (svg: string): string => /Line chart of (\d+) values?/.exec(svg)?.[1] ?? ''

describe('GET /v1/feeds/:id/chart.svg', () => {
  test('default: a chart of the feed, which loads and runs nothing', async () => {
    const response = await ask(app, pathOf(DAILY, 'svg'))
    expect([response.status, response.headers.toJSON()]).toMatchObject([
      200,
      {
        'content-type': 'image/svg+xml',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'x-casper-state-root': expect.any(String),
        etag: expect.any(String),
      },
    ])
    const svg = await response.text()
    expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" class="wf-chart" viewBox="0 0 640 308"')
    expect(svg).not.toMatch(/<script|href|url\(|@import|\son\w+=/)
    expect(countOf(svg)).toBe('5')
  })

  test('behavior: an unchanged chart is a 304, and a compressed one has its own ETag', async () => {
    const etag = (await ask(app, pathOf(DAILY, 'svg'))).headers.get('etag') ?? ''
    expect((await ask(app, pathOf(DAILY, 'svg'), { headers: { 'if-none-match': etag } })).status).toBe(304)
    const compressed = await ask(app, pathOf(DAILY, 'svg'), { headers: { 'accept-encoding': 'br' } })
    expect([compressed.headers.get('content-encoding'), compressed.headers.get('etag')]).toEqual([
      'br',
      `${etag.slice(0, -1)}-br"`,
    ])
  })

  test.each([
    ['?periods=2', '2'],
    ['?period_to=2026-11-18', '3'],
    ['?period_from=20261117&period_to=20261118', '2'],
    ['?period_from=2030-01-01', ''],
  ])('behavior: %s', async (query, count) => {
    expect(countOf(await svgOf(DAILY, query))).toBe(count)
  })

  test('behavior: width and theme', async () => {
    const svg = await svgOf(DAILY, '?width=240&theme=dark')
    expect(svg).toContain('width="240" height="172"')
    expect(svg).not.toContain('prefers-color-scheme')
  })

  test('behavior: the values of an unknown frequency are steps at their attestations', async () => {
    const svg = await svgOf(OTHER)
    expect(countOf(svg)).toBe('2')
    expect(svg).toContain('<title>Test feed of another; frequency: 0.000002 MWh, period 7</title>')
  })

  test('behavior: texts of strangers are escaped, and hidden characters shown', async () => {
    const svg = await svgOf(HOSTILE)
    expect(svg).toContain('&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}')
    expect(svg).not.toMatch(/<script|<b>/)
  })

  test('default: on a development chain it says that the figures are invented, and on a public one not', async () => {
    const dev = createTestApp({ network: { ...network, chainName: 'casper-devnet' } })
    const texts = await Promise.all(
      [dev, createTestApp()].map(async (each) =>
        (await ask(each, pathOf('EIA.NG.PRICE.HENRYHUB.DAILY', 'svg'))).text(),
      ),
    )
    expect(texts.map((svg) => svg.includes('invented figures'))).toEqual([true, false])
  })

  test.each(['NOPE', 'EMPTY'])('error: %s has no chart', async (id) => {
    for (const form of ['svg', 'png']) {
      const { status, body } = await answerOf(app, pathOf(id, form))
      expect([status, body.error]).toEqual([404, `feed not found on-chain: ${id}`])
    }
  })

  test.each([
    ['svg', '?width=239', 'width=239: it must be a whole number from 240 to 1600'],
    ['svg', '?theme=blue', 'theme=blue: it must be one of auto, light, dark'],
    ['svg', '?periods=1', 'periods=1: it must be a whole number from 2 to 1000'],
    ['svg', '?period_to=2026-02-30', 'period_to must be'],
    ['svg', '?vintages=first', 'unknown query parameter "vintages"'],
    ['png', '?theme=auto', 'theme=auto: it must be one of light, dark'],
    ['png', '?width=300', 'unknown query parameter "width"'],
  ])('error: chart.%s%s', async (form, query, error) => {
    const { status, body } = await answerOf(app, pathOf(DAILY, form, query))
    expect([status, body.error]).toEqual([400, expect.stringContaining(error)])
  })

  test('error: a history that the server is still reading is a 503 with Retry-After', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    for (let count = 0; count < 1_100; count++) chain.attest(syntheticFeedId(0), {})
    chain.advance()
    const { client } = localClient(chain)
    const response = await ask(createTestApp({ client }), pathOf(syntheticFeedId(0), 'svg'))
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([503, 'history_filling'])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('GET /v1/feeds/:id/chart.png', () => {
  test('default: a picture for previews, which is rendered once until a value changes', async () => {
    tasks.length = 0
    const [first, second] = await Promise.all([
      ask(app, pathOf(DAILY, 'png')),
      ask(app, pathOf(DAILY, 'png')),
    ])
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(new Uint8Array(await second.arrayBuffer())).toEqual(png)
    const etag = first.headers.get('etag') ?? ''
    expect((await ask(app, pathOf(DAILY, 'png'), { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(tasks.map(({ svg, width }) => [svg.slice(0, 90), width])).toEqual([
      [expect.stringContaining('viewBox="0 0 480 252"'), 1_200],
    ])
    await ask(app, pathOf(DAILY, 'png', '?theme=dark'))
    expect(tasks).toHaveLength(2)
  })

  test('behavior: a picture that leaves the cache while it is rendered is still returned', async () => {
    const slow = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
    const renderPicture = ({ svg }: PictureTask) =>
      svg.includes('Line chart of 2 values') ? slow.promise : Promise.resolve(new Uint8Array(3 * 2 ** 20))
    const chain = await createRegistryChain({ feeds: 1 })
    for (const period of [20_261_116, 20_261_117, 20_261_118, 20_261_119]) chain.attest(DAILY, { period })
    await chain.advance()
    const full = createTestApp({ client: localClient(chain).client, renderPicture })
    const waiting = ask(full, pathOf(DAILY, 'png', '?periods=2'))
    for (const periods of [3, 4, 5])
      expect((await ask(full, pathOf(DAILY, 'png', `?periods=${periods}`))).status).toBe(200)
    slow.resolve(png)
    const { status } = await waiting
    expect(status).toBe(200)
  })

  test('error: a full queue is a 429 with Retry-After, and the next request can succeed', async () => {
    let isBusy = true
    const renderPicture = async () => {
      if (isBusy) throw new ChartBusyError({ waiting: 8 })
      return png
    }
    const busy = createTestApp({ renderPicture })
    const path = pathOf('EIA.NG.PRICE.HENRYHUB.DAILY', 'png')
    const { status, headers } = await ask(busy, path)
    expect([status, headers.get('x-wattfeed-error'), headers.get('retry-after')]).toEqual([
      429,
      'chart_busy',
      '4',
    ])
    isBusy = false
    expect((await ask(busy, path)).status).toBe(200)
  })
})
