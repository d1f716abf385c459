import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datasetFeedId, FACETS, type Leaf } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createFolder } from '@wattfeed/testing/folder'
import type { Reading } from 'wattfeed'
import { getSeries } from 'wattfeed/series'
import { datasetFeed, rootOf, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'

const series = (stateid: string, sectorid: string) => ({
  ...{ route: 'electricity/retail-sales', frequency: 'monthly', column: 'price' },
  facets: { stateid, sectorid },
})

const leafOf = (stateid: string, sectorid: string): Leaf => ({
  ...{ ...series(stateid, sectorid), period: '2026-08', value: '1', unit: null },
})

const names: Readonly<Record<string, string>> = { CA: 'California', COM: 'commercial' }

test('behavior: a code that a dataset does not have comes with the one that was meant, where they are listed', async () => {
  using folder = createFolder('in memory')
  const leaves = [leafOf('CA', 'COM'), leafOf('US', 'ALL')]
  const written = await writeSnapshot(folder.path, leaves, (_, code) => names[code] ?? null)
  const root = rootOf(written.manifest)
  const feed_id = datasetFeedId('electricity/retail-sales', 'monthly')
  const reading: Reading = {
    ...{ ...datasetFeed(written.manifest), ...root, feed_id, value: Number(root.amount), updated_at: 7 },
  }
  const reads = {
    getReading: async () => reading,
    getValueCount: async () => 1,
    getValueHistory: async () => [],
    listReadings: async () => [reading],
  }
  const unknown = async (stateid: string, sectorid: string) => {
    const found = await getSeries(reads, series(stateid, sectorid), { files: folderFiles(folder.path) })
    return [found?.statement, found?.unknown_code]
  }
  expect(await unknown('CA', 'COM')).toEqual(['newest', null])
  expect(await unknown('california', 'COM')).toEqual([
    'no_series',
    { facet: 'stateid', code: 'california', nearest: 'CA' },
  ])
  expect(await unknown('CA', 'QQ')).toEqual(['no_series', { facet: 'sectorid', code: 'QQ', nearest: null }])
  expect(await unknown('CA', 'ALL')).toEqual(['no_series', null])
  // The list is no part of what is proven.
  writeFileSync(join(written.folder, FACETS), 'x')
  expect(await unknown('california', 'COM')).toEqual(['no_series', null])
  rmSync(join(written.folder, FACETS))
  expect(await unknown('california', 'COM')).toEqual(['no_series', null])
})
