import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import type { Reading } from 'wattfeed'
import { printable } from '../../src/runtime/printable.ts'
import { type Listener, listen } from '../../src/server/listen.ts'
import { createFakeClient, type FakeChain, readingOf } from '../server/fakeClient.ts'
import { ask, createTestApp, type TestAppOptions } from '../server/testApp.ts'
import { readPage, snippetsOf } from '../support/snippets.ts'
import { hasPython, openPython, type Python } from './python.ts'

const NOW = Date.parse('2026-11-24T12:34:56Z')
const ATTESTED = Date.parse('2026-11-23T10:00:00Z')
const publicUrl = 'https://feeds.example.com:8443'

interface ParsedEvent {
  uid: string
  sequence: number
  stamp: string
  start: string
  duration: string | null
  summary: string
  description: string
  status: string
  transparency: string
  url: string | null
  errors: string[]
}

interface ParsedCalendar {
  longest_line: number
  ends_with_line_break: boolean
  bare_line_breaks: number
  method: string
  refresh: string
  name: string
  description: string
  components: string[]
  events: ParsedEvent[]
}

interface ParsedEntry {
  id: string
  link: string
  title: string
  title_type: string
  updated: string
  published: string
  content: string
}

interface ParsedAtom {
  root: string
  bozo: boolean
  version: string
  id: string
  title: string
  subtitle: string
  updated: string
  links: [rel: string, href: string][]
  authors: string[]
  entries: ParsedEntry[]
}

let python: Python

beforeAll(async () => {
  if (hasPython) python = await openPython()
})

afterAll(async () => {
  await python?.[Symbol.asyncDispose]()
})

/** Each feed has one value. */
function appOf(readings: readonly Reading[], options: TestAppOptions = {}) {
  const getValueHistory: FakeChain['getValueHistory'] = async (feedId) =>
    readings
      .filter(({ feed_id }) => feed_id === feedId)
      .map((reading) => ({ ...reading, timestamp: reading.updated_at, attester: '' }))
  const client = createFakeClient({ readings, getValueHistory })
  return createTestApp({ client, now: () => NOW, publicUrl, ...options })
}

const development = { chainName: 'test-net', feedRegistryPackageHash: '', attestationRegistryPackageHash: '' }

async function parse(files: { calendars?: string[]; feeds?: string[] }) {
  const script = new URL('subscriptions.py', import.meta.url).pathname
  const { exitCode, stdout, stderr } = await python.run(
    [script],
    JSON.stringify({ calendars: [], feeds: [], ...files }),
  )
  expect([exitCode, stderr]).toEqual([0, ''])
  const parsed: { calendars: ParsedCalendar[]; feeds: ParsedAtom[] } = JSON.parse(stdout)
  return parsed
}

async function parseCalendar(app: ReturnType<typeof appOf>, query = ''): Promise<ParsedCalendar> {
  const response = await ask(app, `/calendar.ics${query}`)
  expect(response.status).toBe(200)
  const { calendars } = await parse({ calendars: [await response.text()] })
  return calendars[0] as ParsedCalendar
}

async function parseAtom(app: ReturnType<typeof appOf>, ids: readonly string[]): Promise<ParsedAtom> {
  const query = ids.map((id) => `id=${encodeURIComponent(id)}`).join('&')
  const response = await ask(app, `/feed.atom?${query}`)
  expect(response.status).toBe(200)
  const { feeds } = await parse({ feeds: [await response.text()] })
  return feeds[0] as ParsedAtom
}

const storage = readingOf({
  feed_id: 'STORAGE',
  title: 'Gas; in storage, "L48"',
  route: 'natural-gas/stor/wkly',
  frequency: 'weekly',
  unit: 'Bcf',
  period: 20_261_113,
  updated_at: ATTESTED,
})

