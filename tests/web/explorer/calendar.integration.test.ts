import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import type { CalendarBody } from '../../../src/api/schemas.ts'
import { formatDate, listDays } from '../../../src/web/explorer/pages/calendar/days.ts'
import { formatShare } from '../../../src/web/explorer/pages/calendar/past.tsx'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const scheduleOf = (schedule: string): CalendarBody['schedules'][number] => ({
  schedule,
  rule: schedule,
  valid_from: '2020-01-01',
  says: 'Thursday 10:30',
  basis: 'a notice',
  is_assumed: false,
  grace_ms: 1,
  feed_ids: ['A'],
})

const releaseOf = (
  schedule: string,
  fields: Partial<CalendarBody['releases'][number]>,
): CalendarBody['releases'][number] => ({
  schedule,
  frequency: 'weekly',
  period: 20_261_120,
  period_start: '2026-11-14',
  period_end: '2026-11-20',
  due_at: null,
  due_on: '2026-11-25',
  moved: null,
  sequence: 0,
  ...fields,
})

describe('the days of the calendar', () => {
  const now = new Date(2026, 10, 25, 12).getTime()
  const calendarOf = (releases: CalendarBody['releases']): CalendarBody => ({
    notice: null,
    icalendar: '/calendar.ics',
    atom: null,
    schedules: [scheduleOf('a'), scheduleOf('b')],
    releases,
    punctuality: { releases: 0, on_time: 0, share_on_time: null, median_delay_ms: null },
    feeds: [],
  })

  test('default: releases by the reader’s day; what has passed is left out', () => {
    const late = new Date(2026, 10, 25, 23, 30).getTime()
    const early = new Date(2026, 10, 26, 0, 30).getTime()
    const days = listDays(
      calendarOf([
        releaseOf('a', { due_at: now }),
        releaseOf('a', { due_on: '2026-11-24' }),
        releaseOf('a', { due_at: late }),
        releaseOf('b', { due_at: early }),
        releaseOf('b', { due_on: '2026-11-25' }),
        releaseOf('unknown', { due_on: '2026-11-25' }),
      ]),
      now,
      new Map(),
    )
    expect(days.map(({ date, releases }) => [date, ...releases.map(({ of }) => of.schedule)])).toEqual([
      ['2026-11-25', 'a', 'b'],
      ['2026-11-26', 'b'],
    ])
  })

  test('behavior: a day’s release is left out when the value of every feed is on chain', () => {
    const calendar = calendarOf([
      releaseOf('a', {}),
      releaseOf('a', { period: 20_261_127, due_on: '2026-12-02' }),
    ])
    const both = { ...calendar, schedules: [{ ...scheduleOf('a'), feed_ids: ['A', 'B'] }] }
    const daysWith = (newest: [string, number][]) =>
      listDays(both, now, new Map(newest)).map(({ date }) => date)
    expect(daysWith([['A', 20_261_120]])).toEqual(['2026-11-25', '2026-12-02'])
    expect(
      daysWith([
        ['A', 20_261_120],
        ['B', 20_261_127],
      ]),
    ).toEqual(['2026-12-02'])
  })

  test('default: a date has its weekday; a share is rounded down', () => {
    expect(formatDate('2026-11-25')).toBe('Wednesday 25 November 2026')
    expect([0.9999, 1, 0, null].map(formatShare)).toEqual(['99 %', '100 %', '0 %', '–'])
  })
})

const HOSTILE = '<img src=x onerror=alert(1)>\u202e'

async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain({ startMs: Date.parse('2026-11-12T15:00:00Z') })
  const storage = { route: 'natural-gas/stor/wkly', frequency: 'weekly' }
  chain.register('STORAGE', { ...storage, title: 'Working gas in storage' })
  chain.register(HOSTILE, { ...storage, title: HOSTILE, unit: HOSTILE })
  chain.register('PRICE', { title: 'Spot price', route: 'petroleum/pri/spt' })
  chain.attest('STORAGE', { period: 20_261_030 })
  chain.attest('PRICE')
  chain.attest(HOSTILE, { period: 20_261_030 })
  await chain.advance()
  // A day later the blocks are still before the release that Veterans Day moved.
  chain.attest('STORAGE', { period: 20_261_106 })
  await chain.advance()
  return chain
}

