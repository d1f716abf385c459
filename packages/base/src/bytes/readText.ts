const identity = { 'accept-encoding': 'identity' }

/**
 * `fetch` options that prevent decompression. Runtimes would unpack a whole zip bomb before its size can be limited.
 * `decompress` is an option of Bun; other runtimes ignore it.
 */
export const uncompressed = { headers: identity, decompress: false }

/** Why `readText` rejects a body. */
export type RefusalKind = 'compressed' | 'size'

/** Reads a response body as text, as {@link readBytes} does. */
export const readText = async (
  response: Response,
  maxBytes: number,
  refuse: (reason: string, kind: RefusalKind) => Error,
): Promise<string> => new TextDecoder().decode(await readBytes(response, maxBytes, refuse))

/**
 * Reads a response body, with a limit of `maxBytes` that does not rely on `content-length`.
 *
 * Rejects a compressed body without reading it. Browsers always request compression, so there the unpacked bytes are
 * counted instead.
 *
 * @throws `refuse(reason, kind)` when the body is rejected, or the error of the connection.
 */
export async function readBytes(
  response: Response,
  maxBytes: number,
  refuse: (reason: string, kind: RefusalKind) => Error,
): Promise<Uint8Array> {
  const { body, headers } = response
  const reader = body?.getReader()
  const giveUp = async (reason: string, kind: RefusalKind): Promise<never> => {
    await reader?.cancel()
    throw refuse(reason, kind)
  }
  const encoding = headers.get('content-encoding') || 'identity'
  if (encoding.toLowerCase() !== 'identity' && asksForIdentity())
    await giveUp('compressed, which the request did not allow', 'compressed')
  // Of a length that is not a number, nothing follows: compared with NaN, no body would be too large.
  const announced = Number(headers.get('content-length')) || 0
  const chunks: Uint8Array[] = []
  let received = 0
  while (reader) {
    if (Math.max(announced, received) > maxBytes) await giveUp(`larger than ${maxBytes} bytes`, 'size')
    const { done, value } = await reader.read()
    if (done) break
    received += value.length
    chunks.push(value)
  }
  return joinChunks(chunks, received)
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Returns false in browsers, which drop the header. */
const asksForIdentity = (): boolean =>
  new Request('http://localhost', { headers: identity }).headers.has('accept-encoding')
