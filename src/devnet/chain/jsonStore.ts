/**
 * JSON values that are kept compressed: a chain of 20,000 blocks holds some 200 MB of JSON. What lies side by side is
 * alike, so it is compressed together. The newest values are the ones that are asked for; they stay as they are.
 */
export interface JsonStore {
  /** Keeps a value, and returns what it can be had again by. */
  add(value: unknown): number
  get(index: number): unknown
}

const PACK = 16
/** No JSON text has one in it. */
const SEPARATOR = '\n'

export function createJsonStore(): JsonStore {
  const packs: Uint8Array[] = []
  const newest: string[] = []
  const textAt = (index: number): string | undefined => {
    const pack = packs[Math.floor(index / PACK)]
    return pack === undefined ? newest[index - packs.length * PACK] : unpack(pack)[index % PACK]
  }
  return {
    add(value) {
      const length = newest.push(JSON.stringify(value))
      const index = packs.length * PACK + length - 1
      if (length === 2 * PACK) packs.push(Bun.zstdCompressSync(newest.splice(0, PACK).join(SEPARATOR)))
      return index
    },
    get(index) {
      const text = textAt(index)
      if (text === undefined) throw new RangeError(`there is no value ${index}`)
      return JSON.parse(text)
    },
  }
}

const unpack = (pack: Uint8Array): string[] => Bun.zstdDecompressSync(pack).toString().split(SEPARATOR)
