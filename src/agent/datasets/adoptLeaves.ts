import { join } from 'node:path'
import {
  DatasetError,
  type EiaNames,
  type EiaRecord,
  isRoot,
  type Leaf,
  openSnapshot,
  readEiaRecord,
  type Snapshot,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { folderFiles, readLeaves } from '@wattfeed/dataset/disk'
import { changeFolder, type FolderOptions } from './changeFolder.ts'
import type { PlacedLeaf } from './placeLeaves.ts'
import { createNameOf, type StagedNames } from './stagedNames.ts'
import { type SnapshotSource, type TakenSnapshot, type WriteOptions, writeSnapshot } from './writeSnapshot.ts'

/** A snapshot that differs from another one in some leaves. */
export interface Adoption extends Pick<SnapshotSource, 'assertTree'> {
  /** The other one. */
  readonly base: OpenBase
  /** How it differs, in the order of the keys. */
  readonly changes: readonly PlacedLeaf[]
  /** EIA's text of the first period: the base's leaves of earlier ones are left out. Null for none. */
  readonly start: string | null
  /** What EIA's rows say beside these leaves. */
  readonly texts: StagedNames
}

/** A snapshot that is here, and its files. */
export interface OpenBase {
  readonly snapshot: Snapshot
  readonly files: SnapshotFiles
}

export interface AdoptOptions extends FolderOptions, Omit<WriteOptions, 'readRecord'> {}

/**
 * Opens the snapshot of a root in the folder of a dataset's snapshots.
 *
 * @throws {DatasetError} if it is not there, or was made with other columns or facets.
 */
export async function openBase(
  root: string,
  { out, dataset, facets }: Pick<AdoptOptions, 'out' | 'dataset' | 'facets'>,
): Promise<OpenBase> {
  const files = folderFiles(join(out, root))
  const snapshot = isRoot(root) ? await openSnapshot(files) : null
  const fail = (rule: string) => new DatasetError({ what: `the snapshot ${root}`, rule })
  if (snapshot === null) throw fail('is not in the folder of its feed')
  const { manifest } = snapshot
  const isSame = (one: readonly string[], other: readonly string[]) => [...one].sort().join() === other.join()
  if (!isSame(dataset.columns, manifest.columns) || !isSame(facets, manifest.facets))
    throw fail('has other columns or facets than the feed')
  return { snapshot, files }
}

/**
 * Writes the snapshot that differs from another one in some leaves. Its files are those that `takeSnapshot` writes for the same leaves.
 * After any crash, what has the name of a root is complete.
 *
 * What is no part of a leaf is that of the other snapshot: when it was read, names of codes, and what EIA says of the dataset. The texts
 * of EIA's rows add names of new codes.
 *
 * @throws {DatasetError} if a file of the base is missing or wrong, or if no leaf is left; and what `assertTree` throws.
 * @throws {StateFileError} if the folder cannot be written, for instance because the disk is full.
 * @throws {LockedError} if another process takes a snapshot there.
 */
export async function adoptLeaves(adoption: Adoption, options: AdoptOptions): Promise<TakenSnapshot> {
  const { base, texts, assertTree } = adoption
  const nameOf = await createNames(base.snapshot, createNameOf(texts, options.facets))
  const { retrievedAt } = base.snapshot.manifest
  const source = { leaves: () => mergedLeaves(adoption), nameOf, retrievedAt, assertTree }
  const readRecord = () => recordOf(base.files, texts)
  return changeFolder(options, () => writeSnapshot(source, { ...options, readRecord }))
}

/** The leaves of the base with the changes. */
async function* mergedLeaves({ base, changes, start }: Adoption): AsyncGenerator<Leaf> {
  let [index, next] = [0, 0]
  for await (const leaf of readLeaves(base.files, base.snapshot.manifest)) {
    let isReplaced = false
    for (; changes[next]?.index === index; next++) {
      const change = changes[next]
      if (change?.own) isReplaced = true
      if (change?.leaf) yield change.leaf
    }
    if (!isReplaced && (start === null || leaf.period >= start)) yield leaf
    index++
  }
  for (const { leaf } of changes.slice(next)) if (leaf !== null) yield leaf
}

/** Returns a function for what a snapshot calls a code; for a code without a name, what others call it. */
async function createNames(
  base: Snapshot,
  others: (facet: string, code: string) => string | null,
): Promise<typeof others> {
  const facets = await orNull(base.listFacets())
  const names = new Map(
    facets?.map(({ id, codes }) => [id, new Map(codes?.map(({ id: code, name }) => [code, name]))]),
  )
  return (facet, code) => names.get(facet)?.get(code) ?? others(facet, code)
}

/** What a snapshot records of EIA, with the texts of new codes. Null if it records nothing, or if that cannot be read. */
async function recordOf(files: SnapshotFiles, added: StagedNames): Promise<EiaRecord | null> {
  const record = await orNull(readEiaRecord(files))
  return record && { ...record, names: record.names?.flatMap((names) => withTexts(names, added)) ?? null }
}

/** None if the facet no longer determines the member. */
function withTexts({ member, facet, texts }: EiaNames, added: StagedNames): EiaNames[] {
  const found = added.textsOf(member, facet)
  const isSame = [...found.texts].every(([code, text]) => !texts.has(code) || texts.get(code) === text)
  if (found.state !== 'determined' || !isSame) return []
  return [{ member, facet, texts: new Map([...texts, ...found.texts]) }]
}

/** No hash covers these files, so a snapshot does not fail for one. */
const orNull = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof DatasetError) return null
    throw error
  })
