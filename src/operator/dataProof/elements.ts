import { encodeHex } from '@wattfeed/base'
import { decodeTrieElement, hashTrieElement, type TrieElement } from '@wattfeed/casper'
import { LRUCache } from 'lru-cache'

/** Most paths share the 258 elements nearest to the root. A full node takes 50 kB once it is decoded. */
const MAX_DECODED = 1_000

/**
 * Elements of the trie by their hash, all in memory: those of 100,000 values and as many events take about 150 MB.
 *
 * They are copies that nothing else has read: a `Uint8Array` whose `buffer` was read, as hashing and decoding do, keeps 400 bytes
 * more.
 */
export class Elements {
  readonly #bytes = new Map<string, Uint8Array>()
  readonly #decoded = new LRUCache<string, TrieElement>({ max: MAX_DECODED })

  get size(): number {
    return this.#bytes.size
  }

  has(hash: string): boolean {
    return this.#bytes.has(hash)
  }

  add(bytes: Uint8Array, hash = encodeHex(hashTrieElement(bytes))): void {
    this.#bytes.set(hash, bytes.slice())
  }

  /** Frees the memory at once. Compiled closures may keep their variables, so it is not enough that nothing uses the object. */
  clear(): void {
    this.#bytes.clear()
    this.#decoded.clear()
    Bun.gc(true)
  }

  find(hash: string): TrieElement | null {
    const known = this.#decoded.get(hash)
    if (known !== undefined) return known
    const bytes = this.#bytes.get(hash)
    if (bytes === undefined) return null
    const element = decodeTrieElement(bytes.slice())
    if (element.kind !== 'leaf') this.#decoded.set(hash, element)
    return element
  }
}

export const formatElement = (bytes: Uint8Array): string => `"${bytes.toBase64()}"\n`

/** Parses the line of an element; null if it is none. Its hash is not checked. */
export function parseElement(line: string): Uint8Array | null {
  if (!line.startsWith('"') || !line.endsWith('"')) return null
  try {
    return Uint8Array.fromBase64(line.slice(1, -1))
  } catch {
    return null
  }
}
