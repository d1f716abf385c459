import type { Manifest } from '@wattfeed/dataset'
import type { DatasetKeeper } from '../../../src/agent/datasets/datasetKeeper.ts'
import type { TakenSnapshot } from '../../../src/agent/datasets/writeSnapshot.ts'
import type { DatasetConfig } from '../../../src/feeds/file/feedConfig.ts'

/** A configured feed of a dataset. */
export const datasetConfig = (changes: Partial<DatasetConfig> = {}): DatasetConfig => ({
  feed_id: 'EIA.DATASET.PETROLEUM.PRI.SPT.DAILY',
  title: 'Spot prices, every series',
  description: 'Spot prices of crude oil and its products.',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  dataset: { columns: ['value'], periods: 1 },
  unit: 'values',
  decimals: 0,
  ...changes,
})

export const weekly: DatasetConfig = datasetConfig({
  feed_id: 'EIA.DATASET.NATURAL-GAS.STOR.WKLY.WEEKLY',
  route: 'natural-gas/stor/wkly',
  frequency: 'weekly',
})

/** The manifest of a snapshot whose root repeats two digits. */
export const manifestOf = (changes: Partial<Manifest> = {}): Manifest => ({
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  columns: ['value'],
  facets: ['duoarea', 'process', 'product', 'series'],
  periods: 1,
  size: 100,
  root: 'ab'.repeat(32),
  oldestPeriod: '2026-11-16',
  newestPeriod: '2026-11-16',
  retrievedAt: 0,
  ...changes,
})

/** A snapshot of one period, as a keeper takes it. */
export function takenOf(changes: Partial<Manifest> = {}): Pick<TakenSnapshot, 'manifest' | 'counts'> {
  const manifest = manifestOf(changes)
  return { manifest, counts: new Map([[manifest.newestPeriod, manifest.size]]) }
}

const fail = async (): Promise<never> => {
  throw new Error('this keeper knows no other snapshots')
}

/** The methods of a keeper that an agent without a committee never calls. */
export const withoutOthers: Pick<DatasetKeeper, 'askAgain' | 'openSide' | 'fetch'> = {
  askAgain: fail,
  openSide: fail,
  fetch: fail,
}
