import { truncate } from 'node:fs/promises'
import { encodeHex } from '../../bytes/hex.ts'
import type { PathElement } from '../../casper/proof/merkleProof.ts'
import type { Disk } from '../export/staging.ts'
import { type ElementFile, formatElement } from './elementFile.ts'

/** Number of bytes to collect before they are written through to the disk. */
const FLUSH_BYTES = 1024 * 1024

/** Appends elements to a file, each once. */
export interface ElementWriter {
  /** Adds the elements of a path that the file lacks. Lines after those that were read are replaced. */
  add(path: readonly PathElement[]): Promise<void>
  /** Writes all elements to the disk, in order. After a failure, writes nothing more. */
  flush(): Promise<void>
}

/** Creates the writer of an open file. */
export function createElementWriter(
  file: string,
  elements: ElementFile,
  files: Pick<Disk, 'append'>,
  flushBytes = FLUSH_BYTES,
): ElementWriter {
  let lines: string[] = []
  let bytes = 0
  /** The last write. The next one starts after it, because a search for evidence flushes at any time. */
  let written = Promise.resolve()

  function flush(): Promise<void> {
    const text = lines.join('')
    lines = []
    bytes = 0
    if (text !== '') written = written.then(() => files.append(file, text))
    return written
  }

  return {
    flush,
    async add(path) {
      const added = path.filter(({ hash }) => !elements.has(encodeHex(hash)))
      // After a crash, the rest of the file may be anything.
      if (added.length > 0 && !elements.isAtEnd()) await truncate(file, elements.offset())
      for (const element of added) {
        const line = formatElement(element.bytes)
        elements.appended(encodeHex(element.hash), line.length)
        lines.push(line)
        bytes += line.length
      }
      if (bytes >= flushBytes) await flush()
    },
  }
}