/** Texts that anyone can write to the chain. */
const hostile: readonly string[] = [
  '\r\nEND:VEVENT\r\nBEGIN:VALARM',
  '</title><script>alert(1)</script>',
  ']]>&amp;<!--',
  '\u0000\u0007\u001b[2J',
  String.fromCodePoint(0xfffe, 0xffff, 0x1fffe),
  '\u202Eabc',
  '\\n;,:"\'^',
  ' ',
  '',
  '🚀'.repeat(400),
  'x'.repeat(5_000),
]

const decoded = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#x27);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" })[name] ?? '',
  )

describe.skipIf(!hasPython)('the calendar, read by the package icalendar', () => {
  test('default: one event for each release, with stable ids, moves, rule and basis', async () => {
    const calendar = await parseCalendar(appOf([storage]))
    expect(calendar).toMatchObject({
      ends_with_line_break: true,
      bare_line_breaks: 0,
      method: 'PUBLISH',
      refresh: '12:00:00',
      name: 'Energy data releases',
    })
    expect(calendar.longest_line).toBeLessThanOrEqual(75)
    expect(calendar.events.map(({ start }) => start.slice(0, 10))).toEqual(
      expect.arrayContaining(['2026-10-29', '2026-11-13', '2026-11-25', '2027-02-18']),
    )
    const { description, ...thanksgiving } =
      calendar.events.find(({ start }) => start.startsWith('2026-11-25')) ?? Object(null)
    expect(thanksgiving).toEqual({
      uid: 'natural-gas-storage-20261120@casper-test.wattfeed',
      sequence: 1,
      stamp: '2026-11-24T00:00:00+00:00',
      start: '2026-11-25T17:00:00+00:00',
      duration: '0:15:00',
      summary: 'Natural gas storage, week ending 20 Nov 2026',
      status: 'CONFIRMED',
      transparency: 'TRANSPARENT',
      url: `${publicUrl}/explorer/calendar`,
      errors: [],
    })
    expect(description.split('\n')).toEqual([
      expect.stringMatching(/^Rule: Thursday 10:30; Wednesday 12:00 if Thursday is a federal holiday;/),
      'Moved by a holiday (Thanksgiving Day). The usual time would be 26 Nov 2026, 15:30 UTC.',
      expect.stringMatching(/^Basis: EIA’s notice of 5 November 2015/),
      'Feeds:',
      '- Gas; in storage, "L48"',
    ])
  })

  test('behavior: a release without a time is a day, an assumed one is tentative, and hourly ones are left out', async () => {
    const readings = [
      readingOf({ feed_id: 'A', route: 'x', frequency: 'monthly', period: 202_609 }),
      readingOf({ feed_id: 'B', route: 'x', frequency: 'hourly', period: 1_795_406_400 }),
    ]
    const { events } = await parseCalendar(appOf(readings, { publicUrl: null }))
    expect(
      events.map(({ start, duration, summary, status, url }) => [start, duration, summary, status, url]),
    ).toEqual([
      ['2026-11-02', null, 'Other monthly, August 2026 (assumed)', 'TENTATIVE', null],
      ['2026-12-01', null, 'Other monthly, September 2026 (assumed)', 'TENTATIVE', null],
      ['2027-01-04', null, 'Other monthly, October 2026 (assumed)', 'TENTATIVE', null],
      ['2027-02-01', null, 'Other monthly, November 2026 (assumed)', 'TENTATIVE', null],
    ])
  })

  test('behavior: on a development chain it says that the figures are invented', async () => {
    const { name, description, events } = await parseCalendar(appOf([storage], { network: development }))
    expect(name).toBe('Energy data releases of a development chain')
    const notice = 'Test data of a development chain: the figures are invented.'
    expect(description).toBe(notice)
    expect(events.every((event) => event.description.startsWith(notice))).toBe(true)
  })

  test('behavior: ids stay the same for other feeds, and an id selects events', async () => {
    const price = readingOf({ feed_id: 'WTI', route: 'petroleum/pri/spt' })
    const idsOf = (calendar: ParsedCalendar) => calendar.events.map(({ uid }) => uid)
    const all = idsOf(await parseCalendar(appOf([price, storage])))
    const one = idsOf(await parseCalendar(appOf([price, storage]), '?id=STORAGE'))
    expect(one).toEqual(idsOf(await parseCalendar(appOf([storage]))))
    expect(new Set(all).size).toBe(all.length)
    expect(one.length).toBeLessThan(all.length)
    expect(one.every((uid) => all.includes(uid))).toBe(true)
  })

  test('behavior: hostile texts stay texts', async () => {
    const titles = [...hostile, ...fc.sample(fc.string({ unit: anyCharacter }), { numRuns: 9, seed: 7 })]
    const readings = titles.map((title, index) => ({ ...storage, feed_id: `F${index}${title}`, title }))
    const calendar = await parseCalendar(appOf(readings))
    expect(calendar.bare_line_breaks).toBe(0)
    expect(calendar.longest_line).toBeLessThanOrEqual(75)
    expect(new Set(calendar.components)).toEqual(new Set(['VEVENT']))
    for (const { description, errors } of calendar.events) {
      const lines = description.split('\n')
      const listed = lines.slice(lines.indexOf('Feeds:') + 1)
      expect([listed.length, errors]).toEqual([titles.length, []])
      for (const line of listed) expect(line).toBe(printable(line))
      expect(listed.every((line) => line.startsWith('- ') && line.length < 260)).toBe(true)
    }
  })
})

