const identity = { 'accept-encoding': 'identity' }

/**
 * `fetch` options that keep an answer from being decompressed: runtimes unpack a zip bomb whole, before its size can
 * be limited. `decompress` is Bun's; other runtimes ignore it.
 */
export const uncompressed = { headers: identity, decompress: false }

/**
 * Reads a response body as text, at most `maxBytes` of it whatever `content-length` says.
 *
 * Refuses a compressed body unread, except in browsers, which always ask for compression: there the unpacked bytes
 * are counted.
 *
 * @throws the error that `refuse` creates from the reason, or the connection's.
 *
 * @example
 * ```ts
 * const text = await readText(response, 65_536, (reason) => new Error(`the answer is ${reason}`))
 * ```
 */
export async function readText(
  response: Response,
  maxBytes: number,
  refuse: (reason: string) => Error,
): Promise<string> {
  const { body, headers } = response
  const reader = body?.getReader()
  const giveUp = async (reason: string): Promise<never> => {
    await reader?.cancel()
    throw refuse(reason)
  }
  const encoding = headers.get('content-encoding') || 'identity'
  if (encoding.toLowerCase() !== 'identity' && asksForIdentity())
    await giveUp('compressed, which was not asked for')
  const announced = Number(headers.get('content-length'))
  const decoder = new TextDecoder()
  let text = ''
  let received = 0
  while (reader) {
    if (Math.max(announced, received) > maxBytes) await giveUp(`larger than ${maxBytes} bytes`)
    const { done, value } = await reader.read()
    if (done) break
    received += value.length
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

/** False in browsers, which drop the header. */
const asksForIdentity = (): boolean =>
  new Request('http://localhost', { headers: identity }).headers.has('accept-encoding')
