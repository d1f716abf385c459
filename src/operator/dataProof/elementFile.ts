import { closeSync, fstatSync, openSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { jsonExcess } from '../../bytes/jsonExcess.ts'
import { decodeTrieElement, hashTrieElement, type TrieElement } from '../../casper/proof/trieElement.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { createLineReader } from './lineReader.ts'

/** Most paths share the 258 elements nearest to the root. A full node takes 50 kB once it is decoded. */
const MAX_CACHED = 1_000

/** A file of lines: some of JSON first, then one element of the trie a line. Only the place of each element is in memory. */
export interface ElementFile extends Disposable {
  /** Reads the next line as JSON. @throws {DecodeError} when there is none, or it is not JSON. */
  nextJson(): unknown
  /**
   * Returns the element with a hash, if it was read before or is on the next line; otherwise null.
   *
   * @throws {DecodeError} when the next line is not an element.
   */
  find(hash: string): TrieElement | null
  /** Whether an element was read before. */
  has(hash: string): boolean
  /** Number of elements that were read. */
  size(): number
  /** Number of the next line, from 1. */
  lineNumber(): number
  /** Offset of the next line in bytes. */
  offset(): number
  /** Whether every line was read. */
  isAtEnd(): boolean
  /** Records that the line of an element is appended to the file. From then on, nothing else is read that was not read before. */
  appended(hash: string, lineBytes: number): void
}

interface NextElement {
  hash: string
  bytes: Uint8Array
  end: number
}

/** Formats an element as a line. */
export const formatElement = (bytes: Uint8Array): string => `"${bytes.toBase64()}"\n`

/** Opens a file for reading. Another writer may append to it. @throws the system's error */
export function openElementFile(path: string): ElementFile {
  const descriptor = openSync(path, 'r')
  const lines = createLineReader(descriptor)
  /** Number of each element, by hash. */
  const numbers = new Map<string, number>()
  /** Start and end of each element's line. */
  const places: number[] = []
  const cache = new LRUCache<string, TrieElement>({ max: MAX_CACHED })
  let next: NextElement | null = null
  let isAppending = false
  let offset = 0
  let lineNumber = 1

  function readLine() {
    const line = lines.read(offset)
    if (line !== null && 'fault' in line) throw brokenLine(lineNumber, line.fault)
    return line
  }

  function peek(): NextElement | null {
    if (next !== null || isAppending) return next
    const line = readLine()
    if (line === null) return null
    const bytes = parseElement(line.text)
    if (bytes === null) throw brokenLine(lineNumber, 'is not an element of the trie')
    next = { hash: encodeHex(hashTrieElement(bytes)), bytes, end: line.end }
    return next
  }

  function record(hash: string, end: number): void {
    next = null
    numbers.set(hash, places.length / 2)
    places.push(offset, end)
    offset = end
    lineNumber += 1
  }

  function readAgain(hash: string, number: number): TrieElement {
    const cached = cache.get(hash)
    if (cached !== undefined) return cached
    const [from = 0, to = 0] = places.slice(2 * number, 2 * number + 2)
    const bytes = parseElement(lines.readAgain(from, to - 1))
    if (bytes === null) throw new DecodeError('data set proof', 'the file changed while it was read')
    return remember(hash, bytes)
  }

  function remember(hash: string, bytes: Uint8Array): TrieElement {
    const element = decodeTrieElement(bytes)
    if (element.kind !== 'leaf') cache.set(hash, element)
    return element
  }

  return {
    nextJson() {
      const line = readLine()
      const value = line === null || isTooDeep(line.text) ? undefined : parseJson(line.text)
      if (line === null || value === undefined)
        throw brokenLine(lineNumber, line === null ? 'is missing' : 'is not JSON')
      offset = line.end
      lineNumber += 1
      return value
    },
    find(hash) {
      const number = numbers.get(hash)
      if (number !== undefined) return readAgain(hash, number)
      const read = peek()
      if (read?.hash !== hash) return null
      record(hash, read.end)
      return remember(hash, read.bytes)
    },
    has: (hash) => numbers.has(hash),
    size: () => numbers.size,
    lineNumber: () => lineNumber,
    offset: () => offset,
    isAtEnd: () => isAppending || offset >= fstatSync(descriptor).size,
    appended(hash, lineBytes) {
      isAppending = true
      record(hash, offset + lineBytes)
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

const isTooDeep = (text: string): boolean => jsonExcess(text, Number.POSITIVE_INFINITY) !== null

/** Parses the line of an element; null if it is none. Its hash is checked by the caller. */
function parseElement(text: string): Uint8Array | null {
  if (!text.startsWith('"') || !text.endsWith('"')) return null
  try {
    return Uint8Array.fromBase64(text.slice(1, -1))
  } catch {
    return null
  }
}

const brokenLine = (number: number, rule: string): DecodeError =>
  new DecodeError('data set proof', `line ${number} ${rule}`)
