import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import type { StatusBody } from '../../../src/api/schemas.ts'
import { createMetrics } from '../../../src/server/metrics.ts'
import { countStates, sortByUrgency } from '../../../src/web/explorer/data/statuses.ts'
import { figuresOf } from '../../../src/web/explorer/pages/status/figures.ts'
import { parseMetrics } from '../../../src/web/explorer/pages/status/parseMetrics.ts'
import { releasesOf, untilRelease } from '../../../src/web/explorer/pages/status/releases.tsx'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

describe('metrics', () => {
  test('default: figures have parts by status and code', async () => {
    const metrics = createMetrics()
    const request = { endpoint: '/v1/feeds', method: 'GET' }
    for (const status of [200, 200, 304, 502]) metrics.requestDuration.observe({ ...request, status }, 0.004)
    const call = { method: 'chain_get_block', host: 'node:7777', durationMs: 3 }
    metrics.observe.rpcCall({ ...call, errorCode: null } as never)
    metrics.observe.rpcCall({ ...call, errorCode: 'rpc_timeout' } as never)
    const figures = figuresOf(parseMetrics(await metrics.registry.metrics()))
    const byLabel = new Map(figures.map(({ label, value, parts }) => [label, [value, ...parts]]))
    expect(byLabel.get('Requests answered')).toEqual(['4', ['2xx', '2'], ['3xx', '1'], ['5xx', '1']])
    expect(byLabel.get('Mean response time')).toEqual(['4.0 ms'])
    expect(byLabel.get('Calls to nodes')).toEqual(['2', ['node:7777', '2']])
    expect(byLabel.get('Failed calls')).toEqual(['1', ['rpc_timeout', '1']])
    expect(byLabel.get('Rejected node answers')).toEqual(['0'])
  })

  test('behavior: labels may contain quotes and braces; NaN and invalid lines do not count', () => {
    expect(parseMetrics('# HELP a b\na{x="1\\"} 2",y="\\\\n"} 3\nb Nan\nc_bucket{le="1"} 4\n<html>')).toEqual(
      [
        { name: 'a', labels: { x: '1"} 2', y: '\\n' }, value: 3 },
        { name: 'b', labels: {}, value: Number.NaN },
      ],
    )
    expect(figuresOf(parseMetrics('<html>')).every(({ value }) => value === null)).toBe(true)
  })
})

const cadenceOf = (rule: string) => ({ rule, valid_from: '2025-01-03', basis: '', is_assumed: false })

const feedOf = (feed_id: string, fields: Partial<StatusBody> = {}): StatusBody => ({
  feed_id,
  frequency: 'weekly',
  period: 20261113,
  period_start: '2026-11-07',
  period_end: '2026-11-13',
  attested_at: 0,
  age_ms: 1_000,
  cadence: cadenceOf('petroleum-status'),
  expected_period: 20261113,
  due_at: 10,
  due_on: '1970-01-01',
  next_due_at: 100,
  next_due_on: '1970-01-01',
  max_age_ms: 1_000_000,
  state: 'current',
  gaps: [],
  ...fields,
})

describe('punctuality', () => {
  test('default: the most urgent first; within a state, the oldest release', () => {
    const feeds = [
      feedOf('a'),
      feedOf('b', { state: 'late', due_at: 9 }),
      feedOf('c', { state: 'stale' }),
      feedOf('d', { state: 'late', due_at: 8 }),
    ]
    expect(sortByUrgency(feeds).map(({ feed_id }) => feed_id)).toEqual(['c', 'd', 'b', 'a'])
    expect([...countStates(feeds).values()]).toEqual([1, 0, 2, 1, 0])
  })

  test('default: releases in order; feeds of one rule and moment share one', () => {
    const feeds = [
      feedOf('late', { next_due_at: 200 }),
      feedOf('a'),
      feedOf('b'),
      feedOf('other', { cadence: cadenceOf('grid-demand') }),
      feedOf('day', { cadence: cadenceOf('assumed'), next_due_at: null, next_due_on: '1970-01-02' }),
      feedOf('none', { cadence: null, next_due_at: null, next_due_on: null }),
    ]
    const shown = releasesOf(feeds).map(({ next_due_at, next_due_on, cadence, feedIds }) => [
      next_due_at ?? next_due_on,
      cadence.rule,
      feedIds,
    ])
    expect(shown).toEqual([
      [100, 'petroleum-status', ['a', 'b']],
      [100, 'grid-demand', ['other']],
      [200, 'petroleum-status', ['late']],
      ['1970-01-02', 'assumed', ['day']],
    ])
  })

  const NOW = Date.UTC(2026, 10, 20, 15)

  test.each([
    [NOW + 3 * 3_600_000, null, 'in 3 h'],
    [NOW + 5_000, null, 'in 5 s'],
    [NOW + 4_999, null, 'now'],
    [NOW - 1, null, 'now'],
    [null, '2026-11-22', 'in 2 days'],
    [null, '2026-11-21', 'tomorrow'],
    [null, '2026-11-20', 'today'],
    [null, null, 'today'],
  ])('default: a release at %p or on %p is %s', (next_due_at, next_due_on, words) => {
    expect(untilRelease({ next_due_at, next_due_on }, NOW)).toBe(words)
  })
})

