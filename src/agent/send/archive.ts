import { canonicalJson } from '../../eia/sourceHash.ts'
import { WattfeedError } from '../../errors.ts'
import { openJsonLines } from '../../runtime/jsonLines.ts'
import { systemReason, writeCure } from '../../runtime/systemReason.ts'
import type { SourcedAttestation } from '../plan/decide.ts'

/** `ARCHIVE_FILE` cannot be written. Nothing was sent. */
export class ArchiveFileError extends WattfeedError {
  static override readonly name = 'ArchiveFileError'
  readonly code = 'archive_file'
  readonly retryable = true

  constructor(
    readonly path: string,
    /** The system's error code. */
    readonly reason: string,
  ) {
    super(
      `${path} cannot be written (${reason}), so nothing is attested: ${writeCure(reason)}, or unset ARCHIVE_FILE`,
    )
  }
}

/** Stores the rows behind the attested hashes, because EIA does not keep earlier versions of its rows. */
export interface Archive {
  /** Appends the sources of these attestations, each once in a run. @throws {ArchiveFileError} */
  append(attestations: readonly Pick<SourcedAttestation, 'source_hash' | 'source'>[]): Promise<void>
}

/**
 * Creates an archive: lines of canonical JSON, appended to a file and never changed.
 *
 * @example
 * ```ts
 * const archive = createArchive('archive.jsonl')
 * const { source_hash, source } = decide({ row, feed, latest, now })
 * await archive.append([{ source_hash, source }])
 * ```
 */
export function createArchive(path: string): Archive {
  const archived = new Set<string>()
  const file = openJsonLines(path)
  let last: Promise<void> = Promise.resolve()

  async function write(attestations: Parameters<Archive['append']>[0]): Promise<void> {
    const lines = new Map<string, string>()
    for (const { source_hash, source } of attestations)
      if (source && !archived.has(source_hash)) lines.set(source_hash, canonicalJson(source))
    if (lines.size === 0) return
    await file.append([...lines.values()])
    for (const hash of lines.keys()) archived.add(hash)
  }

  return {
    append(attestations) {
      const written = last.then(() => write(attestations))
      last = written.catch(() => {})
      return written.catch((error) => {
        throw new ArchiveFileError(path, systemReason(error))
      })
    },
  }
}
