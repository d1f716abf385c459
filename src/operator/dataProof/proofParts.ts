import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeHex, nullIfMissing } from '@wattfeed/base'
import { writeAtomically } from '@wattfeed/base/disk'
import type { PathElement } from '@wattfeed/casper'
import { PUBLIC_MODE } from '../export/staging.ts'
import { Elements, formatElement, parseElement } from './elements.ts'

/** Number of bytes to collect before they are written through to the disk. */
const PART_BYTES = 1024 * 1024

/** The first part of a proof has the lines before the elements. */
export const partPath = (folder: string, number: number): string =>
  join(folder, `part-${String(number).padStart(6, '0')}`)

/** The file that says which export the parts are of. It is written after the first part. */
export const purposePath = (folder: string): string => join(folder, 'purpose')

/** A proof that is being written to a folder, in parts. A killed run leaves whole parts. */
export class ProofParts {
  /** Those that a killed run has written. */
  readonly elements = new Elements()
  /** The hashes of those that this run has written, or is about to write. */
  readonly #added = new Set<string>()
  /** Number of bytes of the parts on the disk. */
  bytes = 0
  #parts = 0
  #lines: string[] = []
  #lineBytes = 0

  private constructor(
    readonly folder: string,
    readonly partBytes: number,
  ) {}

  static async begin(
    folder: string,
    {
      header,
      purpose,
      partBytes = PART_BYTES,
    }: { header: string; purpose: string; partBytes?: number | undefined },
  ): Promise<ProofParts> {
    const parts = new ProofParts(folder, partBytes)
    await rm(folder, { recursive: true, force: true })
    await parts.#write(header)
    await writeAtomically(purposePath(folder), purpose, PUBLIC_MODE)
    return parts
  }

  /** Reads the parts that are there. */
  static async resume(folder: string, partBytes = PART_BYTES): Promise<ProofParts> {
    const parts = new ProofParts(folder, partBytes)
    for (; ; parts.#parts++) {
      const text = await readFile(partPath(folder, parts.#parts), 'latin1').catch(nullIfMissing)
      if (text === null) return parts
      parts.bytes += text.length
      for (const line of text.split('\n')) {
        const bytes = parseElement(line)
        if (bytes !== null) parts.elements.add(bytes)
      }
    }
  }

  /** Adds the elements of a path that the proof lacks. */
  async add(path: readonly PathElement[]): Promise<void> {
    for (const { bytes, hash } of path) {
      const name = encodeHex(hash)
      if (this.elements.has(name) || this.#added.has(name)) continue
      this.#added.add(name)
      const line = formatElement(bytes)
      this.#lines.push(line)
      this.#lineBytes += line.length
    }
    if (this.#lineBytes >= this.partBytes) await this.#flush()
  }

  /** Joins the parts to one file, and frees the elements. */
  async finish(path: string): Promise<void> {
    await this.#flush()
    this.elements.clear()
    this.#added.clear()
    await writeAtomically(path, this.#contents(), PUBLIC_MODE)
  }

  async #flush(): Promise<void> {
    if (this.#lineBytes === 0) return
    await this.#write(this.#lines.join(''))
    this.#lines = []
    this.#lineBytes = 0
  }

  async #write(text: string): Promise<void> {
    await writeAtomically(partPath(this.folder, this.#parts), text, PUBLIC_MODE)
    this.#parts += 1
    this.bytes += Buffer.byteLength(text)
  }

  async *#contents(): AsyncGenerator<Uint8Array> {
    for (let number = 0; number < this.#parts; number++) yield readFile(partPath(this.folder, number))
  }
}
