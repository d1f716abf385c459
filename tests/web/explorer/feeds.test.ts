import { describe, expect, test } from 'bun:test'
import flagshipFeeds from 'wattfeed/feeds.json' with { type: 'json' }
import { type FeedReading, mergeReadings } from '../../../src/web/explorer/data/readings.ts'
import { type RecentValues, withValue } from '../../../src/web/explorer/data/recentValues.ts'
import type { FeedState } from '../../../src/web/explorer/data/statuses.ts'
import {
  bestKnown,
  countFamilies,
  type Order,
  select,
  selectionOf,
} from '../../../src/web/explorer/pages/feeds/selection.ts'
import { pointsOf } from '../../../src/web/explorer/pages/feeds/sparkline.tsx'
import { windowAt } from '../../../src/web/explorer/pages/feeds/useWindow.ts'
import { readingOf } from '../../server/fakeClient.ts'

const feedOf = (feed_id: string, fields: Partial<FeedReading> = {}): FeedReading => ({
  ...readingOf({ feed_id }),
  amount: '1',
  ...fields,
})

const gas = feedOf('GAS', { title: 'Henry Hub natural gas spot price', updated_at: 2 })
const diesel = feedOf('DIESEL', {
  title: 'US retail diesel price',
  route: 'petroleum/pri/gnd',
  updated_at: 3,
})
const odd = feedOf('ODD', { title: 'x', description: 'made up', route: 'no/family', updated_at: 1 })
const feeds = [gas, diesel, odd]

type Statuses = ReadonlyMap<string, { state: FeedState }>

const idsOf = (query: string, statuses: Statuses | null = null) =>
  select(feeds, selectionOf(new URLSearchParams(query)), statuses).map(({ feed_id }) => feed_id)

describe('the visible part of the list', () => {
  test.each([
    ['', ['DIESEL', 'GAS', 'ODD']],
    ['sort=registered', ['GAS', 'DIESEL', 'ODD']],
    ['q=PRICE', ['DIESEL', 'GAS']],
    ['q=price%20%20diesel', ['DIESEL']],
    ['q=pri/gnd', ['DIESEL']],
    ['q=nothing', []],
    ['family=petroleum', ['DIESEL']],
    ['family=other', ['ODD']],
    ['sort=newest', ['DIESEL', 'GAS', 'ODD']],
    ['sort=title', ['GAS', 'DIESEL', 'ODD']],
    ['sort=constructor', ['DIESEL', 'GAS', 'ODD']],
  ])('default: ?%s', (query, ids) => expect(idsOf(query)).toEqual(ids))

  test('default: the best known feeds first, then the others by id, however they were registered', () => {
    const others = ['EIA.A', 'EIA.PET.PRICE.WTI.DAILY.2', 'a', 'toString', 'ä']
    const registered = [...others, ...bestKnown].map((id) => feedOf(id, { title: id, updated_at: 1 }))
    const selection = selectionOf(new URLSearchParams())
    for (const order of [registered, registered.toReversed()])
      expect(select(order, selection, null).map(({ feed_id }) => feed_id)).toEqual([...bestKnown, ...others])
    expect(bestKnown.slice(0, 4)).toEqual([
      'EIA.PET.PRICE.WTI.DAILY',
      'EIA.NG.PRICE.HENRYHUB.DAILY',
      'EIA.PET.PRICE.GASOLINE_RETAIL.WEEKLY',
      'EIA.ELEC.DEMAND.US48.HOURLY',
    ])
  })

  test('behavior: feeds that an order does not distinguish are in the default order', () => {
    const registered = ['B', 'A', 'EIA.PET.PRICE.WTI.DAILY'].map((id) =>
      feedOf(id, { title: 'Same', updated_at: 1 }),
    )
    for (const order of ['title', 'newest', 'status'] satisfies Order[]) {
      const shown = select(registered, { words: '', family: null, order }, null)
      expect(shown.map(({ feed_id }) => feed_id)).toEqual(['EIA.PET.PRICE.WTI.DAILY', 'A', 'B'])
    }
  })

  test('default: the best known feeds are flagship feeds, each once', () => {
    expect(new Set(bestKnown).size).toBe(bestKnown.length)
    const flagship = new Set(flagshipFeeds.map(({ feed_id }) => feed_id))
    expect(bestKnown.filter((id) => !flagship.has(id))).toEqual([])
  })

  test('behavior: late ones first; without a status last', () => {
    const statuses: Statuses = new Map([
      ['GAS', { state: 'current' }],
      ['ODD', { state: 'stale' }],
    ])
    expect(idsOf('sort=status', statuses)).toEqual(['ODD', 'GAS', 'DIESEL'])
  })

  test('behavior: the list that it is taken of stays in its order', () => {
    for (const order of ['title', 'newest', 'status'] satisfies Order[]) idsOf(`sort=${order}`)
    expect(feeds).toEqual([gas, diesel, odd])
  })

  test('default: families by their size; routes that are not EIA’s share one', () => {
    expect(countFamilies([...feeds, odd])).toEqual([
      ['other', 2],
      ['natural-gas', 1],
      ['petroleum', 1],
    ])
  })
})

