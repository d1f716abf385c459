export type Body = string | Uint8Array<ArrayBuffer>

// In bytes. With its headers, a shorter body fits in Bun's buffer of 16 KiB.
const MIN_STREAMED_SIZE = 14_000

/**
 * Returns the body for `new Response`. Bun 1.4.4 sends a longer body that is not answered at once with a system call for each part of its
 * headers, about 40 in all. A direct stream takes one, until Bun has https://github.com/oven-sh/bun/pull/41341. The benchmark shows
 * the number of writes.
 */
export function streamedBody({ method }: Request, body: Body): Body | ReadableStream {
  // A stream has no length that HEAD could return.
  if (method === 'HEAD') return body
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (size < MIN_STREAMED_SIZE) return body
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    pull(controller) {
      controller.write(body)
      controller.close()
    },
  }
  // Below its limit, the stream waits for the end, so that the answer has a Content-Length.
  // The types of the DOM, which take precedence, lack direct streams.
  return new ReadableStream(source as unknown as UnderlyingSource, { highWaterMark: size + 1 })
}
