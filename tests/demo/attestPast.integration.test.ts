import { describe, expect, test } from 'bun:test'
import { encodePeriod, findCalendar, startOfPeriod } from '@wattfeed/eia'
import { clientOf } from '@wattfeed/eia/testing/eiaClientOf'
import { attestRows } from '../../src/agent/plan/attestRows.ts'
import { planPast } from '../../src/demo/attestPast.ts'
import { createUpstream, startUpstream, type Upstream } from '../../src/demo/standIn/upstream.ts'
import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'

const NOW = Date.UTC(2026, 10, 22)
const DAY_MS = 86_400_000
const FIRST_RUN = Date.UTC(2021, 0, 2)
/** The values on chain after a start at this time. The README rounds it to hundreds. */
const COUNT_AT_NOW = 1_607
const feeds = await loadFeeds(null)

/** The attestations of each feed, in order. */
function past(upstream: Upstream, now = NOW) {
  const all = planPast(feeds, upstream, now).flatMap(({ at, attestations }) =>
    attestations.map((each) => ({ ...each, at })),
  )
  return Map.groupBy(all, ({ feed_id }) => feed_id)
}

describe('planPast', () => {
  test('default: 1,600 values with the first of the agent, rounded to hundreds, on any day; the same each time', () => {
    const countAt = (now: number) =>
      planPast(feeds, createUpstream(), now).flatMap(({ attestations }) => attestations).length + feeds.length
    expect(countAt(NOW)).toBe(COUNT_AT_NOW)
    const counts = Array.from({ length: 10 }, (_, index) => countAt(NOW + index * 67 * DAY_MS))
    expect(counts.map((count) => Math.round(count / 100))).toEqual(Array(10).fill(16))
    expect(planPast(feeds, createUpstream(), NOW)).toEqual(planPast(feeds, createUpstream(), NOW))
  })

  test('behavior: on a later day, the periods before those of the fixtures have the same values and revisions', () => {
    const upstream = createUpstream()
    const known = new Map(feeds.map((feed) => [feed.feed_id, String(upstream.listRows(feed).at(-1)?.period)]))
    const today = past(upstream)
    const compared = [30, 60].map((days) => {
      const later = past(createUpstream(), NOW + days * DAY_MS)
      let compared = 0
      for (const { feed_id, frequency } of feeds) {
        const end = encodePeriod(frequency, known.get(feed_id) ?? '')
        const start = later.get(feed_id)?.[0]?.period ?? 0
        // Only a forecast has a value of a period that has not ended: both have it from the same edition.
        const ofBoth = (found: typeof today) =>
          found.get(feed_id)?.filter(({ period }) => period >= start && period < end)
        expect([feed_id, ofBoth(later)]).toEqual([feed_id, ofBoth(today)])
        compared += ofBoth(today)?.length ?? 0
      }
      return compared
    })
    expect(Math.min(...compared)).toBeGreaterThan(600)
  })

  test('behavior: times increase, and none is later than now', async () => {
    await using upstream = startUpstream()
    const now = Date.UTC(2026, 0, 1)
    const times = planPast(feeds, upstream, now).map(({ at }) => at)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    expect(times.at(-1)).toBeLessThanOrEqual(now)
    expect(times[0]).toBe(Date.UTC(2021, 0, 2))
  })

  test('behavior: the last value of each period is the upstream’s; the newest row is left for the agent', async () => {
    await using upstream = startUpstream()
    const eia = clientOf({ baseUrl: upstream.url })
    for (const [feedId, attested] of past(upstream)) {
      const feed = feeds.find(({ feed_id }) => feed_id === feedId)
      if (feed === undefined) throw new Error(feedId)
      const [newest, ...older] = await eia.listNewestRows(feed, { length: 200 })
      // The rows of the demo's datasets go back further.
      const rows = older.filter(
        ({ period }) => encodePeriod(feed.frequency, period) >= (attested[0]?.period ?? 0),
      )
      const expected = attestRows(rows, { feed, now: NOW }).attestations
      const last = new Map(
        attested.map(({ period, amount, source_hash }) => [period, { amount, source_hash }]),
      )
      expect([feedId, [...last].sort(([a], [b]) => a - b)]).toEqual([
        feedId,
        expected.map(({ period, amount, source_hash }) => [period, { amount, source_hash }]),
      ])
      const { attestations } = attestRows(newest === undefined ? [] : [newest], { feed, now: NOW })
      expect(attested.at(-1)?.period).toBeLessThan(attestations[0]?.period ?? 0)
    }
  })

  test('behavior: no value is attested before its release, and hourly ones at most 6 h after it', () => {
    for (const [feedId, attested] of past(createUpstream())) {
      const feed = feeds.find(({ feed_id }) => feed_id === feedId)
      if (feed === undefined) throw new Error(feedId)
      const [first] = attested
      const calendar = findCalendar(feed, startOfPeriod(feed.frequency, first?.period ?? 0) ?? 0)
      // Each edition of a forecast has all its periods.
      if (calendar === null || calendar.rule.isForecast) continue
      const seen = new Set<number>()
      for (const { period, at } of attested) {
        const released = calendar.releaseOf(startOfPeriod(feed.frequency, period) ?? Number.NaN)
        const delay = at - Math.max(released, FIRST_RUN)
        expect([feedId, period, delay >= 0]).toEqual([feedId, period, true])
        const limit = feed.frequency === 'hourly' ? 6 * 3_600_000 : 0
        if (!seen.has(period)) expect([feedId, period, delay <= limit]).toEqual([feedId, period, true])
        seen.add(period)
      }
    }
  })

  test('behavior: some values are revised together with the following period', async () => {
    await using upstream = startUpstream()
    let revisions = 0
    for (const [, attested] of past(upstream))
      for (const [, prints] of Map.groupBy(attested, ({ period }) => period)) {
        expect(prints.length).toBeLessThanOrEqual(2)
        const [first, second] = prints
        if (first === undefined || second === undefined) continue
        expect(first.amount).not.toBe(second.amount)
        revisions++
      }
    expect(revisions).toBeGreaterThan(30)
  })

  test('behavior: the history of each feed has the length of its frequency', async () => {
    await using upstream = startUpstream()
    const found = past(upstream)
    expect(feeds.filter(({ feed_id }) => !found.has(feed_id))).toEqual([])
    const periods = (id: string) => new Set(found.get(id)?.map(({ period }) => period))
    expect(periods('EIA.ELEC.DEMAND.US48.HOURLY').size).toBe(96)
    expect(periods('EIA.NUC.OUTAGE.US_PCT.DAILY').size).toBe(61)
    expect(periods('EIA.PET.PRICE.GASOLINE_RETAIL.WEEKLY').size).toBe(78)
    expect(periods('EIA.NG.CONS.TOTAL.MONTHLY').size).toBe(36)
    expect(periods('EIA.CO2.AGG.US_TOTAL.ANNUAL').size).toBe(10)
  })
})
