const identity = { 'accept-encoding': 'identity' }

/**
 * `fetch` options that ask for no compression, and prevent decompression. Bun would unpack a whole zip bomb before its size can be
 * limited. `decompress` is an option of Bun; other runtimes ignore it.
 */
export const uncompressed = { headers: identity, decompress: false }

/** Why a body is rejected: it cannot be unpacked, or it is too large. */
export type RefusalKind = 'compressed' | 'size'

type Refuse = (reason: string, kind: RefusalKind) => Error

/**
 * Reads a response body, with a limit of `maxBytes` that does not rely on `content-length`.
 *
 * Some servers compress although nobody asked. Then the unpacked bytes are limited, and nothing beyond the limit is unpacked. The
 * `content-length` is that of the compressed bytes then, so it is ignored.
 *
 * @throws `refuse(reason, kind)` when the body is rejected, or the error of the connection.
 */
export async function readBytes(
  { body, headers }: Response,
  maxBytes: number,
  refuse: Refuse,
): Promise<Uint8Array> {
  const encoding = (headers.get('content-encoding') || 'identity').toLowerCase()
  const isPlain = encoding === 'identity'
  // A malformed length is ignored: NaN would pass every comparison.
  const announced = isPlain ? Number(headers.get('content-length')) || 0 : 0
  const bytes =
    isPlain || !obeysDecompress
      ? await readUpTo(body, maxBytes, announced)
      : await readPacked(body, encoding, { maxBytes, refuse })
  if (bytes === null) throw refuse(`larger than ${maxBytes} bytes`, 'size')
  return bytes
}

/** Reads a response body as text, as {@link readBytes} does. */
export const readText = async (response: Response, maxBytes: number, refuse: Refuse): Promise<string> =>
  new TextDecoder().decode(await readBytes(response, maxBytes, refuse))

/** Whether bodies come as they were sent. Other runtimes than Bun have unpacked them, and left the headers as they were. */
const obeysDecompress = 'Bun' in globalThis

/** The formats of Bun's `DecompressionStream`, by `content-encoding`. */
const formats = new Map<string, string>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/** Reads and unpacks a compressed body; null if it is larger. */
async function readPacked(
  body: Response['body'],
  encoding: string,
  { maxBytes, refuse }: { maxBytes: number; refuse: Refuse },
): Promise<Uint8Array | null> {
  const fail = () => refuse('compressed in a way that cannot be unpacked', 'compressed')
  const format = formats.get(encoding)
  if (format === undefined) {
    await body?.cancel()
    throw fail()
  }
  // Hashes become a little larger. All of it is read first, so that an error below is none of the connection.
  const packed = await readUpTo(body, 2 * maxBytes + 1024)
  if (packed === null || packed.length === 0) return packed
  try {
    const unpacking = new DecompressionStream(format as CompressionFormat)
    return await readUpTo(new Blob([packed]).stream().pipeThrough(unpacking), maxBytes)
  } catch {
    throw fail()
  }
}

const FIRST_BYTES = 4096

/** Reads a stream to its end; null, and no further, if it is larger, or announced as larger. */
async function readUpTo(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  announced = 0,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = stream?.getReader()
  let bytes = new Uint8Array(FIRST_BYTES)
  let received = 0
  while (reader) {
    if (Math.max(announced, received) > maxBytes) {
      await reader.cancel()
      return null
    }
    const { done, value } = await reader.read()
    if (done) break
    bytes = withRoom(bytes, received + value.length)
    bytes.set(value, received)
    received += value.length
  }
  return bytes.subarray(0, received)
}

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
