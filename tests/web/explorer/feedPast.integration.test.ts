import { describe, expect, test } from 'bun:test'
import { shellQuoted } from '../../../src/web/cite/shell.ts'
import { alignLines, lineOf, pointAt } from '../../../src/web/explorer/chart/lines.ts'
import { extentOf, pan, zoom } from '../../../src/web/explorer/chart/range.ts'
import type { HistoryItem } from '../../../src/web/explorer/data/feedHistory.ts'
import type { FeedReading } from '../../../src/web/explorer/data/readings.ts'
import { comparedFeeds } from '../../../src/web/explorer/pages/feed/compare.tsx'
import { snippetsOf } from '../../../src/web/explorer/pages/feed/snippets.ts'
import { queryOf, type View, viewOf } from '../../../src/web/explorer/pages/feed/view.ts'
import { selectRows } from '../../../src/web/explorer/pages/feed/vintages.ts'
import { longHistory } from './support/longHistory.ts'

const itemOf = (index: number, period: number, value: number, revision = 0): HistoryItem => ({
  index,
  period,
  period_start: `${period}-01-01`,
  period_end: `${period}-12-31`,
  value,
  amount: String(value),
  revision,
  source_hash: '',
  attester: '',
  attested_at: 1_000 * index,
})

// 2021 came late, and 2020 was revised twice.
const items = [
  itemOf(0, 2020, 10),
  itemOf(1, 2022, 30),
  itemOf(2, 2020, 11, 1),
  itemOf(3, 2021, 20),
  itemOf(4, 2020, 12, 2),
].toReversed()

const indicesOf = (rows: readonly HistoryItem[]): number[] => rows.map(({ index }) => index)

describe('rows of a history', () => {
  test.each([
    ['latest', null, [4, 3, 1]],
    ['first', null, [0, 3, 1]],
    ['all', null, [0, 1, 2, 3, 4]],
    ['latest', 2_500, [2, 1]],
    ['first', 2_500, [0, 1]],
    ['all', 1_000, [0, 1]],
    ['latest', -1, []],
  ] as const)('default: %s as of %p', (vintages, asOf, indices) => {
    expect(indicesOf(selectRows(items, { vintages, asOf }))).toEqual([...indices])
  })

  test('behavior: while the oldest values are not read, a period without its first print has none', () => {
    expect(indicesOf(selectRows(items.slice(0, 3), { vintages: 'first', asOf: null }))).toEqual([3])
  })
})

describe('lines', () => {
  const latest = lineOf(selectRows(items, { vintages: 'latest', asOf: null }), false)

  test('default: values stand at their periods, or as steps at their blocks, of which the last value counts', () => {
    expect([latest.x, latest.y, latest.isStepped]).toEqual([
      [2020, 2021, 2022].map((year) => Date.UTC(year, 0)),
      [12, 20, 30],
      false,
    ])
    const [newest, ...rest] = items
    const sameBlock = [{ ...items[0], attested_at: 3_000 } as HistoryItem, ...rest].toReversed()
    expect(newest).toBeDefined()
    const steps = lineOf(sameBlock, true)
    expect([steps.x, steps.y, steps.isStepped]).toEqual([[0, 1_000, 2_000, 3_000], [10, 30, 11, 12], true])
  })

  test('behavior: rows without a start time or a finite value are not drawn', () => {
    const odd = [
      { ...itemOf(0, 1, 1), period_start: null },
      { ...itemOf(1, 2020, Number.POSITIVE_INFINITY), period_start: '2020-01-01' },
    ]
    expect(lineOf(odd, false).x).toEqual([])
    expect(extentOf([lineOf(odd, false)])).toBeNull()
  })

  test('default: lines of several feeds share an axis', () => {
    const other = { ...latest, x: [Date.UTC(2021, 0), Date.UTC(2023, 0)], y: [1, 2] }
    expect(alignLines([latest, other])).toEqual([
      [2020, 2021, 2022, 2023].map((year) => Date.UTC(year, 0)),
      [12, 20, 30, undefined],
      [undefined, 1, undefined, 2],
    ])
    expect(alignLines([latest])).toEqual([[...latest.x], [12, 20, 30]])
  })

  test('default: a moment’s point is the nearest, or the step before it', () => {
    const line = { ...latest, x: [0, 10, 20] }
    const [straight, steps] = [line, { ...line, isStepped: true }]
    expect([-5, 4, 6, 10, 99].map((at) => pointAt(straight, at))).toEqual([0, 0, 1, 1, 2])
    expect([-5, 4, 6, 10, 99].map((at) => pointAt(steps, at))).toEqual([-1, 0, 0, 1, 2])
    expect(pointAt({ ...line, x: [] }, 5)).toBe(-1)
  })

  test('behavior: 100,000 values are prepared whole, in their order', () => {
    const all = longHistory(100_000)
    const rows = selectRows(all, { vintages: 'latest', asOf: null })
    const line = lineOf(rows, false)
    expect(line.x.length).toBe(new Set(all.map(({ period }) => period)).size)
    expect(line.x.every((at, index) => index === 0 || at > (line.x[index - 1] ?? at))).toBeTrue()
    expect(lineOf(selectRows(all, { vintages: 'all', asOf: null }), true).y.length).toBeGreaterThan(90_000)
  })
})

