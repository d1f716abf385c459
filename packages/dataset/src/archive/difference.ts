import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { memberAt, parseJson } from '@wattfeed/base'
import { joinEntries, splitEntries } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { isRoot } from '../manifest.ts'
import { HASH_BYTES } from '../merkleTree.ts'

/** What the first line of a difference says. */
export interface DifferenceHeader {
  /** Root of the snapshot that it rebuilds. */
  readonly root: string
  /** Root of the snapshot that it is rebuilt from: one that was taken later. */
  readonly base: string
  /** Number of leaves. */
  readonly size: number
  readonly baseSize: number
  /** Counts up in an archive. A difference is never needed by one with a larger number. */
  readonly number: number
}

/**
 * `keep`: leaves of the base. `drop`: leaves of the base that are left out. `replace`: leaves of the base with another value and unit.
 * `add`: other leaves.
 */
const kinds = ['keep', 'drop', 'replace', 'add'] as const

export type RunKind = (typeof kinds)[number]

/** Leaves that follow each other, of one kind. */
export interface DifferenceRun {
  readonly kind: RunKind
  readonly count: number
}

/** The files of a snapshot that cannot be computed from its leaves, or not fast, by their names. */
export type KeptFiles = ReadonlyMap<string, Uint8Array>

/** A snapshot as a difference against a later one. */
export interface DifferenceParts {
  readonly header: DifferenceHeader
  readonly files: KeptFiles
  /** In the order of the leaves. */
  readonly runs: readonly DifferenceRun[]
  /** For each leaf that is replaced, JSON of its value and unit; for each that is added, its bytes. */
  readonly contents: readonly Uint8Array[]
  /** The hashes of these leaves. */
  readonly hashes: Uint8Array
}

const KIND = 'wattfeed dataset difference'

/** Maximum size of the first line, in bytes. */
export const MAX_HEADER_BYTES = 4_096

/** Maximum size of the contents of a difference, in bytes: those of all values of a dataset of some millions. */
export const MAX_CONTENT_BYTES = 2 ** 28

const LEVEL = 9

const compress = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })

/** Formats a difference: its header, and the parts, each compressed. */
export function formatDifference({ header, files, runs, contents, hashes }: DifferenceParts): Uint8Array {
  const parts = [
    ...files,
    ['runs', Uint32Array.from(runs.flatMap(({ kind, count }) => [kinds.indexOf(kind), count]))] as const,
    ['contents', joinEntries(contents)] as const,
    ['hashes', hashes] as const,
  ].map(([name, raw]) => {
    const bytes = new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength)
    return { name, length: bytes.length, stored: compress(bytes) }
  })
  const { root, base, size, baseSize, number } = header
  const line = JSON.stringify({
    ...{ kind: KIND, version: 1, root, base, size, base_size: baseSize, number },
    parts: parts.map(({ name, length, stored }) => [name, stored.length, length]),
  })
  return Buffer.concat([Buffer.from(`${line}\n`), ...parts.map(({ stored }) => stored)])
}

/** Parses the first line of a difference. @throws {DatasetError} */
export function parseHeader(bytes: Uint8Array, what: string): DifferenceHeader {
  return readHeader(bytes, what).header
}

interface Part {
  readonly name: string
  readonly stored: number
  readonly length: number
}

function readHeader(bytes: Uint8Array, what: string) {
  const fail = (rule: string) => new DatasetError({ what, rule })
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(0x0a)
  const json = parseJson(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end))))
  if (memberAt(json, 'kind') !== KIND) throw fail(`not a ${KIND}`)
  if (memberAt(json, 'version') !== 1) throw fail('has another version; use a newer wattfeed')
  const member = <T>(name: string, isValid: (value: unknown) => value is T): T => {
    const value = memberAt(json, name)
    if (!isValid(value)) throw fail(`${name} is missing or malformed`)
    return value
  }
  const header: DifferenceHeader = {
    root: member('root', isRoot),
    base: member('base', isRoot),
    size: member('size', isSize),
    baseSize: member('base_size', isSize),
    number: member('number', isCount),
  }
  const parts = member('parts', isParts).map(([name, stored, length]): Part => ({ name, stored, length }))
  return { header, parts, start: end + 1 }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isSize = (value: unknown): value is number => isCount(value) && value > 0 && value < 2 ** 32
const isParts = (value: unknown): value is [string, number, number][] =>
  Array.isArray(value) &&
  value.every(
    (part) => Array.isArray(part) && typeof part[0] === 'string' && isCount(part[1]) && isCount(part[2]),
  )

/** Where a leaf of a snapshot comes from. */
export interface LeafOrigin {
  /** Index of the leaf of the base; null if it is none of the base. */
  readonly base: number | null
  /** What replaces its value and unit, or its bytes; null if it is that of the base. */
  readonly content: Uint8Array | null
}