describe.skipIf(!hasBrowser)('the release calendar in Chromium', () => {
  let chain: RegistryChain
  let site: Site

  beforeAll(async () => {
    chain = await createChain()
    site = await startSite(chain, { publicUrl: 'https://feeds.example.com', now: () => NOW })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const NOW = Date.parse('2026-11-24T12:00:00Z')

  async function open(options: Parameters<typeof openPage>[1] = {}) {
    const opened = await openPage('about:blank', { timezoneId: 'Europe/Berlin', ...options })
    await opened.page.clock.setSystemTime(NOW)
    await opened.page.goto(`${site.origin}/explorer/calendar`)
    await opened.page.getByRole('heading', { name: 'Planned releases' }).waitFor()
    return opened
  }

  test('default: it is there without a jump, fits, and is accessible at every width in both color schemes', async () => {
    await using opened = await open()
    const { page } = opened
    await page.locator('.day summary').first().click()
    await page.locator('.punctual summary').first().click()
    expect(await page.locator('.loading').count()).toBe(0)
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect(opened.faults).toEqual([])
  })

  test('default: planned releases by day, in the reader’s time zone, with the rule and its basis', async () => {
    await using opened = await open()
    const { page } = opened
    expect(await opened.shifts()).toBe(0)
    const day = page.locator('.day', { hasText: 'Wednesday 25 November 2026' })
    const release = day.locator('details', { hasText: 'natural gas storage' })
    expect(await release.locator('summary').textContent()).toContain('18:00 GMT+1')
    await release.locator('summary').click()
    const text = await release.textContent()
    expect(text).toContain('Time25 Nov 2026, 17:00 UTC · 25 Nov 2026, 18:00 GMT+1 local time')
    expect(text).toContain('by Thanksgiving Day; usually 26 Nov 2026, 15:30 UTC')
    expect(text).toContain('Wednesday 12:00 if Thursday is a federal holiday')
    expect(text).toContain('ir.eia.gov/ngs/notice.html')
    await release.getByRole('link', { name: 'Working gas in storage' }).waitFor()
    await page.getByText('the figures are invented').waitFor()
  })

  test('default: what was attested against the plan, as a whole and per feed; strangers’ texts are text', async () => {
    await using opened = await open({ width: 360 })
    const { page } = opened
    const facts = page.locator('.facts')
    expect(await facts.textContent()).toBe('Releases compared1On time100 %Median delay24 h before')
    const feed = page.locator('.punctual details', { hasText: 'Working gas in storage' })
    expect(await feed.locator('summary').textContent()).toContain('1 of 1 on time')
    await feed.locator('summary').click()
    expect(await feed.locator('tbody tr').textContent()).toContain('week ending 6 Nov 2026')
    await page.locator('.punctual').getByText('\\u{202e}').first().waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(opened.faults).toEqual([])
  })

  test('behavior: no day is a weekend or a holiday', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByRole('button', { name: 'Show more days' }).click()
    const days = await page
      .locator('.day h3 time')
      .evaluateAll((found) => found.map((each) => each.getAttribute('datetime') ?? ''))
    expect(days.length).toBeGreaterThan(20)
    expect(days.filter((date) => [0, 6].includes(new Date(date).getUTCDay()))).toEqual([])
    expect(days).not.toContain('2026-11-26')
    expect(days).not.toContain('2026-12-25')
  })

  test('default: links to subscribe', async () => {
    await using opened = await open()
    const { page } = opened
    const links = await page
      .locator('.subscribe a')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href')))
    expect(links).toEqual([
      `webcal://${new URL(site.origin).host}/calendar.ics`,
      '/calendar.ics',
      '/feed.atom',
    ])
    expect(await page.locator('nav [aria-current=page]').textContent()).toBe('Calendar')
  })

  test('behavior: without the chain it shows why, and loads again', async () => {
    site.answerWith(() => Promise.reject(new Error('down')))
    await using opened = await openPage(`${site.origin}/explorer/calendar`)
    const { page } = opened
    await page.getByRole('alert').getByText('The chain cannot be read').first().waitFor()
    site.answerWith(chain.answer)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Planned releases' }).waitFor()
  })
})
