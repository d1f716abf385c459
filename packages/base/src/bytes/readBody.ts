const identity = { 'accept-encoding': 'identity' }

/**
 * `fetch` options that prevent decompression. Runtimes would unpack a whole zip bomb before its size can be limited.
 * `decompress` is an option of Bun; other runtimes ignore it.
 */
export const uncompressed = { headers: identity, decompress: false }

/** Why a body is rejected. */
export type RefusalKind = 'compressed' | 'size'

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
  // A malformed length is ignored: NaN would pass every comparison.
  const announced = Number(headers.get('content-length')) || 0
  let bytes = new Uint8Array(FIRST_BYTES)
  let received = 0
  while (reader) {
    if (Math.max(announced, received) > maxBytes) await giveUp(`larger than ${maxBytes} bytes`, 'size')
    const { done, value } = await reader.read()
    if (done) break
    bytes = withRoom(bytes, received + value.length)
    bytes.set(value, received)
    received += value.length
  }
  return bytes.subarray(0, received)
}

/** Reads a response body as text, as {@link readBytes} does. */
export const readText = async (
  response: Response,
  maxBytes: number,
  refuse: (reason: string, kind: RefusalKind) => Error,
): Promise<string> => new TextDecoder().decode(await readBytes(response, maxBytes, refuse))

const FIRST_BYTES = 4096

/**
 * Returns a buffer of at least `length` bytes that starts with the same ones. It doubles, so that many tiny chunks are not copied
 * again each time.
 */
function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes
  const larger = new Uint8Array(Math.max(length, 2 * bytes.length))
  larger.set(bytes)
  return larger
}

/** Returns false in browsers, which drop the header. */
const asksForIdentity = (): boolean =>
  new Request('http://localhost', { headers: identity }).headers.has('accept-encoding')
