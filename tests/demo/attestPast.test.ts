import { describe, expect, test } from 'bun:test'
import { loadFeeds } from '../../src/agent/feeds/loadFeeds.ts'
import { attestRows } from '../../src/agent/plan/plan.ts'
import { planPast } from '../../src/demo/attestPast.ts'
import { startUpstream, type Upstream } from '../../src/demo/upstream.ts'
import { findCalendar } from '../../src/eia/calendar.ts'
import { encodePeriod, formatPeriod, periodStart } from '../../src/eia/period.ts'
import { clientOf } from '../eia/support/clientOf.ts'

const NOW = Date.UTC(2026, 10, 22)
const feeds = await loadFeeds(null)

/** The attestations of each feed, in order. */
function past(upstream: Upstream, now = NOW) {
  const all = planPast(feeds, upstream, now).flatMap(({ at, attestations }) =>
    attestations.map((each) => ({ ...each, at })),
  )
  return Map.groupBy(all, ({ feed_id }) => feed_id)
}

describe('planPast', () => {
  test('default: about 1,500 attestations, the same each time', async () => {
    await using upstream = startUpstream()
    await using other = startUpstream()
    const runs = planPast(feeds, upstream, NOW)
    expect(planPast(feeds, other, NOW)).toEqual(runs)
    const count = runs.flatMap(({ attestations }) => attestations).length
    expect([count > 1_400, count < 1_650]).toEqual([true, true])
  })

  test('behavior: on a later day, the periods before the recorded ones have the same values and revisions', async () => {
    await using upstream = startUpstream()
    await using other = startUpstream()
    const recorded = new Map(
      feeds.map((feed) => [feed.feed_id, String(upstream.rowsOf(feed).at(-1)?.period)]),
    )
    const today = past(upstream)
    const later = past(other, NOW + 30 * 86_400_000)
    let compared = 0
    for (const { feed_id, frequency } of feeds) {
      const end = encodePeriod(frequency, recorded.get(feed_id) ?? '')
      const start = later.get(feed_id)?.[0]?.period ?? 0
      // A forecast has past periods that are not attested yet today.
      const ofBoth = (found: typeof today) =>
        found.get(feed_id)?.filter(({ period }) => period >= start && period < end)
      expect([feed_id, ofBoth(later)]).toEqual([feed_id, ofBoth(today)])
      compared += ofBoth(today)?.length ?? 0
    }
    expect(compared).toBeGreaterThan(700)
  })

  test('behavior: at any start time, each source has the row that EIA should have released last', async () => {
    await using upstream = startUpstream()
    const later = NOW + 400 * 86_400_000
    past(upstream, later)
    // Forecasts have later periods.
    const dated = feeds.filter(({ feed_id }) => !feed_id.includes('STEO'))
    for (const feed of dated) {
      const newest = String(upstream.rowsOf(feed)[0]?.period)
      const due = findCalendar(feed, periodStart(feed.frequency, newest))?.dueAt(later)
      expect([feed.feed_id, newest]).toEqual([
        feed.feed_id,
        String(formatPeriod(feed.frequency, due?.expectedPeriod ?? 0)),
      ])
    }
    expect(dated.length).toBeGreaterThan(30)
  })

  test('behavior: on any start day, markets have no values on weekends', async () => {
    for (const day of [22, 23, 24]) {
      await using upstream = startUpstream()
      past(upstream, Date.UTC(2026, 10, day, 15))
      for (const feed of feeds.filter(({ feed_id }) => /PRICE.*DAILY$/.test(feed_id))) {
        const weekdays = upstream.rowsOf(feed).map(({ period }) => new Date(String(period)).getUTCDay())
        expect([day, feed.feed_id, weekdays.filter((each) => each % 6 === 0)]).toEqual([
          day,
          feed.feed_id,
          [],
        ])
      }
    }
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
      const [newest, ...rows] = await eia.listNewestRows(feed, { length: 200 })
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
    const days = [...periods('EIA.PET.PRICE.WTI.DAILY')].map((period) =>
      new Date(String(period).replace(/(....)(..)/, '$1-$2-')).getUTCDay(),
    )
    expect([...new Set(days)].sort()).toEqual([1, 2, 3, 4, 5])
  })
})
