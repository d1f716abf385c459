import { join } from 'node:path'
import { decodeHex } from '@wattfeed/base'
import { createFolder } from '@wattfeed/testing/folder'
import { compareBytes } from '../src/bytes.ts'
import { folderFiles, writeTree } from '../src/disk/index.ts'
import { encodeKey, type Leaf } from '../src/leaf.ts'
import { formatManifest, MANIFEST, type Manifest } from '../src/manifest.ts'
import { openSnapshot, type Snapshot } from '../src/snapshot.ts'
import type { AttestedTree } from '../src/statement.ts'

/** A snapshot in a temporary folder. */
export interface WrittenSnapshot extends Disposable {
  readonly path: string
  readonly snapshot: Snapshot
  readonly manifest: Manifest
  readonly tree: AttestedTree
}

/** Writes a snapshot of leaves, sorted unless told otherwise. The manifest's facets and columns are those of the leaves. */
export async function snapshotOf(
  leaves: readonly Leaf[],
  { isSorted = true }: { isSorted?: boolean } = {},
): Promise<WrittenSnapshot> {
  const folder = createFolder('in memory')
  const order = isSorted ? sorted(leaves) : leaves
  const written = await writeTree(folder.path, order)
  const [first] = order
  const manifest: Manifest = {
    route: first?.route ?? '',
    frequency: first?.frequency ?? '',
    columns: [...new Set(leaves.map(({ column }) => column))].sort(),
    facets: Object.keys(first?.facets ?? {}).sort(),
    periods: null,
    retrievedAt: 1_795_000_000_000,
    ...written,
  }
  folder.write(MANIFEST, formatManifest(manifest))
  const snapshot = await openSnapshot(folderFiles(folder.path))
  if (snapshot === null) throw new Error(`no manifest in ${join(folder.path)}`)
  const tree = { root: decodeHex(written.root, 'root'), size: written.size }
  return {
    path: folder.path,
    snapshot,
    manifest,
    tree,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export const sorted = (leaves: readonly Leaf[]): Leaf[] =>
  [...leaves].sort((a, b) => compareBytes(encodeKey(a), encodeKey(b)))

/** Invented leaves of a dataset with two facets, as many series as asked for, with up to 4 periods each. */
export function inventLeaves(seriesCount: number): Leaf[] {
  return Array.from({ length: seriesCount }, (_, number) => {
    const facets = { product: `P${number % 7}`, series: `S${String(number).padStart(5, '0')}` }
    const periods = Array.from({ length: 1 + (number % 4) }, (_, month) => `2026-0${month + 1}`)
    return periods.map((period): Leaf => {
      const value = number % 13 === 0 ? null : String(number * 1.5)
      return {
        route: 'petroleum/test',
        frequency: 'monthly',
        column: 'value',
        facets,
        period,
        value,
        unit: 'MBBL',
      }
    })
  }).flat()
}
