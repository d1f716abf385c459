import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { acquireLock } from '@wattfeed/base/disk'
import { EIA_RECORD, FACETS, formatManifest, MANIFEST, openSnapshot, parseManifest } from '@wattfeed/dataset'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { findCalendar } from '@wattfeed/eia'
import { clientOf } from '@wattfeed/eia/testing/eiaClientOf'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import type { UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { COUNTS } from '../../../src/agent/datasets/periodCounts.ts'
import type { SnapshotStep } from '../../../src/agent/datasets/snapshotInput.ts'
import type { SnapshotOptions } from '../../../src/agent/datasets/takeSnapshot.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import { type DatasetApi, rootOf, spot, spotRow, spotRows, startDatasetApi, takeFrom } from './datasetApi.ts'
import { manifestOf } from './fakes.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])

/** What is visible in a folder of snapshots. */
const namesIn = (folder: string): string[] => readdirSync(folder).sort()

async function readTable(folder: string) {
  const bytes = readFileSync(join(folder, 'series.parquet'))
  const file = {
    byteLength: bytes.length,
    slice: (from: number, to?: number) => new Uint8Array(bytes.subarray(from, to)).buffer,
  }
  return parquetReadObjects({ file })
}

/** The facets of a snapshot with their codes. */
async function facetsIn(folder: string) {
  const snapshot = await openSnapshot(folderFiles(folder))
  return (await snapshot?.listFacets()) ?? []
}

const periodsIn = async (folder: string): Promise<string[]> => [
  ...new Set((await readTable(folder)).map(({ period }) => String(period))),
]

describe('a snapshot', () => {
  test('default: the tree and the table of all rows, in a folder that has the root as its name', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    const taken = await takeFrom(api, out.path, { keep: 2 })
    const root = await rootOf(rows)
    expect(taken).toEqual({
      manifest: {
        ...{ route: spot.route, frequency: 'daily', columns: ['value'], periods: null },
        facets: ['duoarea', 'process', 'product', 'series'],
        ...{ size: 12, root, oldestPeriod: '2026-11-18', newestPeriod: '2026-11-20' },
        retrievedAt: 1_795_000_000_000,
      },
      counts: new Map(['2026-11-18', '2026-11-19', '2026-11-20'].map((period) => [period, 4])),
      folder: join(out.path, root),
      isNew: true,
      said: ['page', 'page', 'page', 'page'],
    })
    expect(namesIn(out.path)).toEqual([root])
    expect(await checkSnapshot(folderFiles(taken.folder))).toEqual(taken.manifest)
    expect((await facetsIn(taken.folder)).slice(0, 2)).toEqual([
      // EIA's `NA` would be no name, and its `U.S.` is one.
      { id: 'duoarea', codes: [{ id: 'NUS', name: 'U.S.', values: 12 }] },
      { id: 'process', codes: [{ id: 'PF4', name: 'Spot', values: 12 }] },
    ])
    const table = await readTable(taken.folder)
    expect(table).toHaveLength(12)
    expect(table[0]).toEqual({
      ...{ column: 'value', duoarea: 'NUS', process: 'PF4', product: 'EPD2', series: 'A' },
      ...{ period: '2026-11-18', value: '18.10', unit: '$/GAL' },
    })
    // Pages overlap in one row, and the newest four are read twice.
    expect(api.requests).toEqual([0, 3, 6, 9, 0, 3, 6, 9])
  })

  test('behavior: a snapshot that an older version took without codes gets them, and new names', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    const { folder } = await takeFrom(api, out.path)
    const listed = await facetsIn(folder)
    rmSync(join(folder, FACETS))
    await takeFrom(api, out.path)
    expect(await facetsIn(folder)).toEqual(listed)
    api.rows = rows.map((row) => ({ ...row, 'process-name': 'renamed' }))
    await takeFrom(api, out.path)
    expect((await facetsIn(folder))[1]?.codes?.[0]?.name).toBe('renamed')
    expect(namesIn(out.path)).toHaveLength(1)
  })

  test('behavior: the same rows have the same root, in any order and with rows that are repeated', async () => {
    const root = await rootOf(rows)
    const arriving = fc.shuffledSubarray(rows, { minLength: rows.length })
    const repeated = fc.array(fc.nat(rows.length - 1), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(arriving, repeated, fc.integer({ min: 2, max: 20 }), async (all, copies, maxRows) => {
        using out = createFolder('in memory')
        // EIA's API sorts them, so that copies follow each other.
        const withCopies = [...all, ...copies.flatMap((at) => rows.slice(at, at + 1))]
        await using api = startDatasetApi(withCopies, { maxRows })
        const taken = await takeFrom(api, out.path)
        expect([taken.manifest.root, taken.manifest.size]).toEqual([root, rows.length])
      }),
      { numRuns: 15 },
    )
  })

  test('behavior: a root that is there already is not written again', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    const first = await takeFrom(api, out.path)
    const later = { now: () => 1_795_000_999_999, keep: 1 }
    const manifest = { ...first.manifest, retrievedAt: 1_795_000_999_999 }
    expect(await takeFrom(api, out.path, later)).toEqual({ ...first, manifest, isNew: false })
    expect(namesIn(out.path)).toEqual([first.manifest.root])
    // Three periods are all there are: the values are the same.
    const three = await takeFrom(api, out.path, { dataset: { ...spot, periods: 3 } })
    expect(three).toMatchObject({ isNew: false, manifest: { root: first.manifest.root, periods: 3 } })
  })

  test.each([
    [1, ['2026-11-20']],
    [2, ['2026-11-20']],
    [4, ['2026-11-17', '2026-11-20']],
    [5, ['2026-11-16', '2026-11-17', '2026-11-20']],
    [900_000, ['2026-11-02', '2026-11-16', '2026-11-17', '2026-11-20']],
  ])('behavior: %i periods are counted by the calendar', async (periods, expected) => {
    using out = createFolder()
    await using api = startDatasetApi(spotRows([20, 17, 16, 2], ['A', 'B']))
    const taken = await takeFrom(api, out.path, { dataset: { ...spot, periods } })
    expect(await periodsIn(taken.folder)).toEqual(expected)
    expect(api.requests[0]).toBe('newest')
  })

  test('behavior: a lone surrogate in a value is in the tree as the specification writes it', async () => {
    using out = createFolder()
    const odd = rows.with(5, spotRow('2026-11-19', 'B', 'a\ud800'))
    await using api = startDatasetApi(odd)
    const { folder, manifest } = await takeFrom(api, out.path)
    expect(manifest.root).toBe(await rootOf(odd))
    expect(readFileSync(join(folder, 'tile/entries/000.p/12'), 'utf8')).toContain('"value":"a\\ud800"')
    expect((await checkSnapshot(folderFiles(folder))).root).toBe(manifest.root)
    // A table has UTF-8 only.
    expect((await readTable(folder)).map(({ value }) => value)).toContain('a\ufffd')
  })

  test('behavior: a route whose unit is not hashed has none in its leaves, and the table has each facet', async () => {
    using out = createFolder()
    const international = upstreamDatasets.find(({ route }) => route === 'international')
    const stored = (international?.data.response.data ?? []).map(
      (row): UpstreamRow => ({ ...row, 'value-units': 'TBPD' }),
    )
    await using api = startDatasetApi(stored, { route: 'international' })
    const facets = ['productId', 'activityId', 'countryRegionId', 'countryRegionTypeId', 'dataFlagId', 'unit']
    const dataset = { ...spot, route: 'international', frequency: 'annual' }
    const { folder, manifest } = await takeFrom(api, out.path, { dataset, facets })
    expect(await checkSnapshot(folderFiles(folder))).toEqual(manifest)
    const [first] = await readTable(folder)
    expect(first).toMatchObject({ facet_unit: stored[0]?.unit, unit: null })
  })

  test('behavior: an API below a path gives the same snapshot', async () => {
    using out = createFolder()
    using below = createFolder()
    await using api = startDatasetApi(rows)
    const { manifest, folder } = await takeFrom(api, out.path)
    const paths: string[] = []
    const fetch = (url: string, init: RequestInit) => {
      const { pathname } = new URL(url)
      paths.push(pathname)
      return globalThis.fetch(url.replace('/eia/as-of/2026-11-30/v2', '/v2'), init)
    }
    const eia = clientOf({ baseUrl: `${api.url}/eia/as-of/2026-11-30/`, fetch })
    const again = await takeFrom(api, below.path, { eia })
    expect(again.manifest).toEqual(manifest)
    const recordIn = (path: string) => readFileSync(join(path, EIA_RECORD), 'utf8')
    expect(recordIn(again.folder)).toBe(recordIn(folder))
    expect(paths.every((path) => path.startsWith('/eia/as-of/2026-11-30/v2/'))).toBe(true)
    const refused = clientOf({ baseUrl: `${api.url}/eia` })
    expect(await errorOf(takeFrom(api, below.path, { eia: refused }))).toMatchObject({ route: spot.route })
  })

  test('behavior: a failure that may pass is retried, and one that does not is thrown', async () => {
    using out = createFolder()
    const failing = new Set([1, 2, 4])
    await using api = startDatasetApi(rows, {
      before: (number) => (failing.has(number) ? new Response('', { status: 500 }) : undefined),
    })
    expect((await takeFrom(api, out.path)).said).toEqual(['page', 'page', 'page', 'page'])
    await using refusing = startDatasetApi(rows, {
      before: (number) => (number > 1 ? new Response('', { status: 404 }) : undefined),
    })
    expect(await errorOf(takeFrom(refusing, out.path))).toMatchObject({ code: 'eia_status', status: 404 })
    expect(refusing.requests).toEqual([0, 3])
  })
})