describe.skipIf(!hasPython)('the Atom feed, read by the package feedparser', () => {
  test('default: an entry for each value, with stable ids and times', async () => {
    const atom = await parseAtom(appOf([storage]), ['STORAGE'])
    const tag = 'tag:feeds.example.com,2026:casper-test'
    expect(atom).toEqual({
      root: '{http://www.w3.org/2005/Atom}feed',
      bozo: false,
      version: 'atom10',
      id: `${tag}/feed.atom?id=STORAGE`,
      title: 'Attested energy data',
      subtitle: 'US energy statistics as they are attested on the Casper blockchain',
      updated: '2026-11-23T10:00:00.000Z',
      links: [
        ['alternate', `${publicUrl}/`],
        ['self', `${publicUrl}/feed.atom?id=STORAGE`],
      ],
      authors: ['wattfeed'],
      entries: [
        {
          id: `${tag}/feeds/STORAGE/values/0`,
          link: `${publicUrl}/explorer/feeds/STORAGE`,
          // The type of the title is HTML.
          title: 'Gas; in storage, &quot;L48&quot;: 3.04938 Bcf (week ending 13 Nov 2026)',
          title_type: 'text/html',
          updated: '2026-11-23T10:00:00.000Z',
          published: '2026-11-23T10:00:00.000Z',
          content:
            '<p>Gas; in storage, &quot;L48&quot;: 3.04938 Bcf (week ending 13 Nov 2026)</p><p>Attested 23 Nov 2026, 10:00 UTC on the chain casper-test, as value 0 of STORAGE.</p>',
        },
      ],
    })
  })

  test('behavior: on a development chain it says that the figures are invented, and names no publisher', async () => {
    const app = appOf([storage], { network: development })
    const { title, subtitle, entries, authors } = await parseAtom(app, ['STORAGE'])
    const notice = 'Test data of a development chain: the figures are invented.'
    expect([title, subtitle, authors]).toEqual([
      'Invented energy data of a development chain',
      notice,
      ['wattfeed'],
    ])
    expect(entries[0]?.content).toEndWith(`<p>${notice}</p>`)
  })

  test('behavior: a chain without values is a valid feed', async () => {
    const response = await ask(appOf([]), '/feed.atom')
    const { feeds } = await parse({ feeds: [await response.text()] })
    expect(feeds[0]).toMatchObject({ bozo: false, updated: '1970-01-01T00:00:00.000Z', entries: [] })
  })

  test('behavior: a block time beyond all dates, an odd id and an IPv6 address', async () => {
    const odd = { ...storage, feed_id: 'a/b?c&d é', updated_at: 2 ** 60, period: 2 ** 60 }
    const { bozo, entries } = await parseAtom(appOf([odd], { publicUrl: 'http://[::1]:4030' }), [odd.feed_id])
    expect([bozo, entries[0]?.id, entries[0]?.updated]).toEqual([
      false,
      'tag:1,2026:casper-test/feeds/a%2Fb%3Fc%26d%20%C3%A9/values/0',
      '9999-01-01T00:00:00.000Z',
    ])
  })

  test('behavior: hostile texts stay texts', async () => {
    const texts = [...hostile, ...fc.sample(fc.string({ unit: anyCharacter }), { numRuns: 9, seed: 11 })]
    const readings = texts.map((text, index) => ({
      ...storage,
      feed_id: `F${index}${text}`,
      title: text,
      unit: text,
      frequency: text,
    }))
    const ids = readings.map(({ feed_id }) => feed_id)
    const { bozo, entries } = await parseAtom(appOf(readings), ids)
    expect([bozo, entries.length]).toEqual([false, texts.length])
    for (const { title, content } of entries) {
      expect(printable(title)).toBe(title)
      // The only tags are our own.
      expect(title + content.replaceAll(/<\/?p>/g, '')).not.toMatch(/[<>]/)
      expect(decoded(content).isWellFormed()).toBe(true)
    }
  })
})

