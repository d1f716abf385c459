// cspell:ignore epcbrnt
import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { SnapshotFiles } from '@wattfeed/dataset'
import { parquetReadObjects } from 'hyparquet'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { changing, type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const PRODUCTS = [null, 'EPCBRENT', 'EPCWTI'] as const
const WEEKS = 300
const PATH = '/v1/series/history'

const pathOf = (parameters: Readonly<Record<string, string>> = {}, path = PATH): string =>
  `${path}?${new URLSearchParams({
    route: ROUTE,
    frequency: 'weekly',
    column: 'value',
    'facet.product': 'EPCWTI',
    'facet.area': 'NUS',
    ...parameters,
  })}`

const appOf = ({ client, place }: InventedDataset, datasets: readonly SnapshotFiles[] = [place]) =>
  createTestApp({ client, datasets })

const one = () => inventDataset([inventLeaves(PRODUCTS, WEEKS)])

const weeks = inventLeaves(['EPCWTI'], WEEKS).map(({ period }) => period)

const periodsOf = (body: { items: { period: string }[] }): string[] => body.items.map(({ period }) => period)

/** Reads all pages from a path on. */
async function walk(app: ReturnType<typeof appOf>, path: string) {
  const pages = []
  for (let next: string | null = path; next !== null; ) {
    const { status, body } = await answerOf(app, next)
    expect([next, status]).toEqual([next, 200])
    pages.push(body)
    next = body.next
  }
  return pages
}

async function failureOf(dataset: InventedDataset, path: string, datasets?: readonly SnapshotFiles[]) {
  const response = await ask(appOf(dataset, datasets), path)
  const { error } = Object(await response.json())
  return [response.status, response.headers.get('x-wattfeed-error'), String(error)] as const
}

describe('GET /v1/series/history', () => {
  test('default: the oldest 100 values, by the newest root', async () => {
    using dataset = await one()
    const response = await ask(appOf(dataset), pathOf())
    expect(response.headers.get('etag')).toBeString()
    expect(response.headers.get('x-casper-state-root')).toBeString()
    const { items, ...about } = Object(await response.json())
    const root = dataset.snapshots[0]?.manifest.root ?? ''
    const query = `route=${ROUTE}&frequency=weekly&column=value&facet.product=EPCWTI&facet.area=NUS`
    expect(about).toEqual({
      route: ROUTE,
      frequency: 'weekly',
      column: 'value',
      facets: { area: 'NUS', product: 'EPCWTI' },
      feed_id: 'EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY',
      root,
      size: 900,
      attested_at: 1_795_168_726_000,
      index: 0,
      is_newest_root: true,
      covers_from: '2026-01-02',
      next: `${PATH}?${query}&cursor=0.${root.slice(0, 16)}.${weeks[100]}`,
      proof: `${PATH}/proof?${query}&limit=100&index=0`,
    })
    expect(periodsOf({ items })).toEqual(weeks.slice(0, 100))
    expect(items[1]).toEqual({
      ...{ period: '2026-01-09', period_start: '2026-01-03', period_end: '2026-01-09' },
      ...{ value: '2.10', unit: '$/BBL', leaf_index: 601 },
    })
  })

  test.each([
    ['asc', weeks],
    ['desc', weeks.toReversed()],
  ] as const)('default: the pages in the order %s have all values, each once', async (order, expected) => {
    using dataset = await one()
    const pages = await walk(appOf(dataset), pathOf({ order, limit: '70' }))
    expect(pages.map(({ items }) => items.length)).toEqual([70, 70, 70, 70, 20])
    expect(pages.flatMap(periodsOf)).toEqual([...expected])
    const indices = pages.flatMap(({ items }) => items.map((item: { leaf_index: number }) => item.leaf_index))
    expect(new Set(indices).size).toBe(WEEKS)
  })

  test('behavior: bounds are inclusive, and need not be periods of the series', async () => {
    using dataset = await one()
    const app = appOf(dataset)
    const read = async (parameters: Readonly<Record<string, string>>) =>
      periodsOf((await answerOf(app, pathOf(parameters))).body)
    expect(await read({ period_from: weeks[3] ?? '', period_to: weeks[5] ?? '' })).toEqual(weeks.slice(3, 6))
    expect(await read({ period_from: '2026-01-03', period_to: '2026-01-22' })).toEqual(weeks.slice(1, 3))
    expect(await read({ period_from: '2026-01-03', period_to: '2026-01-04' })).toEqual([])
    expect(await read({ period_to: '1990-01-05' })).toEqual([])
    expect(await read({ order: 'desc', limit: '1' })).toEqual(weeks.slice(-1))
    expect(await read({ 'facet.product': '', limit: '1' })).toEqual(weeks.slice(0, 1))
  })

  test('behavior: the pages of a cursor are by its root, while a newer one is attested', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 5), inventLeaves(PRODUCTS, 9)])
    const app = appOf(dataset)
    const [older, newer] = dataset.readings
    const first = await answerOf(app, pathOf({ limit: '3', index: '0' }))
    expect([first.body.root, first.body.is_newest_root]).toEqual([older?.source_hash, false])
    const pages = await walk(app, first.body.next)
    expect(pages.map(({ root, index }) => [root, index])).toEqual([[older?.source_hash, 0]])
    expect([first.body, ...pages].flatMap(periodsOf)).toEqual(weeks.slice(0, 5))
    const newest = await answerOf(app, pathOf())
    expect([newest.body.root, newest.body.items.length]).toEqual([newer?.source_hash, 9])
  })

  test('error: the files of a cursor’s root are gone', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 5), inventLeaves(PRODUCTS, 9)])
    const { body } = await answerOf(appOf(dataset), pathOf({ limit: '3', index: '0' }))
    rmSync(dataset.snapshots[0]?.folder ?? '', { recursive: true })
    for (const path of [body.next, body.proof])
      expect(await failureOf(dataset, path)).toEqual([
        410,
        'snapshot_gone',
        expect.stringContaining(`${dataset.readings[0]?.source_hash}, which has the index 0, is gone`),
      ])
  })

  test('behavior: an earlier root answers while the newest is not there, but not that there is no value', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 5), inventLeaves(PRODUCTS, 9)])
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    const { status, body } = await answerOf(appOf(dataset), pathOf())
    expect([status, body.index, body.is_newest_root, body.items.length]).toEqual([200, 0, false, 5])
    expect(await failureOf(dataset, pathOf({ period_from: weeks[5] ?? '' }))).toMatchObject([
      503,
      'snapshot_missing',
      expect.any(String),
    ])
    const proof = await answerOf(appOf(dataset), pathOf({ period_from: weeks[5] ?? '' }, `${PATH}/proof`))
    expect([proof.status, proof.body.leaves, proof.body.root.index]).toEqual([200, [], 0])
  })

  test.each([
    [{ column: 'Value' }, 400, 'query', `the columns of ${ROUTE} are value`],
    [{ route: 'coal/nothing' }, 404, 'dataset_not_found', 'EIA.DATASET.COAL.NOTHING.WEEKLY'],
    [{ frequency: 'Weekly' }, 400, 'query', `the frequencies of ${ROUTE} are weekly`],
    [{ 'facet.x': 'y' }, 400, 'query', 'facet.x: there is no such facet'],
    [{ 'facet.product': 'EPCBRNT' }, 404, 'series_absent', 'did you mean EPCBRENT?'],
    [{ 'facet.product': 'EPCBRNT', period_from: '2026-01-02' }, 404, 'series_absent', 'has no value among'],
    [{ period_from: '2026-01' }, 400, 'query', 'period_from=2026-01: a weekly period must be'],
    [{ period_to: '20260102' }, 400, 'query', 'period_to=20260102: a weekly period must be'],
    [
      { period_from: '2026-01-09', period_to: '2026-01-02' },
      400,
      'query',
      'it is before period_from, 2026-01-09',
    ],
    [{ order: 'newest' }, 400, 'query', 'order=newest: it must be'],
    [{ limit: '1001' }, 400, 'query', 'limit=1001'],
    [{ limit: '0' }, 400, 'query', 'limit=0'],
    [{ period: '2026-01-02' }, 400, 'query', 'unknown query parameter "period"'],
    [{ index: '1' }, 400, 'query', 'index=1: EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY has 1 roots'],
    [{ index: '0', cursor: `0.${'ab'.repeat(8)}.x` }, 400, 'query', 'pass one of them'],
    [{ cursor: 'x' }, 400, 'query', 'cursor=x: it must be one that `next` of a page has'],
    [{ cursor: `0.${'ab'.repeat(8)}.2026-01-02` }, 400, 'query', `cursor=0.${'ab'.repeat(8)}.2026-01-02: `],
    [{ cursor: `7.${'ab'.repeat(8)}.2026-01-02` }, 400, 'query', `cursor=7.${'ab'.repeat(8)}.2026-01-02: `],
  ])('error: %j', async (parameters, status, code, rule) => {
    using dataset = await one()
    expect(await failureOf(dataset, pathOf(parameters))).toEqual([
      status,
      code,
      expect.stringContaining(rule),
    ])
  })

  test('error: no snapshots of datasets', async () => {
    using dataset = await one()
    expect(await failureOf(dataset, pathOf(), [])).toMatchObject([404, 'datasets_unset', expect.any(String)])
  })

  test('behavior: one wrong byte anywhere never makes a wrong answer', async () => {
    using dataset = await one()
    const path = pathOf({ period_from: weeks[90] ?? '', limit: '5' })
    const right = await answerOf(appOf(dataset), path)
    const wrong = new Map<string, number>()
    for (let at = 0; at < 60; at++) {
      const change = (_: string, bytes: Uint8Array) => {
        const copy = bytes.slice()
        const place = (at * 7_919) % copy.length
        copy[place] = (copy[place] ?? 0) ^ 1
        return copy
      }
      const { status, body } = await answerOf(appOf(dataset, [changing(dataset.place, change)]), path)
      wrong.set(String(status), (wrong.get(String(status)) ?? 0) + 1)
      if (status === 200) expect(body).toEqual(right.body)
    }
    expect(wrong.get('502')).toBeGreaterThan(30)
  })
})

