/** What is given at once, so that little is left in the connection's buffer when it is closed. */
const CHUNK_BYTES = 65_536

/**
 * Returns bytes as a body that gives them only as fast as they are read.
 *
 * @param options.timeoutMs when to close the connection of a slow reader, in milliseconds
 * @param options.onEnd called once: when all are given, when the reader has gone, or after the time limit
 */
export function downloadBody(
  bytes: Uint8Array,
  { timeoutMs, onEnd }: { readonly timeoutMs: number; readonly onEnd: () => void },
): ReadableStream<Uint8Array> {
  let at = 0
  let timer: Timer
  const end = () => {
    clearTimeout(timer)
    onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(() => {
          controller.error(new Error(`not read within ${timeoutMs} ms`))
          onEnd()
        }, timeoutMs)
      },
      pull(controller) {
        if (at < bytes.length) {
          controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES))
          at += CHUNK_BYTES
          return
        }
        // Bun asks for more when the socket has taken the rest. The reader may send its next request as soon as it has the end.
        end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
