import { appendFile, open } from 'node:fs/promises'
import { canonicalJson, hashSource } from '../../eia/sourceHash.ts'
import { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { systemReason } from '../../runtime/systemReason.ts'
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
      `${path} cannot be written (${reason}), and what is not archived is not attested: make room, let this user write there, or unset ARCHIVE_FILE`,
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
 * Creates an archive: lines of canonical JSON, appended to a file and never changed. The first line begins anew where a
 * crash of the machine cut off the last one.
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
  let isBegun = false
  let last: Promise<void> = Promise.resolve()

  async function write(hashes: readonly string[]): Promise<void> {
    const anew = [...new Set(hashes)].filter((hash) => remembered.has(hash) && !archived.has(hash))
    if (anew.length === 0) return
    const start = isBegun || (await endsWithLine(path)) ? '' : '\n'
    await appendFile(path, `${start}${anew.map((hash) => `${remembered.get(hash)}\n`).join('')}`, {
      flush: true,
    })
    isBegun = true
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
      // One after the other, so that no line is in the middle of another one.
      const written = last
        .then(() => write(hashes))
        .catch((error) => {
          throw new ArchiveFileError(path, systemReason(error))
        })
      last = written.catch(() => {})
      return written
    },
  }
}

/** Whether a file is missing, empty, or ends with a whole line. */
async function endsWithLine(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch((error) => {
    if (systemReason(error) === 'ENOENT') return null
    throw error
  })
  if (file === null) return true
  try {
    const { size } = await file.stat()
    if (size === 0) return true
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer.toString() === '\n'
  } finally {
    await file.close()
  }
}