describe('rows that change while they are read', () => {
  const withRow = (row: UpstreamRow) => [row, ...rows]
  const before = (change: (api: DatasetApi) => readonly UpstreamRow[], at: number) => ({
    before(number: number, api: DatasetApi) {
      if (number === at) api.rows = change(api)
      return undefined
    },
  })

  const newPeriod = withRow(spotRow('2026-11-21', 'A'))
  const newSeries = withRow(spotRow('2026-11-19', 'AA'))
  const changes: [string, number, readonly UpstreamRow[], string][] = [
    ['a row is added before what was read', 3, newPeriod, 'the rows moved between two pages'],
    ['a new series is added', 3, newSeries, 'the rows moved between two pages'],
    ['a row is removed before what was read', 3, rows.slice(1), 'the rows moved between two pages'],
    ['a row is removed after it', 2, rows.slice(0, -1), 'the rows moved between two pages'],
    ['one is added and another removed', 3, newSeries.slice(0, -1), 'the rows moved between two pages'],
    [
      'one is removed and another added',
      3,
      [...rows.slice(1), spotRow('2026-11-01', 'A')],
      'the rows moved between two pages',
    ],
    [
      'a value of the first page is revised',
      4,
      rows.with(1, spotRow('2026-11-20', 'B', '7')),
      'the rows from offset 0 on have changed since they were read',
    ],
    [
      'the total changes after the last page',
      5,
      newPeriod,
      'the rows from offset 0 on have changed since they were read',
    ],
    [
      'two values are revised, one on a page that is read and one on a page that is not',
      3,
      rows.with(4, spotRow('2026-11-19', 'A', '7')).with(8, spotRow('2026-11-18', 'A', '7')),
      'the rows from offset 3 on have changed since they were read',
    ],
    [
      'a value is revised while the pages are read again',
      7,
      rows.with(7, spotRow('2026-11-19', 'D', '7')),
      'the rows from offset 6 on have changed since they were read',
    ],
  ]
  test.each(changes)('behavior: %s: all is read again', async (_, at, later, why) => {
    using out = createFolder()
    await using api = startDatasetApi(
      rows,
      before(() => later, at),
    )
    const { said, manifest } = await takeFrom(api, out.path)
    expect(said.filter((step) => step !== 'page')).toEqual([why])
    expect(manifest.root).toBe(await rootOf(later))
    expect(namesIn(out.path)).toEqual([manifest.root])
  })

  test('error: they change before each page is read again', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows, {
      before(number, { rows: current }) {
        if (number % 7 === 0) api.rows = current.with(7, spotRow('2026-11-19', 'D', String(number)))
        return undefined
      },
    })
    const error = await errorOf(takeFrom(api, out.path))
    expect(error).toMatchObject({ code: 'eia_rows_moved', retryable: true })
    expect([
      api.requests.length,
      namesIn(out.path).filter((name) => !name.startsWith('stage.sqlite')),
    ]).toEqual([21, []])
  })

  describe('a dataset of many pages', () => {
    const days = Array.from({ length: 20 }, (_, day) => 25 - day)
    const many = spotRows(days, ['A', 'B', 'CC'])
    const pages = Array.from({ length: 20 }, (_, page) => 3 * page)
    /** Numbers that choose the pages at 12 + 3 * 15, 12 and 12 + 3 * 8, then those that are left first. */
    const random = () => {
      const numbers = [0.99, 0, 0.5]
      return () => numbers.shift() ?? 0
    }
    const twice = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 36, 57]

    test('default: the newest four pages are read twice, and eight others, chosen at random', async () => {
      using out = createFolder()
      await using api = startDatasetApi(many)
      const checks: unknown[] = []
      const onProgress = (step: SnapshotStep) => void (step.step === 'check' && checks.push(step))
      await takeFrom(api, out.path, { random: random(), onProgress })
      expect(api.requests).toEqual([...pages, ...twice])
      expect(checks).toEqual(twice.map((_, done) => ({ step: 'check', done: done + 1, pages: 12 })))
    })

    test('behavior: a value that is revised is noticed on a page that is chosen', async () => {
      using out = createFolder()
      const later = many.with(58, spotRow('2026-11-06', 'B', '7'))
      await using api = startDatasetApi(
        many,
        before(() => later, 21),
      )
      const { said, manifest } = await takeFrom(api, out.path, { random: random() })
      expect(said.filter((step) => step !== 'page')).toEqual([
        'the rows from offset 57 on have changed since they were read',
      ])
      expect(manifest.root).toBe(await rootOf(later))
    })
  })

  test('behavior: a newer period that comes after the look for it starts again from it', async () => {
    using out = createFolder()
    await using api = startDatasetApi(
      rows,
      before(() => newPeriod, 2),
    )
    const { said, folder } = await takeFrom(api, out.path, { dataset: { ...spot, periods: 2 } })
    expect(said).toEqual(['a newer period has come', 'page', 'page'])
    expect(await periodsIn(folder)).toEqual(['2026-11-20', '2026-11-21'])
  })

  test('error: they change during each of three readings', async () => {
    using out = createFolder()
    let value = 0
    await using api = startDatasetApi(rows, {
      before(_, { rows: current }) {
        api.rows = current.with(0, spotRow('2026-11-20', 'A', String(value++)))
        return undefined
      },
    })
    const error = await errorOf(takeFrom(api, out.path))
    expect(error).toMatchObject({ code: 'eia_rows_moved', retryable: true, route: spot.route })
    expect(api.requests.filter((offset) => offset === 3)).toHaveLength(3)
    expect(namesIn(out.path).filter((name) => !name.startsWith('stage.sqlite'))).toEqual([])
  })

  test.each([
    ['more rows than it sends', 13],
    ['fewer rows than it sends', 3],
  ])('error: EIA counts %s', async (_, total) => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    await using lying = lyingAbout(api.url, total)
    expect(await errorOf(takeFrom(lying, out.path))).toMatchObject({ code: 'eia_rows_moved' })
    expect(namesIn(out.path).filter((name) => !name.startsWith('stage.sqlite'))).toEqual([])
  })

  test.each([null, 2])('error: EIA counts rows and sends none, with %p periods', async (periods) => {
    using out = createFolder()
    await using api = startDatasetApi([])
    await using lying = lyingAbout(api.url, 5)
    const error = await errorOf(takeFrom(lying, out.path, { dataset: { ...spot, periods } }))
    expect(error).toMatchObject({ code: 'eia_rows_moved' })
    expect(api.requests).toHaveLength(3)
  })

  /** An API that counts other rows than another one has. */
  function lyingAbout(url: string, total: number) {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        const body = await (await fetch(`${url}${pathname}${search}`)).text()
        return new Response(body.replace(/"total":"\d+"/, `"total":"${total}"`))
      },
    })
    return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
  }
})

