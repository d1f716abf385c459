import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isSystemError, systemReason } from '@wattfeed/base'
import pLimit from 'p-limit'
import { printable } from '../../runtime/printable.ts'
import { isIntact } from './isIntact.ts'
import { type DataFile, DataSetError, MANIFEST, PROOF_FILE, readManifest } from './manifest.ts'
import { nextManifestPath } from './staging.ts'

export interface CheckReport {
  readonly command: 'export'
  readonly manifest: string
  /** The manifest's hash, to compare elsewhere: nothing in the folder proves the manifest itself. */
  readonly manifest_sha256: string
  readonly version: string | null
  readonly state_root_hash: string
  readonly files: number
  readonly intact: number
  /** Paths of the files whose size or SHA-256 differs from the manifest. */
  readonly changed: readonly string[]
  readonly missing: readonly string[]
  /** Not in the manifest. */
  readonly extra: readonly string[]
  /** Whether a run stopped while it moved its files in; the next run finishes that. */
  readonly is_unfinished: boolean
}

const FILES_AT_ONCE = 4

/**
 * Compares each file of a data set with the manifest, by size and SHA-256. Reads files only, and changes nothing.
 *
 * @throws {DataSetError} if the folder has no manifest of an export, or something in it cannot be read.
 */
export async function checkExport({
  folder,
  progress,
}: {
  folder: string
  progress: (line: string) => void
}): Promise<CheckReport> {
  const path = join(folder, MANIFEST)
  const stored = await readManifest(path)
  if (stored === null) throw new DataSetError({ path, rule: 'does not exist; name the folder of an export' })
  const { manifest, sha256 } = stored
  const proofs = manifest.proofs === undefined ? [] : [{ path: PROOF_FILE, ...manifest.proofs }]
  const files = [...proofs, ...manifest.feeds.flatMap((feed) => feed.files)]
  let done = 0
  const states = await pLimit(FILES_AT_ONCE).map(files, async (file) => {
    const state = await stateOf(join(folder, file.path), file)
    progress(`${++done} of ${files.length} files checked`)
    return { path: file.path, state }
  })
  const pathsOf = (state: FileState) => states.filter((each) => each.state === state).map(({ path }) => path)
  const named = new Set([MANIFEST, ...files.map((file) => file.path)])
  return {
    command: 'export',
    manifest: path,
    manifest_sha256: sha256,
    version: manifest.version,
    state_root_hash: manifest.state_root_hash,
    files: files.length,
    intact: pathsOf('intact').length,
    changed: pathsOf('changed'),
    missing: pathsOf('missing'),
    extra: (await listFiles(folder)).filter((each) => !named.has(each)),
    is_unfinished: await isThere(nextManifestPath(folder)),
  }
}

type FileState = 'intact' | 'changed' | 'missing'

async function stateOf(location: string, file: Pick<DataFile, 'bytes' | 'sha256'>): Promise<FileState> {
  if (await isIntact(location, file).catch(failReading(location))) return 'intact'
  return (await isThere(location)) ? 'changed' : 'missing'
}

async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch((error) => {
    // Also where one of its folders is a file.
    if (['ENOENT', 'ENOTDIR'].includes(systemReason(error))) return null
    return failReading(path)(error)
  })
  return found !== null
}

const failReading =
  (path: string) =>
  (error: unknown): never => {
    if (!isSystemError(error)) throw error
    const rule = `cannot be read (${systemReason(error)}); let this user read it`
    throw new DataSetError({ path, rule })
  }

/** Lists the files that readers may take for data: all but names that start with a dot, such as the staging folder. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(failReading(folder))
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => !/(^|\/)\./.test(path))
    .sort()
}

export const isAsWritten = ({ changed, missing, extra }: CheckReport): boolean =>
  changed.length + missing.length + extra.length === 0

export function formatCheck(report: CheckReport): string {
  const { files, intact, changed, missing, extra, manifest, manifest_sha256, version, state_root_hash } =
    report
  const listed = (what: string, paths: readonly string[]) =>
    paths.map((path) => `${what}: ${printable(path)}`)
  return [
    `${intact} of ${files} files match the manifest`,
    ...listed('changed', changed),
    ...listed('missing', missing),
    ...listed('extra', extra),
    ...adviceOf(report),
    `state root ${state_root_hash}${version === null ? '' : `, version ${version}`}`,
    `manifest ${manifest}, SHA-256 ${manifest_sha256}`,
  ].join('\n')
}

function adviceOf({ changed, missing, extra, is_unfinished }: CheckReport): string[] {
  if (is_unfinished)
    return ['an export was interrupted while it moved its files here: run the export to this folder again']
  const isBroken = changed.length + missing.length > 0
  return [
    ...(isBroken ? ['to restore the changed and missing files, run the export to this folder again'] : []),
    ...(extra.length > 0 ? ['readers may take the extra files for data: move them away'] : []),
  ]
}
