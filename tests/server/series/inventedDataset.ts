import { datasetFeedId, type Leaf, type SnapshotFiles } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { Client, Reading } from 'wattfeed'
import { datasetFeed, rootOf, type WrittenSnapshot, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { createFakeClient, proofOf } from '../fakeClient.ts'

export const ROUTE = 'petroleum/pri/spt'

/** Series by product, with as many weeks each. The first one has no product. */
export function inventLeaves(products: readonly (string | null)[], weeks: number): Leaf[] {
  return products.flatMap((product, number) =>
    Array.from({ length: weeks }, (_, week): Leaf => {
      const period = new Date(Date.UTC(2026, 0, 2 + 7 * week)).toISOString().slice(0, 10)
      return {
        ...{ route: ROUTE, frequency: 'weekly', column: 'value', period },
        facets: { product, area: 'NUS' },
        value: week === 0 ? null : `${number}.${week}0`,
        unit: '$/BBL',
      }
    }),
  )
}

/** A dataset whose roots are on a fake chain, and a folder of its snapshots. */
export interface InventedDataset extends Disposable {
  feedId: string
  folder: Folder
  /** The place that DATASETS names. */
  place: SnapshotFiles
  /** Oldest first. */
  snapshots: readonly WrittenSnapshot[]
  readings: readonly Reading[]
  client: Client
}

/** Writes a snapshot for each list of leaves, and attests the roots in that order. */
export async function inventDataset(
  versions: readonly (readonly Leaf[])[],
  nameOf?: (facet: string, code: string) => string | null,
): Promise<InventedDataset> {
  const folder = createFolder('in memory')
  const { route = ROUTE, frequency = 'weekly' } = versions[0]?.[0] ?? {}
  const feedId = datasetFeedId(route, frequency)
  const snapshots: WrittenSnapshot[] = []
  for (const leaves of versions)
    snapshots.push(await writeSnapshot(`${folder.path}/${feedId.toLowerCase()}`, leaves, nameOf))
  const readings = snapshots.map(({ manifest }, index): Reading => {
    const { amount, period, source_hash } = rootOf(manifest)
    return {
      ...{ feed_id: feedId, ...datasetFeed(manifest), value: Number(amount) },
      ...{ amount, period, source_hash, updated_at: 1_795_168_726_000 + index },
    }
  })
  const newest = readings.at(-1)
  const client = createFakeClient({
    readings: newest === undefined ? [] : [newest],
    getValueCount: async () => readings.length,
    getValueHistory: async (_, { from = 0, to = readings.length } = {}) =>
      readings
        .slice(from, to)
        .map((reading) => ({ ...reading, timestamp: reading.updated_at, attester: 'account-hash-00' })),
    getFeedProof: async (_, { index } = {}) => {
      const reading = readings[index ?? readings.length - 1]
      return reading === undefined ? null : { ...proofOf(reading), ...(index == null ? {} : { index }) }
    },
  })
  return {
    ...{ feedId, folder, place: folderFiles(folder.path), snapshots, readings, client },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** Files of which some are changed on the way; null removes one. */
export const changing = (
  files: SnapshotFiles,
  change: (path: string, bytes: Uint8Array) => Uint8Array | null,
): SnapshotFiles => ({
  async read(path, maxBytes) {
    const bytes = await files.read(path, maxBytes)
    return bytes && change(path, bytes)
  },
})
