import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from '@wattfeed/dataset'
import { getSeries, type SeriesRequest } from 'wattfeed/series'
import { ask, createTestApp } from '../testApp.ts'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const PRODUCTS = ['EPCBRENT', 'EPCWTI'] as const

/** Roots with one more week each, of which only some have a snapshot. */
async function invent(kept: readonly number[], count: number): Promise<InventedDataset> {
  const dataset = await inventDataset(
    Array.from({ length: count }, (_, at) => inventLeaves(PRODUCTS, at + 1)),
  )
  for (const [index, { folder }] of dataset.snapshots.entries())
    if (!kept.includes(index)) rmSync(folder, { recursive: true })
  return dataset
}

const wti: SeriesRequest = {
  ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
  facets: { product: 'EPCWTI', area: 'NUS' },
}

type Answer = Readonly<Record<string, unknown>>

/** The answer of the library, in comparable form. */
async function libraryAnswer(
  { client, place, feedId }: InventedDataset,
  request: SeriesRequest,
): Promise<Answer> {
  const files = filesBelow(place, feedId.toLowerCase())
  try {
    const found = await getSeries(client, request, { files })
    if (found === null) return { code: 'dataset_not_found' }
    const { statement, root, is_newest_root, period, value, index: leaf_index } = found
    return leaf_index === null ? { statement, root } : { root, is_newest_root, period, value, leaf_index }
  } catch (error) {
    const { code, message } = Object(error)
    return { code, message }
  }
}

/** The answer of the server, in the same form. */
async function serverAnswer({ client, place }: InventedDataset, request: SeriesRequest): Promise<Answer> {
  const { facets, period, ...names } = request
  const ofFacets = Object.entries(facets).map(([id, code]) => [`facet.${id}`, code ?? ''])
  const query = new URLSearchParams([
    ...Object.entries(names).map(([name, value]) => [name, String(value)]),
    ...ofFacets,
    ...(period == null ? [] : [['period', period]]),
  ])
  const app = createTestApp({ client, datasets: [place] })
  const response = await ask(app, `/v1/series?${query}`)
  const { root, is_newest_root, period: found, value, leaf_index, error } = Object(await response.json())
  const code = response.headers.get('x-wattfeed-error')
  if (code === null) return { root, is_newest_root, period: found, value, leaf_index }
  if (code !== 'series_absent') return { code, message: String(error) }
  const proof = await ask(app, `/v1/series/proof?${query}`)
  const { statement, root: proven } = Object(await proof.json())
  return { statement, root: proven.reading.source_hash }
}

const WEEKS = { first: '2026-01-02', third: '2026-01-16', fifth: '2026-01-30' }

/** What both say, by the roots that have a snapshot. There are five, with one week more each. */
const cases = [
  ['the newest root', [4], {}, { value: '1.40', period: WEEKS.fifth, is_newest_root: true }],
  ['a withheld value', [4], { period: WEEKS.first }, { value: null, is_newest_root: true }],
  ['an absent period', [4], { period: '2026-02-06' }, { statement: 'no_period' }],
  ['an absent series', [4], { facets: { product: 'NEW', area: 'NUS' } }, { statement: 'no_series' }],
  ['an earlier root', [0, 2], {}, { value: '1.20', period: WEEKS.third, is_newest_root: false }],
  ['a period by an earlier root', [2], { period: WEEKS.third }, { value: '1.20', is_newest_root: false }],
  ['a period that an earlier root lacks', [2], { period: WEEKS.fifth }, { code: 'snapshot_missing' }],
  [
    'a series that an earlier root lacks',
    [2],
    { facets: { product: 'NEW', area: 'NUS' } },
    { code: 'snapshot_missing' },
  ],
  ['no snapshot', [], {}, { code: 'snapshot_missing' }],
  ['another dataset', [4], { route: 'coal/nothing' }, { code: 'dataset_not_found' }],
] as const

test.each(cases)(
  'default: %s is the same for the library and the server',
  async (_, kept, changes, expected) => {
    using dataset = await invent(kept, 5)
    const request = { ...wti, ...changes }
    const [library, server] = await Promise.all([
      libraryAnswer(dataset, request),
      serverAnswer(dataset, request),
    ])
    expect(library).toMatchObject(expected)
    if (library.code === 'dataset_not_found') expect(server.code).toBe(library.code)
    else expect(server).toEqual(library)
  },
)

test('behavior: both look for at most 8 roots', async () => {
  for (const [kept, expected] of [
    [2, { is_newest_root: false, value: '1.20' }],
    [1, { code: 'snapshot_missing' }],
  ] as const) {
    using dataset = await invent([kept], 10)
    const library = await libraryAnswer(dataset, wti)
    expect(library).toMatchObject(expected)
    expect(await serverAnswer(dataset, wti)).toEqual(library)
  }
})

test('behavior: the library reads the root, its index and earlier ones at one state root', async () => {
  using dataset = await invent([2], 5)
  const { client } = dataset
  const later = () => Promise.reject(new Error('read at another state root'))
  const moving = { ...client, getReading: later, getValueCount: later, getValueHistory: later }
  expect(await libraryAnswer({ ...dataset, client: moving }, wti)).toMatchObject({ value: '1.20' })
  const stuck = { ...client, snapshot: later }
  expect(await libraryAnswer({ ...dataset, client: stuck }, wti)).toMatchObject({
    message: 'read at another state root',
  })
})

test('error: neither goes to an earlier root if a file of the newest one is wrong', async () => {
  using dataset = await invent([3, 4], 5)
  writeFileSync(join(dataset.snapshots[4]?.folder ?? '', 'index'), 'x')
  expect((await libraryAnswer(dataset, wti)).code).toBe('dataset')
  expect((await serverAnswer(dataset, wti)).code).toBe('snapshot_fault')
})

describe('a query that does not fit its dataset', () => {
  test.each([
    [{ route: 'Petroleum/Pri/Spt' }, 'route: there is no such route'],
    [{ frequency: 'Weekly' }, 'frequency: the frequencies of'],
    [{ column: 'Value' }, 'column: the columns of'],
    [{ facets: { Product: 'EPCWTI', area: 'NUS' } }, 'facets "Product": there is no such facet'],
    [{ facets: { area: 'NUS' } }, 'missing facets: product'],
    [{ period: '2026-01' }, 'period: a weekly period must be'],
  ])('error: %j is named by both', async (changes, words) => {
    using dataset = await invent([4], 5)
    const request = { ...wti, ...changes } as SeriesRequest
    const library = await libraryAnswer(dataset, request)
    expect(library).toEqual({ code: 'series_query', message: expect.stringContaining(words) })
    const { code, message } = await serverAnswer(dataset, request)
    expect(code).toBe('query')
    // The rule is the same; the server names the parameter of the URL before it.
    const rule = words.replace(/^.*?: /, '')
    expect(message).toContain(rule)
  })
})
