import { describe, expect, test } from 'bun:test'
import { weekdayOf } from '@wattfeed/eia'
import { casperTest, type Snapshot } from 'wattfeed'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { federalHolidayOn } from '../../../packages/eia/src/holidays.ts'
import { readNewestAttested } from '../../../src/server/calendar/attestedValues.ts'
import { calendar } from '../../../src/server/calendar/plugin.ts'
import { createNewestValues } from '../../../src/server/readers/newestValues.ts'
import { nextLook } from '../../support/nextLook.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const ID = 'STORAGE'
const storage = { route: 'natural-gas/stor/wkly', frequency: 'weekly', title: 'Gas in storage' }
const START = Date.parse('2026-10-29T14:40:00Z')
const NOW = START + 15 * 60_000
const ORIGIN = 'https://feeds.example.com'

/** A chain whose blocks are made after the release of 29 October 2026. */
async function createStorageChain(feeds = 0) {
  const chain = await createRegistryChain({ feeds, startMs: START })
  chain.register(ID, storage)
  chain.attest(ID, { amount: 1n, period: 20_261_016 })
  await chain.advance()
  return chain
}

async function openWorld(feeds = 0) {
  const chain = await createStorageChain(feeds)
  const { client, calls } = localClient(chain)
  await client.listReadings()
  const network = { ...chain, feedRegistryPackageHash: '', attestationRegistryPackageHash: '' }
  const app = createTestApp({ client, network, now: () => NOW, publicUrl: ORIGIN })
  return { chain, app, calls }
}

