import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HistoryItem } from 'wattfeed/history'
import { assertLink, type Checker, createRevisionCounter } from 'wattfeed/internal'
import { checkExport } from '../export/checkExport.ts'
import {
  type DataFile,
  type ExportedFeed,
  LAYOUT,
  MANIFEST,
  type Manifest,
  readManifest,
} from '../export/manifest.ts'
import { findDifference, itemsOf, MAX_ROWS } from '../export/parts.ts'
import type { ProofHeader } from './proofFile.ts'
import { type ProvenDataSet, type ProvenFeed, versionOf } from './readDataSet.ts'

/** Far above the size of {@link MAX_ROWS} rows. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** What a proof shows, and where it is. */
export interface RowsCheck {
  /** Path of the proof. */
  path: string
  dataSet: ProvenDataSet
  stateRootHash: string
  registries: ProofHeader['registries']
  progress: (line: string) => void
}

/**
 * Checks that the data set beside a proof has exactly the proven values. Returns the number of rows; null if there is no
 * manifest.
 */
export async function checkRows(check: RowsCheck, checker: Checker): Promise<number | null> {
  const folder = dirname(check.path)
  const stored = await checker.check(
    'manifest',
    () => readManifest(join(folder, MANIFEST)),
    (found) =>
      found === null ? 'none beside the proof, so no rows are compared' : `SHA-256 ${found.sha256}`,
  )
  if (stored === null) return null
  const { manifest } = stored
  await checker.check(
    'data set',
    () => assertManifest(manifest, check),
    () => `${manifest.feeds.length} feeds`,
  )
  await checker.check(
    'files',
    () => assertFiles(folder, check),
    () => 'those of the manifest, and no others',
  )
  return checker.check(
    'rows',
    () => countRows(manifest, folder, check),
    (rows) => `all ${rows} rows equal the proven values`,
  )
}

/** @throws {@link DecodeError} unless a manifest is of the proven state. */
function assertManifest(manifest: Manifest, { registries, dataSet, stateRootHash }: RowsCheck): void {
  assertLink(
    manifest.layout === LAYOUT,
    `it has the older layout ${manifest.layout}, whose rows date periods otherwise: run the export again`,
  )
  const { feeds } = dataSet
  const fields: [string, unknown, unknown][] = [
    ['state_root_hash', manifest.state_root_hash, stateRootHash],
    ['chain_name', manifest.chain_name, registries.chain_name],
    ['registries.FeedRegistry', manifest.registries.FeedRegistry, registries.feed_registry_package_hash],
    [
      'registries.AttestationRegistry',
      manifest.registries.AttestationRegistry,
      registries.attestation_registry_package_hash,
    ],
    ['version', manifest.version, versionOf(dataSet)],
    ['selection', manifest.selection, null],
    ['since', manifest.since, null],
    ['rows', manifest.rows, dataSet.values],
    ['feeds', manifest.feeds.length, feeds.length],
  ]
  for (const [name, found, proven] of fields)
    assertLink(
      found === proven,
      `its "${name}" is ${JSON.stringify(found)}, but ${JSON.stringify(proven)} is proven`,
    )
  for (const [index, feed] of feeds.entries()) assertFeed(manifest.feeds[index], feed)
}

function assertFeed(found: ExportedFeed | undefined, proven: ProvenFeed): void {
  const { feed_id, decimals, unit, route, frequency, values } = proven
  const expected = { feed_id, decimals, unit, route, frequency, from: 0, to: values.length }
  for (const [name, value] of Object.entries(expected)) {
    const given = found?.[name as keyof typeof expected]
    assertLink(
      given === value,
      `"${name}" of ${feed_id} is ${JSON.stringify(given)}, but ${JSON.stringify(value)} is proven`,
    )
  }
}

/** @throws {@link DecodeError} unless the folder has exactly the files of its manifest. */
async function assertFiles(folder: string, { progress }: RowsCheck): Promise<void> {
  const { changed, missing, extra } = await checkExport({ folder, progress })
  for (const [state, paths] of Object.entries({ changed, missing, extra }))
    assertLink(paths.length === 0, `${state}: ${paths[0]}`)
}

async function countRows(manifest: Manifest, folder: string, check: RowsCheck): Promise<number> {
  let rows = 0
  // The feeds of the data set, with which `assertManifest` has compared those of the manifest.
  for (const [place, feed] of check.dataSet.feeds.entries()) {
    const { feed_id, values } = feed
    const { files = [] } = manifest.feeds[place] ?? {}
    const revisionOf = createRevisionCounter(feed_id)
    let next = 0
    for (const file of files) {
      const { path, from, to, bytes } = file
      assertLink(from === next && to <= values.length, `${path} does not follow row ${next} of ${feed_id}`)
      assertLink(to > from && to - from <= MAX_ROWS, `${path} has ${to - from} rows, not 1 to ${MAX_ROWS}`)
      assertLink(bytes <= MAX_FILE_BYTES, `${path} has ${bytes} bytes, more than ${MAX_FILE_BYTES}`)
      const expected = itemsOf(values.slice(from, to), from, revisionOf, feed)
      await assertPart(manifest, folder, file, expected)
      next = to
      rows += file.rows
      check.progress(`${rows} of ${manifest.rows} rows compared`)
    }
    assertLink(next === values.length, `${feed_id} has ${next} of ${values.length} rows`)
  }
  return rows
}

async function assertPart(
  { format }: Manifest,
  folder: string,
  { path, from }: DataFile,
  rows: readonly HistoryItem[],
): Promise<void> {
  const content = await readFile(join(folder, path))
  const wrong = await findDifference(format, content, rows).catch(() => 'unreadable' as const)
  assertLink(wrong !== 'unreadable', `${path} cannot be read as ${format}`)
  if (wrong !== null) assertLink(false, `row ${from + wrong} in ${path} differs from the proven value`)
}