describe('errors', () => {
  test('error: two different rows of one key', async () => {
    using out = createFolder()
    await using api = startDatasetApi([...rows, spotRow('2026-11-18', 'D', '9')])
    const error = await errorOf(takeFrom(api, out.path))
    const row = 'period "2026-11-18", duoarea "NUS", process "PF4", product "EPD2", series "D"'
    expect(error.message).toBe(
      `petroleum/pri/spt, the row at offset 12 (${row}): value: EIA has two different rows: "18.10 $/GAL" before it, and "9 $/GAL"`,
    )
    expect(namesIn(out.path).filter((name) => !name.startsWith('stage.sqlite'))).toEqual([])
  })

  test.each([null, 2])('error: an empty dataset, with %p periods', async (periods) => {
    using out = createFolder()
    await using api = startDatasetApi([])
    const taking = takeFrom(api, out.path, { dataset: { ...spot, periods } })
    expect((await errorOf(taking)).message).toBe(
      'EIA has no daily rows of petroleum/pri/spt; "feeds datasets" lists the frequencies of a dataset',
    )
  })

  test('error: a page without units, although the first one has some', async () => {
    using out = createFolder()
    const lacking = rows.map(({ units, ...row }, index) =>
      index < 6 ? { ...row, units: units ?? null } : row,
    )
    await using api = startDatasetApi(lacking)
    expect((await errorOf(takeFrom(api, out.path))).message).toBe(
      'petroleum/pri/spt, the 4 rows from offset 6 on: have no unit of value, while the first rows have one; EIA has to correct them',
    )
    await using without = startDatasetApi(rows.map(({ units: _, ...row }) => row))
    expect((await takeFrom(without, out.path)).manifest.size).toBe(12)
  })

  test('error: a page without one of the facets', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows.map(({ duoarea: _, ...row }) => row))
    expect(await errorOf(takeFrom(api, out.path))).toMatchObject({
      code: 'eia_missing_facet',
      facet: 'duoarea',
    })
    expect(namesIn(out.path).filter((name) => !name.startsWith('stage.sqlite'))).toEqual([])
  })

  test('error: periods cannot be counted from a newest row without one', async () => {
    using out = createFolder()
    await using api = startDatasetApi([spotRow('2026-W47', 'A'), ...rows])
    const error = await errorOf(takeFrom(api, out.path, { dataset: { ...spot, periods: 2 } }))
    expect(error.message).toStartWith(
      'petroleum/pri/spt, the row at offset 0 (period "2026-W47", duoarea "NUS", process "PF4", product "EPD2", series "A"): "2026-W47" is not a daily period',
    )
  })

  test('error: a number of local hours', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    const dataset = { ...spot, frequency: 'local-hourly', periods: 24 }
    expect(await errorOf(takeFrom(api, out.path, { dataset }))).toMatchObject({ code: 'dataset_periods' })
    expect(api.requests).toEqual([])
  })

  test('error: another process takes one there', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    {
      using _ = acquireLock(join(out.path, '.snapshot.lock'))
      expect(await errorOf(takeFrom(api, out.path))).toMatchObject({ code: 'locked' })
    }
    expect((await takeFrom(api, out.path)).isNew).toBeTrue()
  })

  const place: [string, string, (folder: string) => void][] = [
    ['a file', 'it is not a folder', (folder) => writeFileSync(folder, '')],
    ['a link to nothing', 'it is not a folder', (folder) => symlinkSync(`${folder}.nothing`, folder)],
    [
      'the snapshot of another root',
      `its manifest has the root ${'ab'.repeat(32)}`,
      (folder) => {
        mkdirSync(folder)
        const manifest = manifestOf({ root: 'ab'.repeat(32), retrievedAt: 1 })
        writeFileSync(join(folder, MANIFEST), formatManifest(manifest))
      },
    ],
  ]
  test.each(place)('error: %s has the name of the root', async (_, reason, put) => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    const folder = join(out.path, await rootOf(rows))
    put(folder)
    const error = await errorOf(takeFrom(api, out.path))
    expect(error).toMatchObject({ code: 'snapshot_folder', folder, reason })
    expect(error.message).toContain('move it away, and take the snapshot again')
    expect(lstatSync(folder)).toBeDefined()
  })

  test('error: a snapshot whose files are links that leave its folder cannot be checked', async () => {
    using out = createFolder()
    await using api = startDatasetApi(rows)
    const { folder } = await takeFrom(api, out.path)
    using other = createFolder()
    for (const name of ['tile', 'index']) symlinkSync(join(folder, name), join(other.path, name))
    other.write(MANIFEST, readFileSync(join(folder, MANIFEST)))
    expect((await errorOf(checkSnapshot(folderFiles(other.path)))).message).toContain(
      'leads out of the folder',
    )
  })
})

