/**
 * JSON values that are kept compressed, one behind the other in large pieces of memory: a chain of 20,000 blocks holds
 * some 200 MB of JSON, and as many small buffers would take as much again.
 */
export interface JsonStore {
  /** Keeps a value, and returns what it can be had again by. */
  add(value: unknown): number
  get(index: number): unknown
}

const PIECE_BYTES = 1 << 20

export function createJsonStore(): JsonStore {
  const entries: { piece: Uint8Array; start: number; length: number }[] = []
  let piece = new Uint8Array(PIECE_BYTES)
  let used = 0
  return {
    add(value) {
      const packed = Bun.zstdCompressSync(Buffer.from(JSON.stringify(value)))
      if (used + packed.length > piece.length) {
        piece = new Uint8Array(Math.max(PIECE_BYTES, packed.length))
        used = 0
      }
      piece.set(packed, used)
      used += packed.length
      return entries.push({ piece, start: used - packed.length, length: packed.length }) - 1
    },
    get(index) {
      const entry = entries[index]
      if (entry === undefined) throw new RangeError(`there is no value ${index}`)
      const { piece, start, length } = entry
      return JSON.parse(Bun.zstdDecompressSync(piece.subarray(start, start + length)).toString())
    },
  }
}
