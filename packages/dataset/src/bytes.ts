/** Compares bytes as unsigned numbers; of two where one starts with the other, the shorter comes first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length)
  for (let index = 0; index < shared; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

export const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  bytes.length >= prefix.length && compareBytes(bytes.subarray(0, prefix.length), prefix) === 0

/** Splits a file into the texts or hashes that it lists, each after its length as a big-endian `u16`; null if it is cut. */
export function splitEntries(bytes: Uint8Array): Uint8Array[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + 2 > bytes.length) return null
    const end = at + 2 + view.getUint16(at)
    if (end > bytes.length) return null
    entries.push(bytes.subarray(at + 2, end))
    at = end
  }
  return entries
}

/** Puts the length of each entry before it, as a big-endian `u16`. */
export function joinEntries(entries: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  const view = new DataView(joined.buffer)
  let at = 0
  for (const entry of entries) {
    view.setUint16(at, entry.length)
    joined.set(entry, at + 2)
    at += 2 + entry.length
  }
  return joined
}