describe('a broken snapshot with the same root', () => {
  const cut = (path: string) => truncateSync(path, statSync(path).size - 3)
  const tile = 'tile/0/000.p/12'
  const spoils: [string, string, (folder: string) => void][] = [
    ['an empty folder', `${MANIFEST}: is missing`, emptyFolder],
    ['no manifest', `${MANIFEST}: is missing`, (folder) => rmSync(join(folder, MANIFEST))],
    ['a cut manifest', MANIFEST, (folder) => cut(join(folder, MANIFEST))],
    [
      'a manifest with another size',
      `${MANIFEST}: is not that of the values`,
      (folder) => edit(join(folder, MANIFEST), '"size": 12', '"size": 11'),
    ],
    ['no tile', `${tile}: is missing`, (folder) => rmSync(join(folder, tile))],
    ['a cut tile', `${tile}: is damaged`, (folder) => cut(join(folder, tile))],
    ['a tile that is too long', tile, (folder) => appendFileSync(join(folder, tile), '.')],
    [
      'a changed leaf',
      'tile/entries/000.p/12: is damaged',
      (folder) => {
        edit(join(folder, 'tile/entries/000.p/12'), '18.10', '18.11')
      },
    ],
    [
      'a folder in place of a tile',
      `${tile}: is not a regular file`,
      (folder) => {
        rmSync(join(folder, tile))
        mkdirSync(join(folder, tile))
      },
    ],
    [
      'a file in place of a folder',
      'is missing',
      (folder) => {
        rmSync(join(folder, 'tile'), { recursive: true })
        writeFileSync(join(folder, 'tile'), '')
      },
    ],
    ['no index', 'index: is missing', (folder) => rmSync(join(folder, 'index'))],
    ['no counts', `${COUNTS}: is missing`, (folder) => rmSync(join(folder, COUNTS))],
    ['no table', 'series.parquet: is missing', (folder) => rmSync(join(folder, 'series.parquet'))],
    ['a cut table', 'series.parquet: is cut', (folder) => cut(join(folder, 'series.parquet'))],
  ]

  function emptyFolder(folder: string): void {
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
  }

  const edit = (path: string, from: string, to: string) =>
    writeFileSync(path, readFileSync(path, 'latin1').replace(from, to), 'latin1')

  test.each(spoils)('behavior: %s: it is written again', async (_, why, spoil) => {
    using out = createFolder('in memory')
    await using api = startDatasetApi(rows)
    const { folder, manifest } = await takeFrom(api, out.path)
    spoil(folder)
    const reasons: string[] = []
    const onProgress = (step: SnapshotStep) => void (step.step === 'mend' && reasons.push(step.why))
    const mended = await takeFrom(api, out.path, { onProgress })
    expect([mended.isNew, mended.manifest]).toEqual([true, manifest])
    expect(reasons).toEqual([expect.stringContaining(why)])
    expect(await checkSnapshot(folderFiles(folder))).toEqual(manifest)
    expect((await readTable(folder)).length).toBe(12)
    expect(namesIn(out.path)).toEqual([manifest.root])
    expect((await takeFrom(api, out.path)).isNew).toBeFalse()
  })
})

