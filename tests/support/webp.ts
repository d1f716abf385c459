// cspell:ignore ANMF
/** The largest animated picture in a document: readers load it with the page. */
export const MAX_ANIMATED_BYTES = 1_000_000

/**
 * Lists how long each frame of an animated WebP is shown, in milliseconds.
 *
 * @see https://developers.google.com/speed/webp/docs/riff_container#animation
 */
export function listWebpDelays(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const textAt = (offset: number): string => String.fromCharCode(...file.subarray(offset, offset + 4))
  if (textAt(0) !== 'RIFF' || textAt(8) !== 'WEBP') throw new Error('not a WebP file')
  const delays: number[] = []
  for (let offset = 12; offset + 8 <= file.length; ) {
    const size = view.getUint32(offset + 4, true)
    // The delay has 24 bits, after position and size.
    if (textAt(offset) === 'ANMF') delays.push(view.getUint32(offset + 8 + 12, true) & 0xffffff)
    offset += 8 + size + (size % 2)
  }
  return delays
}
