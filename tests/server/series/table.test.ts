import { describe, expect, test } from 'bun:test'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Leaf, SnapshotFiles } from '@wattfeed/dataset'
import { parquetReadObjects } from 'hyparquet'
import type { WrittenSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const PRODUCTS = [null, 'EPCBRENT', 'EPCWTI'] as const

const one = () => inventDataset([inventLeaves(PRODUCTS, 3)])

const appOf = ({ client, place }: Pick<InventedDataset, 'client' | 'place'>) =>
  createTestApp({ client, datasets: [place] })

type Pairs = readonly (readonly [name: string, text: string])[]

const pathOf = (pairs: Pairs = [], suffix = ''): string =>
  `/v1/series/table${suffix}?${new URLSearchParams([['route', ROUTE], ['frequency', 'weekly'], ...pairs.map(([name, text]) => [name, text])])}`

const keysOf = (rows: readonly Pick<Leaf, 'facets' | 'period'>[]): string[] =>
  rows.map(({ facets, period }) => `${facets.product} ${period}`)

async function failureOf(app: ReturnType<typeof appOf>, path: string) {
  const response = await ask(app, path)
  const { error } = Object(await response.json())
  return [response.status, response.headers.get('x-wattfeed-error'), String(error)] as const
}

describe('GET /v1/series/table', () => {
  test('default: the rows of all series, by the newest root', async () => {
    using dataset = await one()
    const response = await ask(appOf(dataset), pathOf())
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(response.headers.get('x-casper-state-root')).toBeString()
    const { rows, ...body } = Object(await response.json())
    expect(body).toEqual({
      ...{ route: ROUTE, frequency: 'weekly', feed_id: dataset.feedId },
      ...{ root: dataset.snapshots[0]?.manifest.root, size: 9, attested_at: 1_795_168_726_000, index: 0 },
      ...{ is_newest_root: true, total: 9, complete: true, next: null },
      row_proof: `/v1/series/proof?route=${encodeURIComponent(ROUTE)}&frequency=weekly&column={column}&period={period}&facet.area={facet.area}&facet.product={facet.product}&index=0`,
    })
    expect(rows[0]).toEqual({
      ...{ column: 'value', facets: { area: 'NUS', product: null }, period: '2026-01-02' },
      ...{ value: null, unit: '$/BBL', leaf_index: 0 },
    })
    expect(keysOf(rows)).toEqual(
      PRODUCTS.flatMap((product) => ['02', '09', '16'].map((day) => `${product} 2026-01-${day}`)),
    )
  })

  const tables: [string, Pairs, string[], true | null][] = [
    [
      'one code',
      [['facet.product', 'EPCWTI']],
      ['EPCWTI 2026-01-02', 'EPCWTI 2026-01-09', 'EPCWTI 2026-01-16'],
      null,
    ],
    [
      'several codes, in some periods, newest first',
      [
        ['facet.product', 'EPCWTI'],
        ['facet.product', ''],
        ['period_from', '2026-01-09'],
        ['sort', '-period'],
        ['sort', '-product'],
      ],
      ['EPCWTI 2026-01-16', 'null 2026-01-16', 'EPCWTI 2026-01-09', 'null 2026-01-09'],
      null,
    ],
    [
      'a list of series, of which one is absent',
      [
        ['facet.area', 'NUS'],
        ['facet.product', 'EPCWTI'],
        ['facet.product', 'EPC_X'],
        ['period_to', '2026-01-02'],
      ],
      ['EPCWTI 2026-01-02'],
      true,
    ],
    ['a run that has no rows', [['facet.area', 'NUT']], [], true],
    ['no rows', [['facet.product', 'ZZ']], [], null],
  ]
  test.each(tables)('behavior: %s', async (_, pairs, keys, complete) => {
    using dataset = await one()
    const { body } = await answerOf(appOf(dataset), pathOf(pairs))
    expect([keysOf(body.rows), body.total, body.complete]).toEqual([keys, keys.length, complete])
  })

  test('behavior: the pages of a cursor are of one root, while others are attested', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 3), inventLeaves(PRODUCTS, 4)])
    const [older, newer] = dataset.snapshots
    const app = appOf(dataset)
    const first = await answerOf(app, pathOf([['limit', '5']]))
    expect([first.body.root, first.body.index, first.body.rows.length]).toEqual([newer?.manifest.root, 1, 5])
    // As if the page had been read before the newest root was attested.
    const cursor = first.body.next.replace(`1.${startOf(newer)}`, `0.${startOf(older)}`)
    const next = await answerOf(app, cursor)
    expect([next.body.root, next.body.index, next.body.is_newest_root, next.body.total]).toEqual([
      ...[older?.manifest.root, 0, false, 9],
    ])
    expect(keysOf(next.body.rows)).toEqual(keysOf(sortedLeaves(3)).slice(5))
    expect(next.body.next).toBeNull()
    // Another limit is allowed, and no other change.
    const { body } = await answerOf(app, cursor.replace('limit=5', 'limit=1'))
    expect(keysOf(body.rows)).toEqual(keysOf(sortedLeaves(3)).slice(5, 6))
    expect((await failureOf(app, `${cursor}&sort=period`)).slice(0, 2)).toEqual([400, 'query'])
    const wrong = cursor.replace(startOf(older), 'ab'.repeat(8))
    const sent = new URL(wrong, 'http://localhost').searchParams.get('cursor')
    expect(await failureOf(app, wrong)).toEqual([400, 'query', expect.stringContaining(`cursor=${sent}: `)])
    expect((await failureOf(app, cursor.replace('cursor=0', 'cursor=7'))).slice(0, 2)).toEqual([400, 'query'])
    rmSync(older?.folder ?? '', { recursive: true })
    expect((await failureOf(app, cursor)).slice(0, 2)).toEqual([410, 'snapshot_gone'])
    expect((await answerOf(app, pathOf())).status).toBe(200)
  })

  test('behavior: by an earlier root, while the files of the newest are not at hand', async () => {
    using dataset = await inventDataset([inventLeaves(['A'], 1), inventLeaves(['A', 'B'], 2)])
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    const { body } = await answerOf(appOf(dataset), pathOf())
    expect([body.is_newest_root, body.index, body.total]).toEqual([false, 0, 1])
    rmSync(dataset.snapshots[0]?.folder ?? '', { recursive: true })
    expect((await failureOf(appOf(dataset), pathOf())).slice(0, 2)).toEqual([503, 'snapshot_missing'])
  })

  const many = (count: number, name: (at: number) => string): Pairs =>
    Array.from({ length: count }, (_, at) => [name(at), 'x'] as const)
  const mistakes: [string, Pairs, string][] = [
    ['a column', [['column', 'price']], `column: there is no "price"; the columns of ${ROUTE} are value`],
    ['a facet', [['facet.Area', 'NUS']], `there is no such facet; the facets of ${ROUTE} are area, product`],
    ['a first period', [['period_from', '2026']], 'period_from: a weekly period must be'],
    ['a last period', [['period_to', 'x']], 'period_to: a weekly period must be'],
    ['an order', [['sort', 'value']], 'rows are ordered by period, column, area, product'],
    [
      'an order twice',
      [
        ['sort', 'period'],
        ['sort', '-period'],
      ],
      'it has "period" twice',
    ],
    ['a limit', [['limit', '5001']], 'limit=5001'],
    ['a cursor', [['cursor', 'x']], 'what an earlier page has in `next`'],
    ['an offset', [['offset', '1']], 'unknown query parameter "offset"'],
    ['a route twice', [['route', 'x']], 'pass it only once'],
    ['too many codes', many(1_001, () => 'facet.area'), 'at most 1000 values'],
    ['too many facets', many(51, (at) => `facet.${at}`), 'at most 50 facets'],
  ]
  test.each(mistakes)('error: %s', async (_, pairs, words) => {
    using dataset = await one()
    expect(await failureOf(appOf(dataset), pathOf(pairs))).toEqual([
      400,
      'query',
      expect.stringContaining(words),
    ])
  })

  test('error: no snapshots, only places by URL, and no such dataset', async () => {
    using dataset = await one()
    const { client, place } = dataset
    const app = createTestApp({ client })
    expect((await failureOf(app, pathOf())).slice(0, 2)).toEqual([404, 'datasets_unset'])
    const remote = appOf({ client, place: { ...place, isRemote: true } })
    for (const suffix of ['', '.csv', '.parquet'])
      expect(await failureOf(remote, pathOf([], suffix))).toEqual([
        404,
        'tables_remote',
        expect.stringContaining('local folder'),
      ])
    const other = pathOf().replace('weekly', 'daily')
    expect((await failureOf(appOf(dataset), other)).slice(0, 2)).toEqual([404, 'dataset_not_found'])
  })

  test('error: an index that is missing or wrong, with its cure; read again when it is there', async () => {
    using dataset = await one()
    const app = appOf(dataset)
    const index = join(dataset.snapshots[0]?.folder ?? '', 'table-index')
    renameSync(index, `${index}.away`)
    const words = `the snapshot with the root ${dataset.snapshots[0]?.manifest.root} has no table-index, as those of older versions; \`wattfeed datasets check <folder> --index\` writes it`
    for (const suffix of ['', '.csv', '.parquet'])
      expect(await failureOf(app, pathOf([], suffix))).toEqual([404, 'table_index_missing', words])
    // Another place may have it.
    const whole = await inventDataset([inventLeaves(PRODUCTS, 3)])
    using _ = whole
    const places = createTestApp({ client: dataset.client, datasets: [dataset.place, whole.place] })
    expect((await answerOf(places, pathOf())).body.total).toBe(9)
    // Values need no index.
    const value =
      '/v1/series?route=petroleum/pri/spt&frequency=weekly&column=value&facet.area=NUS&facet.product='
    expect((await ask(app, value)).status).toBe(200)
    renameSync(`${index}.away`, index)
    expect((await answerOf(app, pathOf())).body.total).toBe(9)
  })

  test('error: an index that hides a series from a table that would be complete', async () => {
    using dataset = await one()
    const index = join(dataset.snapshots[0]?.folder ?? '', 'table-index')
    // The lists stay sorted, and all numbers stay as they are.
    writeFileSync(index, readFileSync(index, 'latin1').replace('EPCWTI', 'EPC_WT'), 'latin1')
    const app = appOf(dataset)
    const wti = [['facet.product', 'EPCWTI']] as const
    for (const pairs of [[['facet.area', 'NUS'], ...wti], [['facet.product', 'EPC_WT']]] as const)
      expect(await failureOf(app, pathOf(pairs))).toEqual([
        502,
        'snapshot_fault',
        expect.stringContaining('table-index: does not follow from leaf 6'),
      ])
    // Nothing shows whether this one has all rows.
    expect((await answerOf(app, pathOf(wti))).body).toMatchObject({ total: 0, complete: null })
  })

  test('error: more pages at once than may wait', async () => {
    using dataset = await one()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const place: SnapshotFiles = {
      async read(path, maxBytes) {
        await gate
        return dataset.place.read(path, maxBytes)
      },
    }
    const app = appOf({ client: dataset.client, place })
    // Two are read, 32 wait.
    const requests = Array.from({ length: 35 }, () => answerOf(app, pathOf([['limit', '1']])))
    const refused = await Promise.race(requests)
    expect([refused.status, refused.body.error]).toEqual([429, expect.stringContaining('32 pages of tables')])
    open()
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(34)
  })

  test('behavior: as CSV and Parquet, with a link to the next page', async () => {
    using dataset = await inventDataset([
      inventLeaves(['A'], 3).map((leaf, at) => ({ ...leaf, value: ['-1.5', '=1', null][at] ?? null })),
    ])
    const app = appOf(dataset)
    const csv = await ask(app, pathOf([['limit', '2']], '.csv'))
    expect([csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
      'text/csv; charset=utf-8; header=present',
      `attachment; filename="${dataset.feedId}.csv"`,
    ])
    expect(await csv.text()).toBe(
      "column,area,product,period,value,unit,number,leaf_index\r\nvalue,NUS,A,2026-01-02,-1.5,$/BBL,-1.5,0\r\nvalue,NUS,A,2026-01-09,'=1,$/BBL,,1\r\n",
    )
    const described = (of: string) =>
      `<${of.replace('.csv?', '.csv-metadata.json?')}>; rel="describedby"; type="application/csvm+json"`
    const link = /, <(.*)>; rel="next"$/.exec(csv.headers.get('link') ?? '')?.[1] ?? ''
    const last = await ask(app, link)
    expect([await last.text(), last.headers.get('link')]).toEqual([
      'column,area,product,period,value,unit,number,leaf_index\r\nvalue,NUS,A,2026-01-16,,$/BBL,,2\r\n',
      described(link),
    ])
    const metadata = Object(await (await ask(app, link.replace('.csv?', '.csv-metadata.json?'))).json())
    expect(metadata).toMatchObject({
      ...{ url: link.slice('/v1/series/'.length), 'dc:identifier': dataset.feedId },
      ...{ 'dc:title': 'Spot Prices, weekly', 'dc:source': 'EIA' },
    })
    const { columns } = metadata.tableSchema
    expect(columns.map(({ name, datatype }: Record<string, string>) => [name, datatype])).toEqual([
      ...['column', 'area', 'product', 'period', 'value', 'unit'].map((name) => [name, 'string']),
      ...[
        ['number', 'double'],
        ['leaf_index', 'integer'],
      ],
    ])
    const parquet = await ask(app, pathOf([['sort', '-period']], '.parquet'))
    const rows = await parquetReadObjects({ file: await parquet.arrayBuffer() })
    expect(rows[0]).toEqual({
      ...{ column: 'value', area: 'NUS', product: 'A', period: '2026-01-16', value: null, unit: '$/BBL' },
      ...{ number: null, leaf_index: 2n },
    })
    expect(rows).toHaveLength(3)
  })
})

/** How a root begins, as a cursor has it. */
const startOf = (written: WrittenSnapshot | undefined): string => written?.manifest.root.slice(0, 16) ?? ''

/** The leaves of the oldest root, in the order of keys. */
const sortedLeaves = (weeks: number): Leaf[] => inventLeaves(PRODUCTS, weeks)