/** A difference that was read. It is as its header says, but only the root shows that it is right. */
export class Difference {
  readonly header: DifferenceHeader
  readonly files: KeptFiles
  /** What it takes in memory, in bytes. */
  readonly bytes: number
  readonly #runs: readonly DifferenceRun[]
  readonly #contents: readonly Uint8Array[]
  readonly #hashes: Uint8Array
  /** By runs, but those that drop leaves: index of the first leaf, of that of the base, and of the first content. */
  readonly #places: { readonly kind: RunKind; at: number; base: number; content: number }[] = []

  /**
   * @param maxBytes - what its parts may take in memory
   * @throws {DatasetError} if it is malformed or too large
   */
  constructor(bytes: Uint8Array, what: string, maxBytes: number) {
    const fail = (rule: string) => new DatasetError({ what, rule })
    const { header, parts, start } = readHeader(bytes, what)
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (length > maxBytes)
      throw fail(
        `takes ${length} bytes in memory, and ${maxBytes} are left; "datasets restore" writes its snapshot`,
      )
    const read = new Map<string, Uint8Array>()
    let at = start
    for (const { name, stored, length } of parts) {
      read.set(
        name,
        decompress(bytes.subarray(at, at + stored), length, () => fail(`${name} is damaged`)),
      )
      at += stored
    }
    if (at !== bytes.length) throw fail('is cut, or too long')
    const take = (name: string): Uint8Array => {
      const found = read.get(name)
      if (found === undefined) throw fail(`has no ${name}`)
      read.delete(name)
      return found
    }
    const numbers = take('runs')
    const contents = splitEntries(take('contents'))
    if (numbers.length % 8 !== 0 || contents === null) throw fail('is cut')
    this.header = header
    this.#hashes = take('hashes')
    this.#contents = contents
    this.#runs = runsOf(numbers)
    this.files = read
    const { size, baseSize, contentCount } = this.#place()
    if (size !== header.size || baseSize !== header.baseSize || contentCount !== contents.length)
      throw fail('its runs are not those of its leaves')
    if (this.#hashes.length !== contents.length * HASH_BYTES)
      throw fail('its hashes are not those of its leaves')
    // An entry and a run are small objects.
    this.bytes = length + 100 * (contents.length + this.#runs.length)
  }

  #place() {
    let [size, baseSize, contentCount] = [0, 0, 0]
    for (const { kind, count } of this.#runs) {
      if (kind !== 'drop') this.#places.push({ kind, at: size, base: baseSize, content: contentCount })
      if (kind !== 'drop') size += count
      if (kind !== 'add') baseSize += count
      if (kind === 'replace' || kind === 'add') contentCount += count
    }
    return { size, baseSize, contentCount }
  }

  /** Returns where a leaf comes from. */
  originOf(index: number): LeafOrigin {
    let [low, high] = [0, this.#places.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#places[middle]?.at ?? 0) <= index) low = middle + 1
      else high = middle
    }
    const place = this.#places[low - 1]
    if (place === undefined || index >= this.header.size) throw new RangeError(`there is no leaf ${index}`)
    const offset = index - place.at
    const isOwn = place.kind === 'add'
    return {
      base: isOwn ? null : place.base + offset,
      content: place.kind === 'keep' ? null : (this.#contents[place.content + offset] ?? null),
    }
  }

  /** Returns the hashes of all leaves, from those of the base. */
  hashesFrom(base: Uint8Array): Uint8Array {
    const hashes = new Uint8Array(this.header.size * HASH_BYTES)
    let [to, from, content] = [0, 0, 0]
    for (const { kind, count } of this.#runs) {
      const length = count * HASH_BYTES
      if (kind === 'keep') hashes.set(base.subarray(from, from + length), to)
      if (kind === 'replace' || kind === 'add') {
        hashes.set(this.#hashes.subarray(content, content + length), to)
        content += length
      }
      if (kind !== 'drop') to += length
      if (kind !== 'add') from += length
    }
    return hashes
  }
}

function decompress(stored: Uint8Array, length: number, fail: () => DatasetError): Uint8Array {
  try {
    // Zero is no limit.
    const found = zstdDecompressSync(stored, { maxOutputLength: Math.max(1, length) })
    if (found.length === length) return found
  } catch {
    // Damaged, or longer than it says.
  }
  throw fail()
}

function runsOf(bytes: Uint8Array): DifferenceRun[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / 8 }, (_, at) => ({
    kind: kinds[view.getUint32(8 * at, true)] ?? 'add',
    count: view.getUint32(8 * at + 4, true),
  }))
}