const HOSTILE = '<img src=x onerror=alert(1)>\u202e'

async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain({ feeds: 3 })
  const diesel = { title: 'US retail diesel price', route: 'petroleum/pri/gnd', frequency: 'weekly' }
  chain.register('DIESEL', diesel)
  chain.attest('DIESEL', { period: 20200106 })
  chain.register(HOSTILE, { title: HOSTILE, frequency: HOSTILE, route: 'x' })
  chain.attest(HOSTILE)
  await chain.advance()
  return chain
}

describe.skipIf(!hasBrowser)('status in Chromium', () => {
  let chain: RegistryChain
  let site: Site

  beforeAll(async () => {
    chain = await createChain()
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const open = (options?: Parameters<typeof openPage>[1]) =>
    openPage(`${site.origin}/explorer/status`, options)

  test('default: it is there without a jump, fits, and is accessible at every width in both color schemes', async () => {
    await using opened = await open()
    await opened.page.getByText('✓ Feeds can be read').waitFor()
    const call = opened.page.locator('.facts > div', { hasText: 'A call to a node takes' })
    expect(await call.textContent()).toMatch(/takes[\d.]+ ms$/)
    const protocol = opened.page.locator('.facts > div', {
      hasText: /^Protocol of the network\d+\.\d+\.\d+$/,
    })
    await protocol.waitFor()
    expect(await opened.shifts()).toBe(0)
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect([...opened.faults, ...opened.foreign]).toEqual([])
  })

  test('default: a late feed comes first, with the period that is missing; strangers’ texts are text', async () => {
    await using opened = await open({ width: 360 })
    const { page } = opened
    const rows = page.locator('.lateness tbody tr')
    await rows.first().getByRole('link', { name: 'US retail diesel price' }).waitFor()
    expect(await rows.first().textContent()).toContain('stale')
    expect(await rows.first().textContent()).toContain('on Monday 6 Jan 2020')
    await page.getByText('\\u{202e}').first().waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByText('gasoline diesel').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('behavior: by the keyboard alone: only the stale ones, and what a release is of', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByRole('button', { name: /^stale/ }).focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('.lateness tbody tr').count()).toBe(1)
    expect(await page.getByRole('button', { name: /^stale/ }).getAttribute('aria-pressed')).toBe('true')
    const release = page.locator('.releases summary', { hasText: 'gasoline diesel' })
    await release.focus()
    await page.keyboard.press('Enter')
    await page.locator('.releases').getByRole('link', { name: 'US retail diesel price' }).waitFor()
  })

  test('behavior: the checks and the other parts show that the node fails', async () => {
    site.answerWith(() => Promise.reject(new Error('down')))
    try {
      await using opened = await open({ colorScheme: 'dark' })
      const { page } = opened
      await page.getByText('✗ Feeds cannot be read now').waitFor()
      await page.getByText('No Casper node returns a valid answer').waitFor()
      await page.getByText('Its chain is unknown').waitFor()
      expect(await page.getByText('another chain').count()).toBe(0)
      await page.getByRole('alert').getByText('The chain cannot be read').first().waitFor()
      expect(await opened.violations()).toEqual([])
    } finally {
      site.answerWith(chain.answer)
    }
  })

  test('error: a node of another chain has its own message', async () => {
    site.answerWith(async (method, params) => {
      const answer = await chain.answer(method, params)
      return JSON.parse(JSON.stringify(answer).replaceAll(chain.chainName, 'casper-other'))
    })
    try {
      await using opened = await open()
      await opened.page.getByText('It is on another chain').waitFor()
      expect(await opened.page.getByText('A Casper node answers').count()).toBe(1)
    } finally {
      site.answerWith(chain.answer)
    }
  })

  test('behavior: unpublished metrics are not an error', async () => {
    await using opened = await openPage('about:blank')
    await opened.page.route('**/metrics', (route) => route.fulfill({ status: 403, body: 'no' }))
    await opened.page.goto(`${site.origin}/explorer/status`)
    await opened.page.getByText('does not publish its metrics').waitFor()
  })

  test('behavior: the page shows that the server is gone, and keeps the values', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByText('✓ Feeds can be read').waitFor()
    await site.stop()
    await page.clock.runFor(61_000)
    await page.getByText('The server does not answer').first().waitFor()
    expect(await page.getByText('✓ Feeds can be read').count()).toBe(1)
    site.restart()
    await page.clock.runFor(61_000)
    await page.getByText('The server does not answer').first().waitFor({ state: 'detached' })
  })
})