describe('GET /v1/calendar', () => {
  test('default: planned releases by schedule, with the basis', async () => {
    const { app } = await openWorld()
    const { status, body } = await answerOf(app, '/v1/calendar')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      notice: 'Test data of a development chain: the figures are invented.',
      icalendar: '/calendar.ics',
      atom: '/feed.atom',
      schedules: [
        {
          schedule: 'natural-gas-storage',
          rule: 'natural-gas-storage',
          valid_from: '2015-11-06',
          basis: expect.stringContaining('ir.eia.gov/ngs/notice.html'),
          is_assumed: false,
          grace_ms: 6 * 3_600_000,
          feed_ids: [ID],
        },
      ],
    })
    expect(body.releases.slice(0, 4)).toEqual([
      {
        schedule: 'natural-gas-storage',
        frequency: 'weekly',
        period: 20_261_023,
        period_start: '2026-10-17',
        period_end: '2026-10-23',
        due_at: Date.parse('2026-10-29T14:30Z'),
        due_on: '2026-10-29',
        moved: null,
        sequence: 0,
      },
      expect.objectContaining({ due_on: '2026-11-05', sequence: 0 }),
      expect.objectContaining({
        due_on: '2026-11-13',
        moved: { by: 'Veterans Day', usual_at: Date.parse('2026-11-12T15:30Z') },
        sequence: 1,
      }),
      expect.objectContaining({ due_on: '2026-11-19', moved: null }),
    ])
    expect(body.releases.at(-1).due_on).toBe('2026-12-24')
  })

  test('behavior: a time that EIA announced names itself, and raises the sequence', async () => {
    const reading = readingOf({ ...storage, feed_id: ID, period: 20_251_212 })
    const client = createFakeClient({ readings: [reading], getValueHistory: async () => [] })
    const app = createTestApp({ client, now: () => Date.parse('2025-12-20T12:00:00Z') })
    const { body } = await answerOf(app, '/v1/calendar')
    expect(body.releases[0]).toMatchObject({
      period: 20_251_219,
      due_at: Date.parse('2025-12-29T17:00Z'),
      moved: { by: 'announcement', usual_at: Date.parse('2025-12-25T15:30Z') },
      sequence: 2,
    })
    const events = (await (await ask(app, '/calendar.ics')).text()).split('BEGIN:VEVENT')
    const event = events.find((text) =>
      text.includes('UID:natural-gas-storage-20251219@casper-test.wattfeed'),
    )
    expect(event).toContain('SEQUENCE:2\r\n')
    expect(event).toContain('DTSTART:20251229T170000Z\r\nDURATION:PT15M\r\n')
  })

  test('default: on a public chain there is no notice, and without an origin no Atom feed', async () => {
    const client = createFakeClient({ readings: [readingOf()], getValueHistory: async () => [] })
    const { body } = await answerOf(createTestApp({ client }), '/v1/calendar')
    expect([body.notice, body.atom]).toEqual([null, null])
  })

  test('behavior: a release before the feed’s first value is not compared', async () => {
    const { chain, app } = await openWorld(1)
    chain.attest(ID, { amount: 2n, period: 20_261_023 })
    await chain.advance()
    // A revision changes nothing.
    chain.attest(ID, { amount: 3n, period: 20_261_023 })
    await chain.advance()
    const { body } = await answerOf(app, '/v1/calendar')
    const { feeds, punctuality } = body
    expect(feeds.map(({ feed_id }: { feed_id: string }) => feed_id)).toEqual([testFeedId(0), ID])
    const [, { past, ...feed }] = feeds
    expect(past).toEqual([])
    expect(feed.punctuality).toEqual({
      releases: 0,
      on_time: 0,
      share_on_time: null,
      median_delay_ms: null,
    })
    expect(punctuality.releases).toBe(0)
  })

  test('default: planned against attested time, per feed and as a whole; the next value costs four calls', async () => {
    const chain = await createRegistryChain({ startMs: Date.parse('2026-10-29T14:29:00Z') })
    chain.register(ID, storage)
    chain.attest(ID, { amount: 1n, period: 20_261_016 })
    await chain.advance()
    for (let block = 0; block < 6; block++) await chain.advance()
    chain.attest(ID, { amount: 2n, period: 20_261_023 })
    await chain.advance()
    const { client, calls } = localClient(chain)
    await client.listReadings()
    const app = createTestApp({ client, now: () => NOW })
    const { body } = await answerOf(app, '/v1/calendar')
    const [feed] = body.feeds
    const [past] = feed.past
    expect([feed.past.length, past.period, past.due_at, past.delay_ms, past.is_on_time]).toEqual([
      1,
      20_261_023,
      Date.parse('2026-10-29T14:30Z'),
      past.attested_at - past.due_at,
      true,
    ])
    expect(past.delay_ms).toBeGreaterThan(0)
    const figures = { releases: 1, on_time: 1, share_on_time: 1, median_delay_ms: past.delay_ms }
    expect([feed.punctuality, body.punctuality]).toEqual([figures, figures])

    calls.reset()
    await ask(app, '/v1/calendar')
    expect(calls.total()).toBe(1)
    chain.attest(ID, { amount: 3n, period: 20_261_030 })
    await chain.advance()
    await client.listReadings()
    calls.reset()
    const later = await answerOf(app, '/v1/calendar')
    expect(later.body.feeds[0].punctuality.releases).toBe(2)
    // The state root, the number of values, the last known value and the new one.
    expect(calls.total()).toBe(4)
  })

  test('behavior: of many feeds the values are read in the background, and until then they are null', async () => {
    const { app } = await openWorld(20)
    const first = await ask(app, '/v1/calendar')
    expect(first.headers.get('cache-control')).toBe('no-store')
    const isRead = ({ past }: { past: unknown }) => past !== null
    expect((await first.json()).feeds.some(isRead)).toBe(false)
    while (!(await answerOf(app, '/v1/calendar')).body.feeds.every(isRead)) await nextLook()
    expect((await ask(app, '/v1/calendar')).headers.get('cache-control')).toBe('no-cache')
  })

  test('behavior: ids select feeds, and a forecast and an unknown frequency have no past', async () => {
    const readings = [
      readingOf({ feed_id: 'A', route: 'steo', frequency: 'monthly', period: 202_612 }),
      readingOf({ feed_id: 'B', frequency: 'fortnightly' }),
      readingOf({ feed_id: 'C' }),
    ]
    const client = createFakeClient({ readings, getValueHistory: async () => [] })
    const app = createTestApp({ client })
    const { body } = await answerOf(app, '/v1/calendar?id=B&id=A&id=A')
    const found = body.feeds.map(({ feed_id, schedule, past }: Record<string, unknown>) => [
      feed_id,
      schedule,
      past,
    ])
    expect(found).toEqual([
      ['A', 'short-term-energy-outlook', []],
      ['B', null, []],
    ])
  })

  test('behavior: within half an hour the answer stays the same, so it is a 304', async () => {
    const client = createFakeClient({ getValueHistory: async () => [] })
    let now = Date.parse('2026-11-20T15:00:00Z')
    const app = createTestApp({ client, now: () => now })
    for (const path of ['/v1/calendar', '/calendar.ics']) {
      const etag = (await ask(app, path)).headers.get('etag') ?? ''
      now += 29 * 60_000
      const again = await ask(app, path, { headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      now -= 29 * 60_000
    }
  })

  test('error: an unknown feed is a 404, other parameters and too many ids are a 400', async () => {
    const app = createTestApp({ publicUrl: ORIGIN })
    for (const path of ['/v1/calendar', '/calendar.ics', '/feed.atom']) {
      expect(await answerOf(app, `${path}?id=NOPE`)).toEqual({
        status: 404,
        body: { error: 'feed not found on-chain: NOPE' },
      })
      const { status, body } = await answerOf(app, `${path}?ids=A`)
      expect([status, body.error]).toEqual([400, 'unknown query parameter "ids"; allowed: id'])
    }
    const many = Array.from({ length: 21 }, (_, index) => `id=${index}`).join('&')
    expect((await answerOf(app, `/feed.atom?${many}`)).body.error).toBe('id=20: pass it at most 20 times')
  })

  test('error: when too many feeds wait for their values, it is a 429', async () => {
    const readings = Array.from({ length: 80 }, (_, index) => readingOf({ feed_id: `F${index}` }))
    const client = createFakeClient({ readings, getValueHistory: () => new Promise(() => {}) })
    const app = createTestApp({ client, publicUrl: ORIGIN })
    const atoms = readings.slice(0, 69).map(({ feed_id }) => ask(app, `/feed.atom?id=${feed_id}`))
    const busy = await Promise.race(atoms)
    expect([busy.status, busy.headers.get('x-wattfeed-error'), busy.headers.get('retry-after')]).toEqual([
      429,
      'history_busy',
      '4',
    ])
  })
})

