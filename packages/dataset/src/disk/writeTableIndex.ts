import { join } from 'node:path'
import { writeAtomically } from '@wattfeed/base/disk'
import { DatasetError } from '../errors.ts'
import type { Manifest } from '../manifest.ts'
import { TABLE_INDEX } from '../table/tableIndex.ts'
import { type OnBundle, recompute } from './checkSnapshot.ts'
import { folderFiles } from './folderFiles.ts'

/**
 * Checks a snapshot in a folder as `checkSnapshot` does, and writes its index of tables, which may be missing or wrong.
 *
 * @throws {DatasetError} for the first fault, or if the snapshot is too large for an index.
 */
export async function writeTableIndex(folder: string, onBundle: OnBundle = () => {}): Promise<Manifest> {
  const { manifest, tableIndex } = await recompute(folderFiles(folder), onBundle)
  if (tableIndex === null)
    throw new DatasetError({ what: TABLE_INDEX, rule: 'would be too large, so there are no tables' })
  await writeAtomically(join(folder, TABLE_INDEX), tableIndex, 0o644)
  return manifest
}