describe.skipIf(!hasPython)('docs/status.md', () => {
  const PAGE = 'docs/status.md'
  const HOST = 'http://localhost:4030'
  let listener: Listener

  const price = readingOf({ feed_id: 'EIA.PET.PRICE.WTI.DAILY', route: 'petroleum/pri/spt' })
  const weekly = { ...storage, feed_id: 'EIA.NG.STORAGE.L48_WORKING.WEEKLY' }
  const here = (text: string): string => text.replaceAll(HOST, `http://127.0.0.1:${listener.port}`)

  beforeAll(() => {
    const { fetch } = appOf([price, weekly])
    listener = listen({ fetch, port: 0, host: '127.0.0.1', deadlineMs: 120_000 })
  })
  afterAll(() => listener?.close())

  test('default: every command of the page runs, and its files are what it says', async () => {
    for (const script of snippetsOf(PAGE, 'sh')) {
      const { exitCode, stderr } = await python.shell(here(script).replaceAll('curl ', 'curl -fsS '))
      expect([exitCode, stderr]).toEqual([0, ''])
    }
    const read = (name: string) => Bun.file(`${python.folder}/${name}`).text()
    const { calendars, feeds } = await parse({
      calendars: [await read('wattfeed.ics'), await read('everything.ics')],
      feeds: [await read('new.atom')],
    })
    const counts = calendars.map(({ events }) => events.length)
    expect(counts[0]).toBeGreaterThan(10)
    expect(counts[1]).toBeGreaterThan(counts[0] ?? 0)
    expect(feeds[0]?.entries.map(({ link }) => link.split('/').at(-1))).toEqual([
      weekly.feed_id,
      price.feed_id,
    ])
  })

  test('default: its program prints events and entries', async () => {
    const [program = ''] = snippetsOf(PAGE, 'python')
    const { exitCode, stdout, stderr } = await python.run(['-c', here(program)])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain('2026-11-25 17:00:00+00:00 Natural gas storage, week ending 20 Nov 2026\n')
  })

  test('default: the page names the limits of the code', async () => {
    const page = await readPage(PAGE)
    expect(page).toContain('the newest 50 attested values')
    expect(page).toContain('natural-gas-storage-20261120@casper-test.wattfeed')
  })
})
