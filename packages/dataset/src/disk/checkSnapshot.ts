import { encodeHex } from '@wattfeed/base'
import { compareBytes, joinEntries } from '../bytes.ts'
import { readEiaRecord } from '../eiaRecord.ts'
import { DatasetError } from '../errors.ts'
import { createCodeCounter, FACETS, hasSameCodes, MAX_FACETS_BYTES, parseFacets } from '../facets.ts'
import { decodeLeaf, encodeKey, type Leaf } from '../leaf.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, type Manifest, parseManifest } from '../manifest.ts'
import { HASH_BYTES, hashLeaf } from '../merkleTree.ts'
import { INDEX, MAX_INDEX_BYTES, readBundle } from '../snapshot.ts'
import { readFile, type SnapshotFiles } from '../snapshotFiles.ts'
import { IndexBuilder } from '../table/indexBuilder.ts'
import { indexFault, MAX_TABLE_INDEX_BYTES, TABLE_INDEX } from '../table/tableIndex.ts'
import { TILE_WIDTH, tilePath } from '../tiles.ts'
import { createLevels } from './writeTree.ts'

/** Called after each bundle with the number of leaves so far. */
export type OnBundle = (leaves: number, size: number) => void

/**
 * Recomputes a whole snapshot: every leaf is in canonical form and of the manifest's dataset, and keys ascend strictly. Tiles, index,
 * root, size, newest period, codes of facets and the index of tables follow from the leaves. What EIA said of the dataset is
 * well-formed. Returns its manifest, which then says the truth about the leaves.
 *
 * @throws {DatasetError} for the first fault.
 */
export async function checkSnapshot(files: SnapshotFiles, onBundle: OnBundle = () => {}): Promise<Manifest> {
  const { manifest, tableIndex } = await recompute(files, onBundle)
  const found = await files.read(TABLE_INDEX, MAX_TABLE_INDEX_BYTES)
  if (found !== null && (tableIndex === null || compareBytes(found, tableIndex) !== 0))
    throw indexFault('does not follow from the leaves')
  return manifest
}

/**
 * As {@link checkSnapshot}, but for the index of tables, which it returns as it must be; null if it would be too large.
 *
 * @throws {DatasetError} for the first fault.
 */
export async function recompute(
  files: SnapshotFiles,
  onBundle: OnBundle,
): Promise<{ manifest: Manifest; tableIndex: Uint8Array | null }> {
  const manifest = parseManifest(
    new TextDecoder().decode(await readFile(files, MANIFEST, MAX_MANIFEST_BYTES)),
  )
  const { size } = manifest
  const levels = createLevels(async (level, number, hashes) => {
    const path = tilePath(level, number, hashes.length)
    assertSame(await readFile(files, path, hashes.length * HASH_BYTES), Buffer.concat(hashes), path)
  })
  const firstKeys: Uint8Array[] = []
  const codes = createCodeCounter(manifest.facets)
  const table = new IndexBuilder([...manifest.facets].sort())
  let last: Uint8Array | null = null
  let oldestPeriod: string | null = null
  let newestPeriod = ''
  for (let number = 0; number * TILE_WIDTH < size; number++) {
    const bundle = await readBundle(files, number, size)
    for (const [offset, bytes] of bundle.entries()) {
      const what = `leaf ${number * TILE_WIDTH + offset}`
      const leaf = decodeLeaf(bytes, what)
      assertOfDataset(leaf, manifest, what)
      const key = encodeKey(leaf)
      if (last !== null && compareBytes(last, key) >= 0)
        throw new DatasetError({ what, rule: 'its key is not after the key of the leaf before it' })
      last = key
      if (offset === 0) firstKeys.push(key)
      if (oldestPeriod === null || leaf.period < oldestPeriod) oldestPeriod = leaf.period
      if (leaf.period > newestPeriod) newestPeriod = leaf.period
      codes.add(leaf)
      table.add(leaf)
      await levels.add(hashLeaf(bytes))
    }
    onBundle(number * TILE_WIDTH + bundle.length, size)
  }
  const root = encodeHex(await levels.end())
  assertSame(await readFile(files, INDEX, MAX_INDEX_BYTES), joinEntries(firstKeys), INDEX)
  if (root !== manifest.root)
    throw new DatasetError({
      what: MANIFEST,
      rule: `its root is ${manifest.root}, that of the leaves ${root}`,
    })
  if (newestPeriod !== manifest.newestPeriod)
    throw new DatasetError({
      what: MANIFEST,
      rule: `its newest period is not that of the leaves, ${newestPeriod}`,
    })
  if (manifest.oldestPeriod !== null && manifest.oldestPeriod !== oldestPeriod)
    throw new DatasetError({
      what: MANIFEST,
      rule: `its oldest period is not that of the leaves, ${oldestPeriod}`,
    })
  await assertCodes(files, manifest, codes)
  await readEiaRecord(files)
  return { manifest, tableIndex: table.end(root) }
}

/** Asserts that the codes that a snapshot lists, if it does, are those of its leaves. */
async function assertCodes(
  files: SnapshotFiles,
  manifest: Manifest,
  counted: ReturnType<typeof createCodeCounter>,
): Promise<void> {
  const found = await files.read(FACETS, MAX_FACETS_BYTES)
  if (found === null) return
  const expected = counted.facets()
  for (const [index, { id, codes }] of parseFacets(new TextDecoder().decode(found), manifest).entries())
    if (codes !== null && !hasSameCodes(codes, expected[index]?.codes ?? []))
      throw new DatasetError({ what: FACETS, rule: `the codes of ${id} do not follow from the leaves` })
}

function assertSame(found: Uint8Array, expected: Uint8Array, what: string): void {
  if (compareBytes(found, expected) !== 0)
    throw new DatasetError({ what, rule: 'does not follow from the leaves' })
}

/** Asserts that a leaf has the dataset's route and frequency, one of its columns, and exactly its facets. */
function assertOfDataset(leaf: Leaf, manifest: Manifest, what: string): void {
  const fail = (rule: string) => new DatasetError({ what, rule })
  if (leaf.route !== manifest.route || leaf.frequency !== manifest.frequency)
    throw fail('is of another dataset')
  if (!manifest.columns.includes(leaf.column)) throw fail('is of a column that the manifest does not name')
  const ids = Object.keys(leaf.facets)
  if (ids.length !== manifest.facets.length || !manifest.facets.every((id) => Object.hasOwn(leaf.facets, id)))
    throw fail('has other facets than the manifest names')
}
