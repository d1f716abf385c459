/** Ranges of the first byte of a character, each with its length and the range of its second byte. */
const starts: readonly (readonly [first: number, last: number, length: number, low: number, high: number])[] =
  [
    [0x00, 0x7f, 1, 0, 0],
    [0xc2, 0xdf, 2, 0x80, 0xbf],
    [0xe0, 0xe0, 3, 0xa0, 0xbf],
    [0xe1, 0xec, 3, 0x80, 0xbf],
    [0xed, 0xed, 3, 0x80, 0x9f],
    [0xee, 0xef, 3, 0x80, 0xbf],
    [0xf0, 0xf0, 4, 0x90, 0xbf],
    [0xf1, 0xf3, 4, 0x80, 0xbf],
    [0xf4, 0xf4, 4, 0x80, 0x8f],
  ]

/** Returns why bytes are not UTF-8, in the words of Rust's `Utf8Error`; null if they are. */
export function utf8Fault(bytes: Uint8Array): string | null {
  for (let index = 0; index < bytes.length; ) {
    const start = starts.find(([first, last]) => isBetween(bytes[index], first, last))
    if (start === undefined) return `invalid utf-8 sequence of 1 bytes from index ${index}`
    const [, , length, low, high] = start
    for (let at = 1; at < length; at++) {
      const byte = bytes[index + at]
      if (byte === undefined) return `incomplete utf-8 byte sequence from index ${index}`
      const isValid = at === 1 ? isBetween(byte, low, high) : isBetween(byte, 0x80, 0xbf)
      if (!isValid) return `invalid utf-8 sequence of ${at} bytes from index ${index}`
    }
    index += length
  }
  return null
}

const isBetween = (byte: number | undefined, low: number, high: number): boolean =>
  byte !== undefined && byte >= low && byte <= high