test('GET /v1/calendar is not stored if the cache has dropped values that it has just read', async () => {
  const readings = [readingOf()]
  const at = await createFakeClient({ readings }).snapshot()
  const server = {
    answerAt: <T>(_: object, read: (at: Snapshot) => Promise<T>) => read(at),
    site: { origin: null, isPublicChain: true },
    network: casperTest,
    now: () => NOW,
  }
  const app = calendar(server, {
    ...createNewestValues(createFakeClient()),
    peek: () => null,
    read: async () => ({ values: [], isWhole: true, count: 0 }),
  })
  const response = await app.handle(new Request('http://localhost/v1/calendar'))
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect((await response.json()).feeds).toMatchObject([{ past: null, punctuality: null }])
})

describe('GET /feed.atom', () => {
  test('default: the newest values of all feeds, by one state root and the event log', async () => {
    const { chain, app, calls } = await openWorld(2)
    const first = await ask(app, '/feed.atom')
    expect([first.status, first.headers.get('content-type')]).toEqual([
      200,
      'application/atom+xml; charset=utf-8',
    ])
    const ids = [...(await first.text()).matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id)
    const tag = `tag:feeds.example.com,2026:${chain.chainName}`
    expect(ids).toEqual([
      `${tag}/feed.atom`,
      `${tag}/feeds/STORAGE/values/0`,
      `${tag}/feeds/TEST.FEED.1/values/0`,
      `${tag}/feeds/TEST.FEED.0/values/0`,
    ])
    calls.reset()
    await ask(app, '/feed.atom')
    expect(calls.total()).toBe(1)
  })

  test('behavior: of one feed it has its values; ids stay the same when others are attested', async () => {
    const { chain, app } = await openWorld(1)
    const idsOf = async () =>
      [
        ...(await (await ask(app, `/feed.atom?id=${ID}`)).text()).matchAll(/<id>[^<]*values\/(\d+)<\/id>/g),
      ].map(([, index]) => Number(index))
    expect(await idsOf()).toEqual([0])
    chain.attest(testFeedId(0), { amount: 5n })
    chain.attest(ID, { amount: 2n, period: 20_261_023 })
    await chain.advance()
    expect(await idsOf()).toEqual([1, 0])
  })

  test('behavior: values have the metadata that their feed has now', async () => {
    const { chain, app } = await openWorld()
    expect(await (await ask(app, '/feed.atom')).text()).toContain('Gas in storage: 0.000001 ')
    chain.register(ID, { ...storage, title: 'Working gas', decimals: 1 })
    await chain.advance()
    expect(await (await ask(app, '/feed.atom')).text()).toContain('Working gas: 0.1 ')
  })

  test('behavior: values of a replaced chain are read again', async () => {
    const amountsAt = async (chain: object, amount: bigint) => {
      const reading = readingOf({ amount })
      const value = { ...reading, timestamp: reading.updated_at, attester: '' }
      const logs = {
        chain,
        lengths: { FeedRegistry: 1, AttestationRegistry: 1 },
        entries: new Map([[reading.feed_id, { feed: reading, reading }]]),
        readEvent: async () => ({ digest: '', event: { feedId: reading.feed_id, index: 0, value } }),
      }
      return (await readNewestAttested({ logs: async () => logs } as unknown as Snapshot, 50)).map(
        (each) => each.amount,
      )
    }
    const chain = {}
    expect([await amountsAt(chain, 1n), await amountsAt(chain, 2n), await amountsAt({}, 3n)]).toEqual([
      [1n],
      [1n],
      [3n],
    ])
  })

  test('error: without a public address it is a 404 that names the setting', async () => {
    const response = await ask(createTestApp(), '/feed.atom')
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([404, 'public_url_unset'])
    expect((await response.json()).error).toContain('PUBLIC_URL')
  })

  test('behavior: the Host header changes nothing', async () => {
    const { app } = await openWorld()
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    expect(await (await ask(app, '/feed.atom', { headers })).text()).not.toContain('evil')
    expect(await (await ask(app, '/calendar.ics', { headers })).text()).not.toContain('evil')
  })
})

