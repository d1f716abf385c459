/** Numbers of a list, each in one, two or four bytes. */
export type Codes = Uint8Array | Uint16Array | Uint32Array

/** The bytes that a number below this count needs: 1, 2 or 4. */
export const widthOf = (count: number): 1 | 2 | 4 => (count <= 2 ** 8 ? 1 : count <= 2 ** 16 ? 2 : 4)

const arrays = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const

/** Returns numbers below `count` in as few bytes as they need, each replaced by its place in `places`. */
export function packCodes(codes: Uint32Array, places: Uint32Array): Codes {
  const packed = new arrays[widthOf(places.length)](codes.length)
  for (let at = 0; at < codes.length; at++) packed[at] = places[codes[at] ?? 0] ?? 0
  return packed
}

/** Reads numbers below `count` from bytes that {@link packCodes} has packed. The offset is a multiple of four. */
export const codesIn = (
  bytes: Uint8Array<ArrayBuffer>,
  offset: number,
  { length, count }: { length: number; count: number },
): Codes => new arrays[widthOf(count)](bytes.buffer, bytes.byteOffset + offset, length)

/** Returns the first place in a section of ascending codes whose code is this one or a larger one. */
export function firstFrom(codes: Codes, code: number, section: { low: number; high: number }): number {
  let { low, high } = section
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((codes[middle] ?? 0) < code) low = middle + 1
    else high = middle
  }
  return low
}

/** A list of numbers below 2^32 that grows. */
export class CodeList {
  length = 0
  #codes = new Uint32Array(1_024)

  push(code: number): void {
    if (this.length === this.#codes.length) {
      const longer = new Uint32Array(2 * this.length)
      longer.set(this.#codes)
      this.#codes = longer
    }
    this.#codes[this.length] = code
    this.length += 1
  }

  /** The numbers so far, not copied. */
  view(): Uint32Array {
    return this.#codes.subarray(0, this.length)
  }
}
