import { decodeLeaf, type Leaf } from '../leaf.ts'
import type { Manifest } from '../manifest.ts'
import { readBundle } from '../snapshot.ts'
import type { SnapshotFiles } from '../snapshotFiles.ts'
import { TILE_WIDTH } from '../tiles.ts'

/**
 * Reads all leaves of a snapshot in their order, those of one bundle at once. Nothing checks their keys or the root.
 *
 * @throws {DatasetError} if a bundle is missing or wrong.
 */
export async function* readLeaves(
  files: SnapshotFiles,
  { size }: Pick<Manifest, 'size'>,
): AsyncGenerator<Leaf> {
  for (let number = 0; number * TILE_WIDTH < size; number++)
    for (const [at, bytes] of (await readBundle(files, number, size)).entries())
      yield decodeLeaf(bytes, `leaf ${number * TILE_WIDTH + at}`)
}
