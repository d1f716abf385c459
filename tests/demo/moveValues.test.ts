import { expect, test } from 'bun:test'
import { planPast } from '../../src/demo/attestPast.ts'
import { committeeTurns, feedsOfTurn, moveValues } from '../../src/demo/moveValues.ts'
import { eiaRowsOf } from '../../src/demo/standIn/releaseRows.ts'
import { createUpstream } from '../../src/demo/standIn/upstream.ts'
import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'

const START = Date.parse('2026-12-05T12:30Z')
const feeds = await loadFeeds(null)

test('default: hourly feeds move in each turn, daily ones less often, annual ones rarely', () => {
  const moved = Array.from({ length: 400 }, (_, index) => feedsOfTurn(feeds, index)).flat()
  const times = Map.groupBy(moved, ({ frequency }) => frequency)
  expect([...times].map(([frequency, { length }]) => [frequency, length])).toEqual([
    ['hourly', 400],
    ['daily', 80],
    ['weekly', 20],
    ['monthly', 6],
    ['annual', 1],
  ])
})

test("behavior: in a committee's demo, each weekly feed moves every few minutes, so that a dataset does", () => {
  const moved = Array.from({ length: 20 }, (_, index) => feedsOfTurn(feeds, index, committeeTurns)).flat()
  const weekly = feeds.filter(({ frequency }) => frequency === 'weekly')
  expect(new Set(moved.filter(({ frequency }) => frequency === 'weekly'))).toEqual(new Set(weekly))
})

test('behavior: the feeds of a frequency take turns, and the demand for power begins', () => {
  expect([0, 1, 2].map((index) => feedsOfTurn(feeds, index).map(({ feed_id }) => feed_id))).toEqual([
    ['EIA.ELEC.DEMAND.US48.HOURLY'],
    ['EIA.ELEC.GEN_NG.US48.HOURLY'],
    ['EIA.ELEC.DEMAND.US48.HOURLY'],
  ])
  const moved = Array.from({ length: 30 }, (_, index) => feedsOfTurn(feeds, index)).flat()
  const daily = feeds.filter(({ frequency }) => frequency === 'daily')
  expect(new Set(moved.filter(({ frequency }) => frequency === 'daily'))).toEqual(new Set(daily))
})

test('behavior: a turn revises the newest value, and before that adds the values that are due', () => {
  const upstream = createUpstream()
  planPast(feeds, upstream, START)
  const [demand] = feedsOfTurn(feeds, 0)
  if (demand === undefined) throw new Error('no feed moves in the first turn')
  const [before] = eiaRowsOf(upstream, demand)
  moveValues(upstream, feeds, { index: 0, now: START, random: () => 0.75 })
  const [revised] = eiaRowsOf(upstream, demand)
  expect([before?.period, revised?.period]).toEqual(['2026-12-05T11', '2026-12-05T11'])
  expect(Number(revised?.value) / Number(before?.value)).toBeCloseTo(1.005, 3)

  moveValues(upstream, feeds, { index: 1, now: START + 3_600_000, random: () => 0.75 })
  const [released, kept] = eiaRowsOf(upstream, demand)
  expect([released?.period, kept]).toEqual(['2026-12-05T12', revised])
})