test('behavior: no assumed day is a weekend or a federal holiday: in the calendar, in its file and in the status', async () => {
  const assumed = (frequency: string, period: number) =>
    readingOf({
      feed_id: frequency,
      route: frequency === 'daily' ? 'petroleum/pri/spt' : 'x',
      frequency,
      period,
    })
  const readings = [
    assumed('daily', 20_261_029),
    // A Thursday, so that one of its releases would be on Thanksgiving Day.
    assumed('weekly', 20_261_029),
    assumed('monthly', 202_607),
    assumed('annual', 2024),
  ]
  const app = createTestApp({ client: createFakeClient({ readings }), now: () => NOW })
  const { body: calendar } = await answerOf(app, '/v1/calendar')
  const { body: status } = await answerOf(app, '/v1/status')
  const file = await (await ask(app, '/calendar.ics')).text()
  const days: Record<string, string[]> = {
    calendar: calendar.releases.map(({ due_on }: { due_on: string }) => due_on),
    status: status.feeds.flatMap(({ due_on, next_due_on }: Record<string, string>) => [due_on, next_due_on]),
    file: [...file.matchAll(/DTSTART;VALUE=DATE:(\d{4})(\d\d)(\d\d)/g)].map(([, ...date]) => date.join('-')),
  }
  for (const [where, planned] of Object.entries(days)) {
    expect([where, planned.length > 5]).toEqual([where, true])
    const closed = planned.filter((date) => {
      const day = Date.parse(date) / 86_400_000
      return [0, 6].includes(weekdayOf(day)) || federalHolidayOn(day) !== null
    })
    expect([where, closed]).toEqual([where, []])
  }
  // Two days' prices on a Monday are two events, and programs that had the old day move it.
  expect(file.match(/SEQUENCE:1/g)?.length).toBeGreaterThan(20)
})

describe('GET /calendar.ics', () => {
  test('default: it needs no public address, and has a link if there is one', async () => {
    const { app } = await openWorld()
    expect(await (await ask(app, '/calendar.ics')).text()).toContain(`${ORIGIN}/explorer/calendar`)
    const plain = await ask(createTestApp(), '/calendar.ics')
    expect([plain.status, plain.headers.get('content-type')]).toEqual([
      200,
      'text/calendar; charset=utf-8; method=PUBLISH',
    ])
    expect(await plain.text()).not.toContain('URL')
  })

  test('behavior: an event of a whole day has no duration, and a text of a stranger adds none', async () => {
    const title = 'x\r\nDTSTART:20251229T170000Z'
    const readings = [
      readingOf({ feed_id: 'A', route: 'x', frequency: 'monthly', period: 202_609, title }),
      readingOf({ ...storage, feed_id: ID, period: 20_261_113, title }),
    ]
    const app = createTestApp({ client: createFakeClient({ readings }) })
    const [, ...events] = (await (await ask(app, '/calendar.ics')).text()).split('BEGIN:VEVENT')
    const daysOf = (start: RegExp) => events.filter((event) => start.test(event))
    const [timed, wholeDay] = [daysOf(/^DTSTART:/m), daysOf(/^DTSTART;VALUE=DATE:/m)]
    expect([timed.length > 0, wholeDay.length > 0, timed.length + wholeDay.length]).toEqual([
      true,
      true,
      events.length,
    ])
    const durations = (event: string) => event.split('\r\nDURATION:PT15M\r\n').length - 1
    expect([new Set(timed.map(durations)), new Set(wholeDay.map(durations))]).toEqual([
      new Set([1]),
      new Set([0]),
    ])
  })

  test('behavior: a feed with a blank title is listed by its id', async () => {
    const readings = [readingOf({ ...storage, feed_id: ID, period: 20_261_113, title: ' ' })]
    const app = createTestApp({ client: createFakeClient({ readings }) })
    expect(await (await ask(app, '/calendar.ics')).text()).toContain(`\\n- ${ID}`)
  })

  test('default: HEAD has the headers without a body', async () => {
    const head = await ask(createTestApp(), '/calendar.ics', { method: 'HEAD' })
    expect([head.status, head.headers.get('etag') !== null, await head.text()]).toEqual([200, true, ''])
  })
})