describe('tables of a range', () => {
  test('default: CSV, with texts and numbers, and the next page in a link', async () => {
    const leaves = inventLeaves(['EPCWTI'], 3).map((leaf, at) => ({
      ...leaf,
      value: [null, '-2.50', 'w'][at] ?? null,
    }))
    using dataset = await inventDataset([leaves])
    const app = appOf(dataset)
    const response = await ask(app, pathOf({}, `${PATH}.csv`))
    expect(await response.text()).toBe(
      [
        'period,period_start,period_end,value,number,unit,leaf_index',
        '2026-01-02,2025-12-27,2026-01-02,,,$/BBL,0',
        '2026-01-09,2026-01-03,2026-01-09,-2.50,-2.5,$/BBL,1',
        '2026-01-16,2026-01-10,2026-01-16,w,,$/BBL,2',
        '',
      ].join('\r\n'),
    )
    expect(response.headers.get('content-disposition')).toContain('petroleum.pri.spt.value.csv')
    const described = `<${pathOf({}, `${PATH}.csv-metadata.json`)}>; rel="describedby"; type="application/csvm+json"`
    expect(response.headers.get('link')).toBe(described)
    const page = await ask(app, pathOf({ limit: '2' }, `${PATH}.csv`))
    const [, next = ''] = /, <(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? []
    expect(await (await ask(app, next)).text()).toBe(
      'period,period_start,period_end,value,number,unit,leaf_index\r\n2026-01-16,2026-01-10,2026-01-16,w,,$/BBL,2\r\n',
    )
  })

  test('default: the metadata of the CSV, of the columns that it has', async () => {
    using dataset = await one()
    const app = appOf(dataset)
    const search = { order: 'desc', limit: '2' }
    const response = await ask(app, pathOf(search, `${PATH}.csv-metadata.json`))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/csvm+json'])
    const { tableSchema, ...table } = Object(await response.json())
    expect(table).toMatchObject({
      ...{ 'dc:identifier': dataset.feedId, 'dc:source': 'EIA' },
      'dc:title': 'value, EPCWTI, NUS: Spot Prices',
    })
    const csv = await ask(
      app,
      new URL(table.url, 'http://localhost/v1/series/').href.slice('http://localhost'.length),
    )
    const [header = '', ...rows] = (await csv.text()).trimEnd().split('\r\n')
    expect([tableSchema.columns.map(({ name }: { name: string }) => name), rows.length]).toEqual([
      header.split(','),
      2,
    ])
    expect(tableSchema.columns).toEqual(
      tableSchema.columns.map(() =>
        expect.objectContaining({ 'dc:description': expect.stringMatching(/\.$/) }),
      ),
    )
    const wrong = await ask(app, pathOf({ limit: '0' }, `${PATH}.csv-metadata.json`))
    expect(wrong.status).toBe(400)
  })

  test('default: Parquet, with all values of a long series', async () => {
    using dataset = await one()
    const response = await ask(appOf(dataset), pathOf({ order: 'desc' }, `${PATH}.parquet`))
    const rows = await parquetReadObjects({ file: await response.arrayBuffer() })
    expect(rows.map(({ period }) => period)).toEqual(weeks.toReversed())
    expect(rows[0]).toEqual({
      ...{ period: weeks.at(-1), value: '2.2990', number: 2.299, unit: '$/BBL', leaf_index: 899n },
      ...{ period_start: expect.any(Date), period_end: expect.any(Date) },
    })
  })
})

describe('GET /v1/series/history/proof', () => {
  test('default: all values of the series, and the proof of the root', async () => {
    using dataset = await one()
    const { status, body } = await answerOf(
      appOf(dataset),
      pathOf({ from: 'ab'.repeat(32) }, `${PATH}/proof`),
    )
    expect([status, Object.keys(body)]).toEqual([
      200,
      ['format', 'range', 'index', 'before', 'leaves', 'after', 'hashes', 'root'],
    ])
    expect(body.range).toEqual({
      ...{ route: ROUTE, frequency: 'weekly', column: 'value', facets: { product: 'EPCWTI', area: 'NUS' } },
      ...{ period_from: null, period_to: null, order: 'asc', limit: null },
    })
    expect([body.index, body.leaves.length, body.after, body.root.index]).toEqual([
      600,
      WEEKS,
      null,
      undefined,
    ])
  })

  test('behavior: that of a page is of its values, by its root', async () => {
    using dataset = await one()
    const app = appOf(dataset)
    for (const page of await walk(
      app,
      pathOf({ order: 'desc', limit: '120', period_to: weeks[200] ?? '' }),
    )) {
      const { status, body } = await answerOf(app, page.proof)
      expect([status, body.range.limit, body.range.order, body.root.index]).toEqual([200, 120, 'desc', 0])
      expect(body.leaves.map(([period]: [string]) => period)).toEqual(periodsOf(page).reverse())
    }
  })

  test('behavior: a series that is not there is proven to have no values', async () => {
    using dataset = await one()
    const { status, body } = await answerOf(appOf(dataset), pathOf({ 'facet.product': 'Q' }, `${PATH}/proof`))
    expect([status, body.leaves, body.index]).toEqual([200, [], 900])
  })

  test('error: more values than a proof may have', async () => {
    using dataset = await inventDataset([inventLeaves(['EPCWTI'], 5_001)])
    const path = pathOf({}, `${PATH}/proof`)
    expect(await failureOf(dataset, path)).toEqual([
      400,
      'range_too_long',
      expect.stringContaining('5001 values'),
    ])
    expect((await ask(appOf(dataset), `${path}&limit=5000`)).status).toBe(200)
  })
})