describe('keep', () => {
  /** Takes snapshots with values that differ, one after the other, and returns their roots. */
  async function takeSeveral(out: string, days: readonly number[], keep: number | null): Promise<string[]> {
    const roots: string[] = []
    for (const day of days) {
      await using api = startDatasetApi(spotRows([day], ['A', 'B']))
      const taken = await takeFrom(api, out, { keep, now: () => 1_795_000_000_000 + day })
      roots.push(taken.manifest.root)
    }
    return roots
  }

  test.each([
    [1, 1],
    [2, 2],
    [9, 4],
    [null, 4],
  ])('default: of four snapshots %p keeps the newest %i', async (keep, left) => {
    using out = createFolder()
    const roots = await takeSeveral(out.path, [1, 2, 3, 4], keep)
    expect(namesIn(out.path)).toEqual(roots.slice(-left).sort())
  })

  test('behavior: the one that was taken last stays, even if it was read first', async () => {
    using out = createFolder()
    const [first = '', second] = await takeSeveral(out.path, [1, 2], null)
    expect(await takeSeveral(out.path, [1], 1)).toEqual([first])
    expect(namesIn(out.path)).toEqual([first])
    expect(second).not.toBe(first)
  })

  test('behavior: what is no snapshot stays, and so do those of another dataset', async () => {
    using out = createFolder()
    using elsewhere = createFolder()
    const [other = ''] = await takeSeveral(out.path, [1], null)
    const manifest = join(out.path, other, MANIFEST)
    const text = readFileSync(manifest, 'utf8')
    writeFileSync(manifest, text.replace('petroleum/pri/spt', 'petroleum/pri/gnd'))
    expect(parseManifest(readFileSync(manifest, 'utf8')).route).toBe('petroleum/pri/gnd')
    const strange = ['ab'.repeat(32), 'cd'.repeat(32), 'notes']
    for (const name of strange) mkdirSync(join(out.path, name))
    writeFileSync(join(out.path, 'cd'.repeat(32), MANIFEST), text)
    symlinkSync(elsewhere.path, join(out.path, 'ef'.repeat(32)))
    const roots = await takeSeveral(out.path, [5, 6, 7], 1)
    expect(namesIn(out.path)).toEqual([other, ...strange, 'ef'.repeat(32), ...roots.slice(-1)].sort())
  })
})