test('default: a changed reading replaces the old one, and a new feed is last', () => {
  const [newer, added] = [feedOf('DIESEL', { amount: '2' }), feedOf('NEW')]
  const changed = new Map([newer, added].map((feed) => [feed.feed_id, feed]))
  const merged = mergeReadings(feeds, changed)
  expect(merged).toEqual([gas, newer, odd, added])
  expect(merged[0]).toBe(gas)
})

describe('the rows of a long list', () => {
  test('default: those on the screen and some around', () => {
    expect(windowAt(-3, 10)).toEqual({ first: 0, end: 20 })
    expect(windowAt(502, 12)).toEqual({ first: 490, end: 530 })
  })

  test('behavior: a short way of scrolling renders nothing', () => {
    expect(windowAt(504, 12)).toEqual(windowAt(500, 12))
  })

  test.each([0, 1, 4, 5, 333, 9_999])('behavior: at row %d the screen is covered', (top) => {
    const { first, end } = windowAt(top + 0.9, 12.3)
    expect([first <= top, end >= top + 14]).toEqual([true, true])
  })
})

describe('a sparkline', () => {
  const known: RecentValues = {
    decimals: 1,
    count: 3,
    updatedAt: 50,
    items: [
      { period: 1, value: 10 },
      { period: 3, value: 30 },
    ],
  }
  const next = { feed_id: 'A', index: 3, decimals: 1, period: 2, value: 20, updated_at: 60 }

  test('behavior: a streamed value is placed by its period, and a revision replaces the earlier value', () => {
    const added = withValue(known, next)
    expect([added.count, added.updatedAt, added.items.map(({ value }) => value)]).toEqual([
      4,
      60,
      [10, 20, 30],
    ])
    const revised = withValue(added, { ...next, index: 4, period: 3, value: 31 })
    expect(revised.items.map(({ value }) => value)).toEqual([10, 20, 31])
  })

  test('behavior: only the newest 60 periods are kept', () => {
    let values: RecentValues = { ...known, count: 0, items: [] }
    for (let index = 0; index < 70; index++) values = withValue(values, { ...next, index, period: index })
    expect([values.items.length, values.items[0]?.period]).toEqual([60, 10])
  })

  test.each([
    ['a gap', { index: 5 }],
    ['other decimals', { decimals: 2 }],
  ])('behavior: after %s the values are outdated, so that they are read again', (_, fields) => {
    const { updatedAt, items } = withValue(known, { ...next, ...fields })
    expect([updatedAt < next.updated_at, items]).toEqual([true, known.items])
  })

  test('default: from the left to the right, the least at the bottom', () => {
    expect(pointsOf([1, 3, 2])).toEqual([
      [3, 25],
      [48, 3],
      [93, 14],
    ])
  })

  test('behavior: a single value is a dot on the right', () => {
    expect(pointsOf([5])).toEqual([[93, 14]])
  })

  test('behavior: equal values lie in the middle', () => {
    expect(pointsOf([5, 5])).toEqual([
      [3, 14],
      [93, 14],
    ])
  })
})
