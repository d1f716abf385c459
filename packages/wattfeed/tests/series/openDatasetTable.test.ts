import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { datasetFeedId, type Leaf } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createFolder } from '@wattfeed/testing/folder'
import type { Reading } from 'wattfeed'
import {
  type DatasetTableRequest,
  openDatasetTable,
  TableIndexMissingError,
  type TableQuery,
} from 'wattfeed/series'
import { datasetFeed, rootOf, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'

const dataset = { route: 'electricity/retail-sales', frequency: 'monthly' }

const leaves = ['CA', 'NY', 'TX'].flatMap((stateid) =>
  ['2026-07', '2026-08'].map(
    (period): Leaf => ({
      ...{ ...dataset, column: 'price', facets: { stateid, sectorid: 'RES' } },
      ...{ period, value: `${stateid} ${period}`, unit: null },
    }),
  ),
)

/** A dataset in a folder, whose root is on a chain. */
async function attested() {
  const folder = createFolder('in memory')
  const { manifest, ...written } = await writeSnapshot(folder.path, leaves)
  const root = rootOf(manifest)
  const feed_id = datasetFeedId(dataset.route, dataset.frequency)
  const reading: Reading = {
    ...{ ...datasetFeed(manifest), ...root, feed_id, value: Number(root.amount), updated_at: 7 },
  }
  const reads = {
    getReading: async (id: string) => (id === feed_id ? reading : null),
    getValueCount: async () => 1,
    getValueHistory: async () => [],
    listReadings: async () => [reading],
  }
  const files = folderFiles(folder.path)
  return { ...written, reads, files, feed_id, root, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('default: the rows of a dataset by its root, in pages', async () => {
  using one = await attested()
  const { reads, files, feed_id, root } = one
  const table = await openDatasetTable(reads, dataset, { files })
  expect(table).toEqual({
    ...{ feed_id, columns: ['price'], facets: ['sectorid', 'stateid'], size: 6, index: 0 },
    ...{ root: root.source_hash, attested_at: 7, is_newest_root: true, read: expect.any(Function) },
  })
  const { rows, ...page } = (await table?.read({ sort: ['-period', '-stateid'], offset: 1, limit: 3 })) ?? {}
  expect(page).toEqual({ total: 6, complete: true })
  expect(rows?.map(({ value, index }) => [value, index])).toEqual([
    ['NY 2026-08', 3],
    ['CA 2026-08', 1],
    ['TX 2026-07', 4],
  ])
  const some = await table?.read({ facets: { stateid: ['NY', 'CA'] }, period_to: '2026-07' })
  expect([some?.rows.map(({ value }) => value), some?.complete]).toEqual([['CA 2026-07', 'NY 2026-07'], null])
  expect((await table?.read({}))?.rows[0]).toEqual({
    ...{ column: 'price', facets: { sectorid: 'RES', stateid: 'CA' }, period: '2026-07' },
    ...{ value: 'CA 2026-07', unit: null, index: 0 },
  })
})

test('default: null without a root', async () => {
  using one = await attested()
  expect(await openDatasetTable(one.reads, { ...dataset, route: 'coal' }, { files: one.files })).toBeNull()
})

const FIRST_MS = Date.UTC(2026, 9, 1)
const SECOND_MS = Date.UTC(2026, 10, 1)

/** A dataset with two roots, of which only the second, of `SECOND_MS`, has a column `sales`. */
async function revised() {
  const folder = createFolder('in memory')
  const sales = leaves.map((leaf) => ({ ...leaf, column: 'sales' }))
  const written = [
    await writeSnapshot(folder.path, leaves),
    await writeSnapshot(folder.path, [...leaves, ...sales]),
  ] as const
  const feed_id = datasetFeedId(dataset.route, dataset.frequency)
  const attestations = written.map(({ manifest }, at) => ({
    ...{ ...rootOf(manifest), timestamp: at === 0 ? FIRST_MS : SECOND_MS, attester: 'account-hash-' },
  }))
  const [, { manifest }] = written
  const root = rootOf(manifest)
  const newest: Reading = {
    ...{ ...datasetFeed(manifest), ...root, feed_id, value: Number(root.amount), updated_at: SECOND_MS },
  }
  const reads = {
    getReading: async () => newest,
    getValueCount: async () => 2,
    getValueHistory: async (_: string, { from = 0, to = 2 } = {}) => attestations.slice(from, to),
    listReadings: async () => [newest],
  }
  const open = (of: Pick<DatasetTableRequest, 'as_of' | 'index'>) =>
    openDatasetTable(reads, { ...dataset, ...of }, { files: folderFiles(folder.path) })
  const roots = written.map(({ manifest, folder }) => ({ root: manifest.root, folder }))
  return { open, roots, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('behavior: as_of and index name the root, which answers alone', async () => {
  using one = await revised()
  const { open, roots } = one
  const [older, newer] = roots
  for (const [of, index] of [
    [{}, 1],
    [{ as_of: SECOND_MS }, 1],
    [{ as_of: SECOND_MS - 1 }, 0],
    [{ index: 0 }, 0],
  ] as const) {
    const table = await open(of)
    expect([table?.root, table?.index, table?.is_newest_root]).toEqual([
      ...[roots[index]?.root, index, index === 1],
    ])
  }
  const earlier = await open({ as_of: FIRST_MS })
  expect([earlier?.attested_at, (await earlier?.read())?.total]).toEqual([FIRST_MS, 6])
  // The dataset has the column today, and the root says nothing of it.
  await expect(earlier?.read({ columns: ['sales'] })).rejects.toThrow(
    `the root ${older?.root} of EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY, which has the index 0, was made without the column sales`,
  )
  await expect(earlier?.read({ columns: ['sold'] })).rejects.toThrow('column: there is no "sold"')
  await expect(open({ as_of: FIRST_MS - 1 })).rejects.toThrow('had no root')
  await expect(open({ index: 2 })).rejects.toThrow('index')
  await expect(open({ index: 0, as_of: FIRST_MS })).rejects.toThrow(
    'as_of must be left out together with index',
  )
  rmSync(newer?.folder ?? '', { recursive: true })
  await expect(open({ as_of: SECOND_MS })).rejects.toThrow(`the root ${newer?.root}`)
  expect((await open({}))?.index).toBe(0)
})

test.each([
  [{ columns: ['Price'] }, 'column: there is no "Price"; the columns of electricity/retail-sales are price'],
  [{ facets: { state: ['CA'] } }, 'facets "state": there is no such facet'],
  [{ period_from: '2026' }, 'period_from: a monthly period must be'],
  [{ period_to: 'x' }, 'period_to: a monthly period must be'],
  [{ sort: ['value'] }, 'sort: rows are ordered by period, column, sectorid, stateid, not by "value"'],
  [{ sort: ['period', '-period'] }, 'sort: it has "period" twice'],
  [{ offset: -1 }, 'query.offset must be a whole number from 0 to 6'],
  [{ offsets: 1 }, 'query.offsets'],
  [{ limit: 0 }, 'query.limit must be a whole number from 1 to 100000'],
])('error: %p', async (query, message) => {
  using one = await attested()
  const table = await openDatasetTable(one.reads, dataset, { files: one.files })
  expect(table?.read(query as TableQuery)).rejects.toThrow(message)
})

test('error: files at a URL, no snapshot, and one without an index of tables', async () => {
  using one = await attested()
  const { reads, files, folder } = one
  const open = (of = files) => openDatasetTable(reads, dataset, { files: of })
  expect(open({ ...files, isRemote: true })).rejects.toThrow('files must be those of a local folder')
  rmSync(join(folder, 'table-index'))
  expect(open()).rejects.toThrow(TableIndexMissingError)
  await open().catch(() => {})
  rmSync(folder, { recursive: true })
  expect(open()).rejects.toThrow('no snapshot of EIA.DATASET')
  await open().catch(() => {})
})