describe('a run that ends early', () => {
  /** Stops a run before the answer with this number. */
  async function stopAt(
    out: string,
    request: number,
    options: Partial<SnapshotOptions> = {},
  ): Promise<DatasetApi> {
    const stopped = new AbortController()
    const api = startDatasetApi(rows, {
      before(number) {
        if (number === request) stopped.abort('stopped')
        return undefined
      },
    })
    const ended = await takeFrom(api, out, { ...options, signal: stopped.signal }).catch(
      (error: unknown) => error,
    )
    expect(ended).toBe('stopped')
    return api
  }

  test('default: the next one resumes after its last page', async () => {
    using out = createFolder()
    await using _ = await stopAt(out.path, 4)
    await using api = startDatasetApi(rows)
    const { said, manifest } = await takeFrom(api, out.path)
    expect(api.requests).toEqual([0, 9, 0, 3, 6, 9])
    expect([said, manifest.root]).toEqual([['resume', 'page'], await rootOf(rows)])
  })

  test.each([
    ['a page is added', spotRows([21, 20, 19, 18], ['A', 'B', 'CC', 'D'])],
    ['a value of the first page is revised', rows.with(0, spotRow('2026-11-20', 'A', '2'))],
  ])('behavior: %s meanwhile: the next one starts again', async (_, later) => {
    using out = createFolder()
    await using _stopped = await stopAt(out.path, 4)
    await using api = startDatasetApi(later)
    const { said, manifest } = await takeFrom(api, out.path)
    expect([said.includes('resume'), manifest.root]).toEqual([false, await rootOf(later)])
  })

  test('behavior: rows that have moved below the first page are noticed where it resumes', async () => {
    using out = createFolder()
    await using _ = await stopAt(out.path, 4)
    const later = [...rows.slice(0, 5), spotRow('2026-11-19', 'AA'), ...rows.slice(5, -1)]
    await using api = startDatasetApi(later)
    const { said, manifest } = await takeFrom(api, out.path)
    expect(said.slice(0, 2)).toEqual(['resume', 'the rows moved between two pages'])
    expect(manifest.root).toBe(await rootOf(later))
  })

  const startedAt = 1_795_000_000_000
  const releaseAt = findCalendar(spot, 0)?.releasesSince(startedAt)[0] ?? 0
  const minute = 60_000

  test.each([
    ['at once', startedAt, startedAt, ['resume', 'page']],
    ['after an hour', startedAt, startedAt + 60 * minute, ['resume', 'page']],
    [
      'later',
      startedAt,
      startedAt + 60 * minute + 1,
      ['what was read before is older than an hour', 'page', 'page', 'page', 'page'],
    ],
    [
      'after the clock was set back',
      startedAt,
      startedAt - 60 * minute - 1,
      ['what was read before is older than an hour', 'page', 'page', 'page', 'page'],
    ],
    ['just before a planned release', releaseAt - minute, releaseAt - 1, ['resume', 'page']],
    [
      'at a planned release',
      releaseAt - 1,
      releaseAt,
      [
        `EIA has planned a release for ${new Date(releaseAt).toISOString()}, after what was read before`,
        ...['page', 'page', 'page', 'page'],
      ],
    ],
    ['just after a planned release', releaseAt, releaseAt + minute, ['resume', 'page']],
  ])('behavior: one that is resumed %s', async (_, before, after, expected) => {
    using out = createFolder()
    await using _stopped = await stopAt(out.path, 4, { now: () => before })
    await using api = startDatasetApi(rows)
    const { said, manifest } = await takeFrom(api, out.path, { now: () => after })
    expect(said).toEqual(expected)
    const isResumed = expected[0] === 'resume'
    expect(manifest).toMatchObject({ root: await rootOf(rows), retrievedAt: isResumed ? before : after })
  })

  test('behavior: rows that were all revised below the first page are noticed at the end', async () => {
    using out = createFolder()
    await using _ = await stopAt(out.path, 4)
    // The row where it resumes is the same.
    const later = rows.map((row, index) => (index < 4 || index === 9 ? row : { ...row, value: '7' }))
    await using api = startDatasetApi(later)
    const { said, manifest } = await takeFrom(api, out.path)
    expect(said.slice(0, 3)).toEqual([
      ...['resume', 'page'],
      'the rows from offset 3 on have changed since they were read',
    ])
    expect(manifest.root).toBe(await rootOf(later))
  })

  test('behavior: one of other columns, periods or facets starts again', async () => {
    using out = createFolder()
    await using _ = await stopAt(out.path, 4)
    await using api = startDatasetApi(rows)
    const { said } = await takeFrom(api, out.path, { dataset: { ...spot, periods: 9 } })
    expect(said).toEqual(['page', 'page', 'page', 'page'])
  })
})
