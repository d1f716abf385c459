import { canonicalJson, hashSource } from '../../eia/sourceHash.ts'
import { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { openJsonLines } from '../../runtime/jsonLines.ts'
import { systemReason, writeCure } from '../../runtime/systemReason.ts'
import type { HashSource } from '../decide.ts'

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
      `${path} cannot be written (${reason}), and what is not archived is not attested: ${writeCure(reason)}, or unset ARCHIVE_FILE`,
    )
  }
}

/** Keeps what the attested hashes were made from: EIA has no earlier versions of its rows. */
export interface Archive {
  /** Hashes what a value is made from, and remembers that. */
  readonly hash: HashSource
  /** Appends what was hashed for these attestations, each once in a run. @throws {ArchiveFileError} */
  append(attestations: readonly Pick<NewAttestation, 'sourceHash'>[]): Promise<void>
}

// Feeds that stay as they are hash the same at every poll; a backfill hashes 200,000 rows before it attests the first.
const MAX_REMEMBERED = 1_000_000

/**
 * Creates an archive: lines of canonical JSON, appended to a file and never changed.
 *
 * @example
 * ```ts
 * const archive = createArchive('archive.jsonl')
 * const { sourceHash } = decide({ row, feed, latest, now, hash: archive.hash })
 * await archive.append([{ sourceHash }])
 * ```
 */
export function createArchive(path: string): Archive {
  const remembered = new Map<string, string>()
  const archived = new Set<string>()
  const file = openJsonLines(path)
  let last: Promise<void> = Promise.resolve()

  async function write(hashes: readonly string[]): Promise<void> {
    const anew = [...new Set(hashes)].filter((hash) => remembered.has(hash) && !archived.has(hash))
    if (anew.length === 0) return
    await file.append(anew.map((hash) => remembered.get(hash) ?? ''))
    for (const hash of anew) {
      archived.add(hash)
      remembered.delete(hash)
    }
  }

  return {
    hash(source) {
      const hash = hashSource(source)
      if (archived.has(hash)) return hash
      remembered.set(hash, canonicalJson(source))
      const [oldest] = remembered.size > MAX_REMEMBERED ? remembered.keys() : []
      if (oldest !== undefined) remembered.delete(oldest)
      return hash
    },
    append(attestations) {
      const hashes = attestations.map(({ sourceHash }) => sourceHash)
      const written = last.then(() => write(hashes))
      last = written.catch(() => {})
      return written.catch((error) => {
        throw new ArchiveFileError(path, systemReason(error))
      })
    },
  }
}