describe('the part of the time in view', () => {
  const HOUR = 3_600_000
  const extent = { from: 0, to: 1_000 * HOUR }

  test('default: it is zoomed around a place, moved, and kept within all', () => {
    const half = zoom(extent, 0.5, 0.5, extent)
    expect(half).toEqual({ from: 250 * HOUR, to: 750 * HOUR })
    if (half === null) return
    expect(pan(half, 0.25, extent)).toEqual({ from: 375 * HOUR, to: 875 * HOUR })
    expect(pan(half, 9, extent)).toEqual({ from: 500 * HOUR, to: 1_000 * HOUR })
    expect(zoom(half, 9, 0.5, extent)).toBeNull()
    expect(zoom(half, 1e-9, 0.5, extent)).toEqual({ from: 499.5 * HOUR, to: 500.5 * HOUR })
  })
})

const readingOf = (feed_id: string): FeedReading => ({
  feed_id,
  title: feed_id,
  unit: '$/gal',
  decimals: 3,
  source: 'EIA',
  route: '',
  frequency: 'weekly',
  description: '',
  value: 1,
  amount: '1000',
  period: 20261116,
  source_hash: '',
  updated_at: 0,
})

describe('the view in the address', () => {
  const view: View = {
    vintages: 'first',
    asOf: Date.UTC(2026, 10, 20, 15) + 123,
    range: { from: Date.UTC(2020, 0), to: Date.UTC(2021, 0) },
    compared: ['a&b=c', 'ü'],
    period: 20261116,
  }

  test('default: it is read as it was written', () => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(queryOf(view)))
      for (const each of [value ?? []].flat()) query.append(name, each)
    expect(viewOf(query)).toEqual(view)
    expect(query.get('as_of')).toBe('2026-11-20T15:00:00.123Z')
    expect(query.get('from')).toBe('2020-01-01T00:00:00Z')
  })

  test.each([
    '',
    'vintages=constructor&as_of=never&from=2021-01-01&to=2020-01-01',
    'as_of=%2B275760-09-13&from=2020-01-01&period=2026-11-16',
  ])('behavior: ?%s is the default view', (query) => {
    expect(viewOf(new URLSearchParams(query))).toEqual({
      vintages: null,
      asOf: null,
      range: null,
      compared: [],
      period: null,
    })
  })

  test('behavior: feeds to compare are named once each, also those that a chart has no room for', () => {
    const { compared } = viewOf(
      new URLSearchParams('compare=a&compare=a&compare=b&compare=c&compare=d&compare=e'),
    )
    expect(compared).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('error: a sixth feed of a chart is left out, with the reason', () => {
    const [own, ...others] = ['own', 'a', 'b', 'c', 'd', 'e'].map(readingOf)
    if (own === undefined) throw new Error('no feed')
    const { shown, leftOut } = comparedFeeds(own, [own, ...others], ['a', 'b', 'c', 'd', 'e'])
    expect(shown.map(({ feed_id }) => feed_id)).toEqual(['own', 'a', 'b', 'c', 'd'])
    expect(leftOut).toEqual([{ id: 'e', reason: 'does not fit: a chart has room for 5 feeds' }])
  })
})

describe('snippets', () => {
  const HOSTILE = `a'b"c$(touch x)\`\\\u202e💡#{y}\n`

  test('default: each reads the feed from this server or from the chain', () => {
    const snippets = snippetsOf('http://localhost:4030', 'A.B')
    expect(snippets.map(({ name }) => name)).toEqual([
      'curl',
      'TypeScript',
      'Python',
      'pandas',
      'Excel',
      'Assistant (MCP)',
      'Contract',
    ])
    const codeOf = (wanted: string) => snippets.find(({ name }) => name === wanted)?.code
    for (const name of ['curl', 'TypeScript', 'pandas', 'Excel'])
      expect(codeOf(name)).toContain('http://localhost:4030/v1/feeds/A.B')
    expect(codeOf('Python')).toContain('Client("http://localhost:4030").reading("A.B")')
    expect(codeOf('pandas')).toContain('history.csv')
    expect(codeOf('Assistant (MCP)')).toContain('"url": "http://localhost:4030/mcp"')
  })

  test('behavior: any id is shown as text, with hidden characters visible', () => {
    const snippets = snippetsOf('http://localhost:4030', HOSTILE)
    for (const { code } of snippets) expect(code).toMatch(/^[\n -~]*$/)
    const [curl, typescript, python] = snippets
    const escapes = '\\U00000022c$(touch x)`\\U0000005c\\U0000202e\\U0001f4a1#{y}\\U0000000a'
    expect(python?.code).toContain(`reading("a'b${escapes}")`)
    expect(curl?.code.match(/'/g)).toHaveLength(4)
    const literal = /getReading\((".*")\)/.exec(typescript?.code ?? '')?.[1] ?? ''
    expect(JSON.parse(literal)).toBe(HOSTILE)
  })

  test.each(['A.B', 'a b', "it's", HOSTILE])('behavior: a shell reads %p as it is', (id) => {
    const { stdout } = Bun.spawnSync(['bash', '-c', `printf %s ${shellQuoted(id)}`])
    expect(stdout.toString()).toBe(id)
  })
})
