import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import {
  encodeKey,
  formatDatasetRecipe,
  formatManifest,
  type Leaf,
  MANIFEST,
  type Manifest,
  openSnapshot,
  type Snapshot,
} from '@wattfeed/dataset'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { encodePeriod } from '@wattfeed/eia'
import type { Feed } from '../../src/registry/feed.ts'

/** A snapshot in a folder that has the root as its name. */
export interface WrittenSnapshot {
  folder: string
  manifest: Manifest
  snapshot: Snapshot
}

/** Writes a snapshot of leaves of one dataset into a folder, as the agent does. */
export async function writeSnapshot(
  parent: string,
  leaves: readonly Leaf[],
  nameOf?: (facet: string, code: string) => string | null,
): Promise<WrittenSnapshot> {
  const [first] = leaves
  if (first === undefined) throw new Error('a snapshot has at least one leaf')
  const started = join(parent, 'started')
  mkdirSync(started, { recursive: true })
  const sorted = leaves.toSorted((a, b) => Buffer.compare(encodeKey(a), encodeKey(b)))
  const { route, frequency, facets } = first
  const manifest: Manifest = {
    ...(await writeTree(started, sorted, nameOf)),
    route,
    frequency,
    columns: [...new Set(leaves.map(({ column }) => column))].sort(),
    facets: Object.keys(facets).sort(),
    periods: null,
    retrievedAt: Date.UTC(2026, 10, 20),
  }
  await Bun.write(join(started, MANIFEST), formatManifest(manifest))
  const folder = join(parent, manifest.root)
  renameSync(started, folder)
  const snapshot = await openSnapshot(folderFiles(folder))
  if (snapshot === null) throw new Error(`${folder} has no manifest`)
  return { folder, manifest, snapshot }
}

/** The feed of a snapshot's dataset. */
export const datasetFeed = (manifest: Manifest): Feed => ({
  decimals: 0,
  unit: 'values',
  title: `All values of ${manifest.route}`,
  source: 'EIA',
  route: manifest.route,
  frequency: manifest.frequency,
  description: `Root of a dataset.\n${formatDatasetRecipe(manifest)}`,
})

/** The attestation of a snapshot's root. */
export const rootOf = ({ frequency, root, size, newestPeriod }: Manifest) => ({
  period: encodePeriod(frequency, newestPeriod),
  amount: BigInt(size),
  source_hash: root,
})
